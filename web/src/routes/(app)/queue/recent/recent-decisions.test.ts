// @vitest-environment happy-dom
// The recent decisions outlive the page: what a reload shows of them, to whom, and that damaged storage does no harm.
import { afterEach, describe, expect, it } from 'vitest';
import { FakeStorage } from '#lib/storage/storage.fixture.ts';
import { tabStorage } from '#lib/storage/persisted.ts';
import {
  forgetRecentDecisions,
  RecentDecisions,
  recentDecisionsOf,
  type RecentDecision,
} from './recent-decisions.svelte.ts';

const KEY = 'countersign.recent';
const UNTIL = '2099-01-01T00:00:05.000Z';
const NOW = Date.parse('2099-01-01T00:00:00.000Z');
const draft = { text: 'typed', note: 'n', reason: null, savedAt: '2099-01-01T00:00:00.000Z' };

const made = (itemId: string): RecentDecision => ({
  ...{ itemId, name: `Item ${itemId}`, action: 'edit', reason: 'Wrong sum', state: 'saving' },
  ...{ undoUntil: null, windowMs: 0, version: 0, draft, notes: { note: 'a note', own: 'an own reason' } },
});

/** Decides the items, oldest first; the server has accepted them. */
function decide(recent: RecentDecisions, ...ids: string[]): RecentDecisions {
  for (const id of ids) {
    recent.add(made(id));
    recent.confirm(id, { undo_until: UNTIL, version: 3 });
  }
  return recent;
}

const namesIn = (recent: RecentDecisions) => recent.entries.map(({ itemId }) => itemId);

describe('the recent decisions after a reload', () => {
  it('are those that were saved, and can be undone within their window', () => {
    const store = new FakeStorage();
    const before = decide(new RecentDecisions('me', store), 'one', 'two');
    before.final('one');
    before.add(made('waits'));
    before.add(made('refused'));
    before.fail('refused');
    decide(before, 'undone').undone('undone');
    const after = new RecentDecisions('me', store);
    expect(namesIn(after)).toEqual(['two', 'one']);
    expect(after.of('two')).toMatchObject({ name: 'Item two', action: 'edit', reason: 'Wrong sum', state: 'saved' });
    expect([after.undoable(NOW)?.itemId, after.undoable(Date.parse(UNTIL))]).toEqual(['two', null]);
  });

  it('are without the typed texts: those belong to the drafts', () => {
    const store = new FakeStorage();
    decide(new RecentDecisions('me', store), 'one');
    const after = new RecentDecisions('me', store).of('one');
    expect([after?.draft, after?.notes]).toEqual([null, { note: '', own: '' }]);
    expect(store.getItem(KEY)).not.toMatch(/typed|a note|an own reason/);
  });

  it('are not those of another user', () => {
    const store = new FakeStorage();
    decide(new RecentDecisions('me', store), 'one');
    const other = new RecentDecisions('other', store);
    expect([namesIn(other), store.getItem(KEY)]).toEqual([[], null]);
    decide(other, 'two');
    expect([namesIn(new RecentDecisions('other', store)), namesIn(new RecentDecisions('me', store))]).toEqual([
      ['two'],
      [],
    ]);
  });

  it('are left alone by events of other items', () => {
    const store = new FakeStorage();
    new RecentDecisions('me', store).final('other');
    expect(store.getItem(KEY)).toBeNull();
  });

  it('are none where the browser stores nothing', () => {
    const full = new FakeStorage();
    full.full = true;
    for (const store of [full, null]) {
      expect(namesIn(decide(new RecentDecisions('me', store), 'one'))).toEqual(['one']);
      expect(namesIn(new RecentDecisions('me', store))).toEqual([]);
    }
  });

  const entry = { itemId: 'one', name: 'Item one', action: 'approve', reason: null, undoUntil: null, windowMs: 5 };
  const stored = (entries: unknown) => JSON.stringify({ user: 'me', entries });

  it.each([
    ['text that is not JSON', '{', []],
    ['null', 'null', []],
    ['a text', '"me"', []],
    ['entries that are no list', stored({ length: 3 }), []],
    ['no entries among usable ones', stored([null, 7, 'x', [], {}, entry]), ['one']],
    [
      'an unknown action',
      stored([
        { ...entry, action: 'toString' },
        { ...entry, action: null },
      ]),
      [],
    ],
    ['an ID that is no text', stored([{ ...entry, itemId: 7 }]), []],
    ['the same item twice', stored([entry, entry]), ['one']],
    ['too many', stored(Array.from({ length: 12 }, (_, at) => ({ ...entry, itemId: `${at}` }))), [...'0123456789']],
  ])('are the usable ones where the storage contains %s', (_, text, expected) => {
    const store = new FakeStorage();
    store.setItem(KEY, text);
    expect(namesIn(new RecentDecisions('me', store))).toEqual(expected);
  });

  it('cannot be undone where the end of the window is no time', () => {
    const store = new FakeStorage();
    store.setItem(KEY, stored([{ ...entry, undoUntil: 'soon', windowMs: null }]));
    const after = new RecentDecisions('me', store);
    expect([after.of('one')?.undoUntil, after.undoable(NOW)]).toEqual([null, null]);
  });
});

describe('the recent decisions of the tab', () => {
  afterEach(forgetRecentDecisions);

  it('are the same on every page, so that an answer that is still out arrives in them', () => {
    const before = recentDecisionsOf('me');
    before.add(made('one'));
    const after = recentDecisionsOf('me');
    before.confirm('one', { undo_until: UNTIL, version: 3 });
    expect(after.of('one')?.state).toBe('saved');
    expect(namesIn(recentDecisionsOf('other'))).toEqual([]);
  });

  it('are forgotten when the user signs out', () => {
    decide(recentDecisionsOf('me'), 'one');
    expect(tabStorage()?.getItem(KEY)).toContain('Item one');
    forgetRecentDecisions();
    expect([tabStorage()?.getItem(KEY), namesIn(recentDecisionsOf('me'))]).toEqual([null, []]);
  });

  it.each<[string, (recent: RecentDecisions) => void]>([
    ['an answer', (recent) => recent.confirm('waits', { undo_until: UNTIL, version: 3 })],
    ['a refusal', (recent) => recent.fail('waits')],
    ['a final decision', (recent) => recent.final('one')],
    ['an undo', (recent) => recent.undone('one')],
    ['another decision', (recent) => decide(recent, 'two')],
  ])('stay forgotten when %s arrives on a page that is still open', (_, arrive) => {
    const recent = decide(recentDecisionsOf('me'), 'one');
    recent.add(made('waits'));
    forgetRecentDecisions();
    expect(namesIn(recent)).toEqual([]);
    arrive(recent);
    expect([tabStorage()?.getItem(KEY), namesIn(recent)]).toEqual([null, []]);
  });

  it('stay forgotten when an answer for the user before arrives', () => {
    const before = decide(recentDecisionsOf('me'), 'one');
    before.add(made('waits'));
    recentDecisionsOf('other');
    before.confirm('waits', { undo_until: UNTIL, version: 3 });
    expect(tabStorage()?.getItem(KEY)).toBeNull();
  });
});
