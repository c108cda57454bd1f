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
