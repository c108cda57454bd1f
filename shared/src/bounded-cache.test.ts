// Tests that a bounded cache makes each result once, forgets when it is full, and caches no failure.
import { expect, it } from 'vitest';
import { BoundedCache } from './bounded-cache.ts';

function counted(most: number) {
  const made: string[] = [];
  const cache = new BoundedCache<boolean>(most);
  const get = (key: string) => cache.get(key, () => (made.push(key), false));
  return { cache, get, made };
}

it('makes each result once, also one that is false', () => {
  const { get, made } = counted(2);
  expect([get('a'), get('b'), get('a')]).toEqual([false, false, false]);
  expect(made).toEqual(['a', 'b']);
});

it('drops all results before it holds more than the maximum', () => {
  const { get, made } = counted(2);
  for (const key of ['a', 'b', 'c', 'a']) get(key);
  expect(made).toEqual(['a', 'b', 'c', 'a']);
});

it('makes a result again after a failure', () => {
  const { cache, get } = counted(2);
  const fail = () => {
    throw new Error('not now');
  };
  expect(() => cache.get('a', fail)).toThrow('not now');
  expect(get('a')).toBe(false);
});
