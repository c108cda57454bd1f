// @vitest-environment happy-dom
// Stored values: in storage that works, is full, is forbidden, or contains something else.
import { describe, expect, it, vi } from 'vitest';
import { FakeStorage } from './storage.fixture.ts';
import { browserStorage, flag, json, oneOf, persisted, type Codec } from './persisted.ts';

const names = json((stored) => (Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : []));

describe('a persisted value', () => {
  it.each<[string, Codec<unknown>, unknown, string]>([
    ['JSON', names, ['a', 'b'], '["a","b"]'],
    ['one of some texts', oneOf(['all', 'off']), 'off', 'off'],
    ['a flag', flag({ otherwise: false }), true, 'on'],
  ])('is read as it was written: %s', (_, codec, value, text) => {
    const store = new FakeStorage();
    const there = () => persisted('x', codec, () => store);
    expect(there().write(value)).toBe(true);
    expect(store.getItem('x')).toBe(text);
    expect(there().read()).toEqual(value);
    there().remove();
    expect(store.getItem('x')).toBeNull();
  });

  it.each<[string, Codec<unknown>, string, unknown]>([
    ['text that is not JSON', names, '{', []],
    ['JSON of another shape', names, '{"a":1}', []],
    ['an unknown choice', oneOf(['all', 'off']), 'loud', 'all'],
    ['another flag', flag({ otherwise: true }), 'true', true],
  ])('is that of an empty storage when it contains %s', (_, codec, text, expected) => {
    const store = new FakeStorage();
    store.setItem('x', text);
    expect(persisted('x', codec, () => store).read()).toEqual(expected);
  });

  it('is not lost silently when the storage is full or forbidden', () => {
    const full = new FakeStorage();
    full.full = true;
    const forbidden = () => {
      throw new DOMException('denied', 'SecurityError');
    };
    for (const area of [() => full, () => null, forbidden]) {
      const value = persisted('x', names, area);
      expect(value.write(['a'])).toBe(false);
      expect(value.read()).toEqual([]);
      value.remove();
    }
  });

  it('follows other tabs until it is stopped', () => {
    const value = persisted('x', oneOf(['all', 'off']));
    const listener = vi.fn();
    const stop = value.follow(listener);
    browserStorage()?.setItem('x', 'off');
    const changed = (key: string | null) => window.dispatchEvent(new StorageEvent('storage', { key }));
    changed('y');
    expect(listener).not.toHaveBeenCalled();
    changed('x');
    changed(null);
    expect(listener.mock.calls).toEqual([['off'], ['off']]);
    stop();
    changed('x');
    expect(listener).toHaveBeenCalledTimes(2);
  });
});
