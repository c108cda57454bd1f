// Nothing typed is ever lost: drafts outlive the page, the session and a full storage.
import { describe, expect, it } from 'vitest';
import { Drafts, type Draft } from './drafts.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const draft = (text: string, savedAt = new Date(NOW).toISOString()): Draft => ({
  text,
  note: 'because',
  reason: 'Wrong fact',
  savedAt,
});

/** A browser's storage that can be told to be full. */
class FakeStorage {
  readonly values = new Map<string, string>();
  full = false;
  getItem = (key: string) => this.values.get(key) ?? null;
  removeItem = (key: string) => void this.values.delete(key);
  key = (at: number) => [...this.values.keys()][at] ?? null;
  setItem = (key: string, value: string) => {
    if (this.full) throw new DOMException('full', 'QuotaExceededError');
    this.values.set(key, value);
  };
  get length() {
    return this.values.size;
  }
}

describe('drafts', () => {
  it('outlive a reload and a sign-out, per item and per user', () => {
    const storage = new FakeStorage();
    expect(new Drafts('ana', storage).keep('item-1', draft('mine'))).toBe(true);
    expect(new Drafts('ana', storage).read('item-1')).toEqual(draft('mine'));
    expect(new Drafts('ana', storage).read('item-2')).toBeNull();
    expect(new Drafts('marek', storage).read('item-1')).toBeNull();
  });

  it('are dropped when the decision is confirmed', () => {
    const storage = new FakeStorage();
    const drafts = new Drafts('ana', storage);
    drafts.keep('item-1', draft('mine'));
    drafts.drop('item-1');
    expect(drafts.read('item-1')).toBeNull();
    expect(storage.length).toBe(0);
  });

  it('stay in the tab when storage is full or forbidden, and say so', () => {
    const storage = new FakeStorage();
    storage.full = true;
    for (const store of [storage, null]) {
      const drafts = new Drafts('ana', store);
      expect(drafts.keep('item-1', draft('mine'))).toBe(false);
      expect(drafts.read('item-1')).toEqual(draft('mine'));
    }
  });

  it('that cannot be read any more count as none', () => {
    const storage = new FakeStorage();
    for (const text of ['{', 'null', '"x"', '{"text":1}', '{"text":"a","note":"b","savedAt":"c","reason":3}']) {
      storage.values.set('countersign.draft.ana.item-1', text);
      expect(new Drafts('ana', storage).read('item-1')).toBeNull();
    }
  });

  it('QU3: keep a note and own words beside the answer, as they are typed', () => {
    const storage = new FakeStorage();
    const drafts = new Drafts('ana', storage);
    expect(drafts.keepWords('item-1', { note: 'n', own: 'o' })).toBe(true);
    expect(new Drafts('ana', storage).words('item-1')).toEqual({ note: 'n', own: 'o' });
    drafts.drop('item-1');
    expect(drafts.words('item-1')).toEqual({ note: 'n', own: 'o' });
    drafts.keepWords('item-1', { note: '', own: '' });
    expect([storage.length, drafts.words('item-1')]).toEqual([0, { note: '', own: '' }]);
    storage.full = true;
    expect(drafts.keepWords('item-1', { note: 'kept here', own: '' })).toBe(false);
    expect(drafts.words('item-1').note).toBe('kept here');
  });

  it('QU3: forget what went out, and nothing else', () => {
    const storage = new FakeStorage();
    const drafts = new Drafts('ana', storage);
    const nothing = { draft: null, note: '', own: '' };
    drafts.keep('item-1', draft('sent'));
    drafts.keepWords('item-1', { note: 'sent', own: 'not sent' });
    drafts.sent('item-1', { ...nothing, note: 'sent' });
    expect([drafts.read('item-1')?.text, drafts.words('item-1')]).toEqual(['sent', { note: '', own: 'not sent' }]);
    drafts.sent('item-1', { ...nothing, draft: draft('sent'), own: 'not sent' });
    expect([drafts.read('item-1'), storage.length]).toEqual([null, 0]);
  });

  it('QU3: of two tabs with one item show each other, and what the other typed meanwhile outlives a decision', () => {
    const storage = new FakeStorage();
    const [here, there] = [new Drafts('ana', storage), new Drafts('ana', storage)];
    const key = 'countersign.draft.ana.item-1';
    const told = (oldValue: string | null) => ({ key, oldValue, newValue: storage.getItem(key) });
    here.keep('item-1', draft('here'));
    there.keep('item-1', draft('there'));
    here.sent('item-1', { draft: draft('here'), note: '', own: '' });
    expect([here.read('item-1')?.text, new Drafts('ana', storage).read('item-1')?.text]).toEqual(['there', 'there']);
    here.keep('item-1', draft('newer'));
    expect(there.heard(told(null))).toBe('item-1');
    expect(there.read('item-1')?.text).toBe('newer');
    expect(there.heard({ ...told(null), key: 'countersign.draft.marek.item-1' })).toBeNull();
    there.keep('item-1', draft('newer'));
    const before = storage.getItem(key);
    here.drop('item-1');
    there.heard(told(before));
    expect(there.read('item-1')).toBeNull();
  });

  it('QU3: are tidied with the words beside them, the oldest first, wherever the storage holds them', () => {
    const storage = new FakeStorage();
    let now = NOW;
    const drafts = new Drafts('ana', storage, () => now);
    for (let at = 0; at < 205; at++) {
      now = NOW - at * 1000;
      drafts.keepWords(`item-${at}`, { note: 'n', own: '' });
    }
    // Written again, so the newest of all stands where it stood: the place in the storage says nothing.
    now = NOW + 1000;
    drafts.keepWords('item-204', { note: 'newest', own: '' });
    storage.values.delete('countersign.words.ana.item-0');
    now = NOW;
    drafts.keepWords('item-0', { note: 'last in the storage', own: '' });
    drafts.tidy(NOW);
    const later = new Drafts('ana', storage);
    expect(storage.length).toBe(200);
    expect([204, 0, 199].map((at) => later.words(`item-${at}`).note)).toEqual(['newest', 'last in the storage', '']);
    later.tidy(NOW + 31 * 86_400_000);
    expect(storage.length).toBe(0);
  });

  it('are tidied by age and number, and nothing else in the storage is touched', () => {
    const storage = new FakeStorage();
    storage.setItem('other', 'kept');
    const drafts = new Drafts('ana', storage);
    drafts.keep('old', draft('old', '2026-10-01T00:00:00.000Z'));
    for (let at = 0; at < 205; at++) drafts.keep(`item-${at}`, draft('x', new Date(NOW - at * 1000).toISOString()));
    drafts.tidy(NOW);
    const later = new Drafts('ana', storage);
    expect(storage.length).toBe(201);
    expect(later.read('old')).toBeNull();
    expect(later.read('item-0')).not.toBeNull();
    expect(later.read('item-204')).toBeNull();
    expect(storage.getItem('other')).toBe('kept');
  });
});
