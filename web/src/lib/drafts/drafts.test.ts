// Nothing typed is ever lost: drafts outlive the page, the session and a full storage.
import { describe, expect, it } from 'vitest';
import { Drafts, type Draft } from './drafts.ts';
import { FakeStorage } from './storage.fixture.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const draft = (text: string, savedAt = new Date(NOW).toISOString()): Draft => ({
  text,
  note: 'because',
  reason: 'Wrong fact',
  savedAt,
});

describe('drafts', () => {
  it('outlive a reload and a sign-out, per item and per user', () => {
    const storage = new FakeStorage();
    expect(new Drafts('ana', storage).save('item-1', draft('mine'))).toBe(true);
    expect(new Drafts('ana', storage).read('item-1')).toEqual(draft('mine'));
    expect(new Drafts('ana', storage).read('item-2')).toBeNull();
    expect(new Drafts('marek', storage).read('item-1')).toBeNull();
  });

  it('are dropped when the decision is confirmed', () => {
    const storage = new FakeStorage();
    const drafts = new Drafts('ana', storage);
    drafts.save('item-1', draft('mine'));
    drafts.drop('item-1');
    expect(drafts.read('item-1')).toBeNull();
    expect(storage.length).toBe(0);
  });

  it('stay in the tab when storage is full or forbidden, and say so', () => {
    const storage = new FakeStorage();
    storage.full = true;
    for (const store of [storage, null]) {
      const drafts = new Drafts('ana', store);
      expect(drafts.save('item-1', draft('mine'))).toBe(false);
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
    expect(drafts.saveNotes('item-1', { note: 'n', own: 'o' })).toBe(true);
    expect(new Drafts('ana', storage).notes('item-1')).toEqual({ note: 'n', own: 'o' });
    drafts.drop('item-1');
    expect(drafts.notes('item-1')).toEqual({ note: 'n', own: 'o' });
    drafts.saveNotes('item-1', { note: '', own: '' });
    expect([storage.length, drafts.notes('item-1')]).toEqual([0, { note: '', own: '' }]);
    storage.full = true;
    expect(drafts.saveNotes('item-1', { note: 'kept here', own: '' })).toBe(false);
    expect(drafts.notes('item-1').note).toBe('kept here');
  });

  it('QU3: forget what went out, and nothing else', () => {
    const storage = new FakeStorage();
    const drafts = new Drafts('ana', storage);
    const nothing = { draft: null, note: '', own: '' };
    drafts.save('item-1', draft('sent'));
    drafts.saveNotes('item-1', { note: 'sent', own: 'not sent' });
    drafts.sent('item-1', { ...nothing, note: 'sent' });
    expect([drafts.read('item-1')?.text, drafts.notes('item-1')]).toEqual(['sent', { note: '', own: 'not sent' }]);
    drafts.sent('item-1', { ...nothing, draft: draft('sent'), own: 'not sent' });
    expect([drafts.read('item-1'), storage.length]).toEqual([null, 0]);
  });

  describe('QU19: of two tabs with one item', () => {
    /** Two pages of one browser, each open until it is closed. */
    const browser = () => {
      const storage = new FakeStorage();
      const open = new Set<string>();
      const ended = new Map<string, (() => void)[]>();
      const page = (name: string, tab = name) => {
        open.add(name);
        const whenClosed = (asked: string, listener: () => void) =>
          ended.set(asked, [...(ended.get(asked) ?? []), listener]);
        const pages = { isClosed: (asked: string) => !open.has(asked), whenClosed };
        return new Drafts('ana', storage, { now: () => NOW, page: name, tab, pages });
      };
      const close = (name: string) => {
        open.delete(name);
        for (const listener of ended.get(name) ?? []) listener();
      };
      return { storage, page, close };
    };
    const texts = (drafts: Drafts) => drafts.others('item-1').map(({ value }) => value.text);

    it('both stand, each in its own tab, and the other one is there to choose', () => {
      const { storage, page } = browser();
      const [here, there] = [page('here'), page('there')];
      here.save('item-1', draft('here'));
      there.save('item-1', draft('there'));
      expect([here.read('item-1')?.text, texts(here)]).toEqual(['here', ['there']]);
      expect([there.read('item-1')?.text, texts(there)]).toEqual(['there', ['here']]);
      const [other] = here.others('item-1');
      expect(here.switchTo('item-1', other?.key ?? '')?.text).toBe('there');
      expect([here.read('item-1')?.text, texts(here)]).toEqual(['there', ['here']]);
      here.save('item-1', draft('mixed'));
      expect([there.read('item-1')?.text, storage.length]).toEqual(['there', 3]);
    });

    it('what an open page typed is its own: another has it beside, and goes on with it when it was chosen', () => {
      const { page } = browser();
      const [here, there] = [page('here'), page('there')];
      here.save('item-1', draft('here'));
      here.saveNotes('item-1', { note: 'half a', own: 'why' });
      expect([there.read('item-1'), there.open('item-1'), texts(there)]).toEqual([null, null, ['here']]);
      expect([there.openNotes('item-1'), there.otherNotes('item-1')]).toEqual([
        { note: '', own: '' },
        [{ note: 'half a', own: 'why' }],
      ]);
      const [other] = there.others('item-1');
      expect(there.switchTo('item-1', other?.key ?? '')?.text).toBe('here');
      here.save('item-1', draft('here, later'));
      expect([there.read('item-1')?.text, texts(there)]).toEqual(['here', ['here, later']]);
      there.save('item-1', draft('here and there'));
      expect([here.read('item-1')?.text, texts(there)]).toEqual(['here, later', ['here, later']]);
    });

    it('what one typed is gone on with as soon as its page is closed, unless something was typed here', () => {
      const { storage, page, close } = browser();
      const [here, also, there] = [page('here'), page('also'), page('there')];
      let heard = 0;
      here.onPageClosed(() => (heard += 1));
      there.save('item-1', draft('there'));
      there.saveNotes('item-1', { note: 'there', own: '' });
      also.saveNotes('item-1', { note: 'mine', own: '' });
      for (const [key, newValue] of storage.values) here.onStorage({ key, oldValue: null, newValue });
      expect([here.open('item-1'), here.notes('item-1').note]).toEqual([null, '']);
      close('there');
      expect([heard, here.open('item-1')?.text, here.notes('item-1').note]).toEqual([2, 'there', 'there']);
      expect(also.notes('item-1').note).toBe('mine');
    });

    it('each finds its own after a reload, and both are there after both were closed', () => {
      const { page, close } = browser();
      page('here', 'tab 1').save('item-1', draft('here'));
      page('there', 'tab 2').save('item-1', draft('there', new Date(NOW + 1000).toISOString()));
      for (const name of ['here', 'there']) close(name);
      const [here, there, later] = [page('here again', 'tab 1'), page('there again', 'tab 2'), page('new')];
      expect([here.open('item-1')?.text, there.open('item-1')?.text]).toEqual(['here', 'there']);
      expect([later.open('item-1')?.text, texts(later)]).toEqual(['there', ['here']]);
    });

    it('what a closed page typed is gone on with and leaves nothing behind', () => {
      const { storage, page, close } = browser();
      page('first').save('item-1', draft('begun'));
      close('first');
      const second = page('second');
      second.open('item-1');
      second.save('item-1', draft('gone on with'));
      expect([texts(second), storage.length]).toEqual([[], 1]);
    });

    it('a decision forgets what went out, in both, and what the other typed meanwhile stays', () => {
      const { storage, page } = browser();
      const [here, there] = [page('here'), page('there')];
      here.save('item-1', draft('sent'));
      there.save('item-1', draft('there'));
      here.sent('item-1', { draft: draft('sent'), note: '', own: '' });
      expect([there.read('item-1')?.text, texts(there), storage.length]).toEqual(['there', [], 1]);
      const [key = ''] = storage.values.keys();
      const oldValue = storage.getItem(key);
      page('third').sent('item-1', { draft: draft('there'), note: '', own: '' });
      expect(there.onStorage({ key, oldValue, newValue: null })).toBe('item-1');
      expect(there.read('item-1')).toBeNull();
      expect(there.onStorage({ key: 'countersign.draft.marek.item-1', oldValue: null, newValue: '' })).toBeNull();
    });

    it('a decision forgets the same answer where it had no reason yet', () => {
      const { page } = browser();
      const [here, there] = [page('here'), page('there')];
      there.save('item-1', { ...draft('the same'), note: '', reason: null });
      here.save('item-1', draft('the same'));
      expect(texts(here)).toEqual([]);
      here.sent('item-1', { draft: draft('the same'), note: '', own: '' });
      expect(page('later').read('item-1')).toBeNull();
    });

    it('throwing one away leaves the one that is open elsewhere', () => {
      const { page } = browser();
      const [here, there] = [page('here'), page('there')];
      here.save('item-1', draft('here'));
      there.switchTo('item-1', there.others('item-1')[0]?.key ?? '');
      there.drop('item-1');
      expect([there.read('item-1'), texts(there), here.read('item-1')?.text]).toEqual([null, [], 'here']);
      expect(texts(page('third'))).toEqual(['here']);
    });

    it('notes and own reasons stand beside each other too', () => {
      const { page } = browser();
      const [here, there] = [page('here'), page('there')];
      here.saveNotes('item-1', { note: 'here', own: '' });
      there.saveNotes('item-1', { note: 'there', own: 'why' });
      expect([here.notes('item-1').note, there.notes('item-1').note]).toEqual(['here', 'there']);
      expect(here.otherNotes('item-1')).toEqual([{ note: 'there', own: 'why' }]);
      there.sent('item-1', { draft: null, note: 'there', own: 'why' });
      expect([here.notes('item-1').note, here.otherNotes('item-1')]).toEqual(['here', []]);
    });

    it('a draft that an earlier version kept is found', () => {
      const { storage, page } = browser();
      storage.setItem('countersign.draft.ana.item-1', JSON.stringify(draft('earlier')));
      const drafts = page('now');
      expect(drafts.open('item-1')?.text).toBe('earlier');
      drafts.save('item-1', draft('later'));
      expect([texts(drafts), storage.length]).toEqual([[], 1]);
    });
  });

  it('QU3: are tidied with the words beside them, the oldest first, wherever the storage holds them', () => {
    const storage = new FakeStorage();
    let now = NOW;
    const drafts = new Drafts('ana', storage, { now: () => now });
    for (let at = 0; at < 205; at++) {
      now = NOW - at * 1000;
      drafts.saveNotes(`item-${at}`, { note: 'n', own: '' });
    }
    // Written again, so the newest of all stands where it stood: the place in the storage says nothing.
    now = NOW + 1000;
    drafts.saveNotes('item-204', { note: 'newest', own: '' });
    const [first = '', value = ''] =
      [...storage.values].find(([key]) => key.startsWith('countersign.words.ana.item-0.')) ?? [];
    storage.values.delete(first);
    storage.values.set(first, value);
    drafts.removeOld(NOW);
    const later = new Drafts('ana', storage);
    expect(storage.length).toBe(200);
    expect([204, 0, 199].map((at) => later.notes(`item-${at}`).note)).toEqual(['newest', 'n', '']);
    later.removeOld(NOW + 31 * 86_400_000);
    expect(storage.length).toBe(0);
  });

  it('are tidied by age and number, and nothing else in the storage is touched', () => {
    const storage = new FakeStorage();
    storage.setItem('other', 'kept');
    const drafts = new Drafts('ana', storage);
    drafts.save('old', draft('old', '2026-10-01T00:00:00.000Z'));
    for (let at = 0; at < 205; at++) drafts.save(`item-${at}`, draft('x', new Date(NOW - at * 1000).toISOString()));
    drafts.removeOld(NOW);
    const later = new Drafts('ana', storage);
    expect(storage.length).toBe(201);
    expect(later.read('old')).toBeNull();
    expect(later.read('item-0')).not.toBeNull();
    expect(later.read('item-204')).toBeNull();
    expect(storage.getItem('other')).toBe('kept');
  });
});
