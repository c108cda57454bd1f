// Drafts survive the page, the session and a full storage: no typed text is lost.
import { describe, expect, it } from 'vitest';
import { Drafts, type Draft } from './drafts.ts';
import { FakeStorage } from '../storage/storage.fixture.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const draft = (text: string, savedAt = new Date(NOW).toISOString()): Draft => ({
  text,
  note: 'because',
  reason: 'Wrong fact',
  savedAt,
});

describe('drafts', () => {
  it('survive a reload and a sign-out, per item and per user', () => {
    const storage = new FakeStorage();
    expect(new Drafts('ana', storage).save('item-1', draft('mine'))).toBe(true);
    expect(new Drafts('ana', storage).read('item-1')).toEqual(draft('mine'));
    expect(new Drafts('ana', storage).read('item-2')).toBeNull();
    expect(new Drafts('marek', storage).read('item-1')).toBeNull();
  });

  it('are deleted when the decision is confirmed', () => {
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

  it('are ignored when they can no longer be parsed', () => {
    const storage = new FakeStorage();
    for (const text of ['{', 'null', '"x"', '{"text":1}', '{"text":"a","note":"b","savedAt":"c","reason":3}']) {
      storage.values.set('countersign.draft.ana.item-1', text);
      expect(new Drafts('ana', storage).read('item-1')).toBeNull();
    }
  });

  it('QU3: store a note and a custom reason beside the answer, while typing', () => {
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

  it('QU3: delete what was sent, and nothing else', () => {
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

  describe('QU19: drafts of one item in two tabs', () => {
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

    it('are separate, and each tab can switch to the other one', () => {
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

    it('of an open page belong to it: another page lists them, and continues one only when selected', () => {
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

    it('are continued as soon as their page is closed, unless this page has its own', () => {
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

    it('are found by their own tab after a reload, and both exist after both were closed', () => {
      const { page, close } = browser();
      page('here', 'tab 1').save('item-1', draft('here'));
      page('there', 'tab 2').save('item-1', draft('there', new Date(NOW + 1000).toISOString()));
      for (const name of ['here', 'there']) close(name);
      const [here, there, later] = [page('here again', 'tab 1'), page('there again', 'tab 2'), page('new')];
      expect([here.open('item-1')?.text, there.open('item-1')?.text]).toEqual(['here', 'there']);
      expect([later.open('item-1')?.text, texts(later)]).toEqual(['there', ['here']]);
    });

    it('of a closed page are continued and leave no record behind', () => {
      const { storage, page, close } = browser();
      page('first').save('item-1', draft('begun'));
      close('first');
      const second = page('second');
      second.open('item-1');
      second.save('item-1', draft('gone on with'));
      expect([texts(second), storage.length]).toEqual([[], 1]);
    });

    it('are deleted in both tabs when a decision sent them, except what the other typed meanwhile', () => {
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

    it('are deleted by a decision also where the same answer had no reason yet', () => {
      const { page } = browser();
      const [here, there] = [page('here'), page('there')];
      there.save('item-1', { ...draft('the same'), note: '', reason: null });
      here.save('item-1', draft('the same'));
      expect(texts(here)).toEqual([]);
      here.sent('item-1', { draft: draft('the same'), note: '', own: '' });
      expect(page('later').read('item-1')).toBeNull();
    });

    it('of an open tab stay when another tab discards its own', () => {
      const { page } = browser();
      const [here, there] = [page('here'), page('there')];
      here.save('item-1', draft('here'));
      there.switchTo('item-1', there.others('item-1')[0]?.key ?? '');
      there.drop('item-1');
      expect([there.read('item-1'), texts(there), here.read('item-1')?.text]).toEqual([null, [], 'here']);
      expect(texts(page('third'))).toEqual(['here']);
    });

    it('include separate notes and custom reasons', () => {
      const { page } = browser();
      const [here, there] = [page('here'), page('there')];
      here.saveNotes('item-1', { note: 'here', own: '' });
      there.saveNotes('item-1', { note: 'there', own: 'why' });
      expect([here.notes('item-1').note, there.notes('item-1').note]).toEqual(['here', 'there']);
      expect(here.otherNotes('item-1')).toEqual([{ note: 'there', own: 'why' }]);
      there.sent('item-1', { draft: null, note: 'there', own: 'why' });
      expect([here.notes('item-1').note, here.otherNotes('item-1')]).toEqual(['here', []]);
    });

    it('of an earlier version are found', () => {
      const { storage, page } = browser();
      storage.setItem('countersign.draft.ana.item-1', JSON.stringify(draft('earlier')));
      const drafts = page('now');
      expect(drafts.open('item-1')?.text).toBe('earlier');
      drafts.save('item-1', draft('later'));
      expect([texts(drafts), storage.length]).toEqual([[], 1]);
    });
  });

  it('QU3: are removed with their notes, the oldest first, in any order of the storage', () => {
    const storage = new FakeStorage();
    let now = NOW;
    const drafts = new Drafts('ana', storage, { now: () => now });
    for (let at = 0; at < 205; at++) {
      now = NOW - at * 1000;
      drafts.saveNotes(`item-${at}`, { note: 'n', own: '' });
    }
    // Written again, so the newest of all is in its old place: the order of the storage means nothing.
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

  it('are removed by age and number, and nothing else in the storage is touched', () => {
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
