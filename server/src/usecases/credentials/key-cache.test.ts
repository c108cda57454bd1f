// The cache of valid API keys: how long an entry is valid, and that no lookup outlives a revocation.
import { describe, expect, it } from 'vitest';
import { createKeyCache, FRESH_MS } from './key-cache.ts';
import type { ApiKeyActor } from '../services.ts';

const actor = (keyId: string): ApiKeyActor => ({
  kind: 'api_key',
  keyId,
  projectId: 'project',
  ownerId: 'owner',
  name: 'CI',
});

function aCache() {
  let ms = Date.parse('2026-03-01T12:00:00Z');
  const cache = createKeyCache<ApiKeyActor>({ now: () => new Date(ms) });
  return { cache, pass: (by: number) => void (ms += by) };
}

/** A lookup whose result the test provides. */
function held() {
  const { promise, resolve } = Promise.withResolvers<ApiKeyActor | null>();
  let asked = 0;
  return { look: () => ((asked += 1), promise), answer: resolve, asked: () => asked };
}

describe('K4: a valid key', () => {
  it('is cached for 3 s from the start of its lookup, and known as valid for ten minutes', async () => {
    const { cache, pass } = aCache();
    const { look, answer } = held();
    const pending = cache.lookUp('hash', look);
    pass(1000);
    answer(actor('key'));
    await pending;
    pass(FRESH_MS - 1001);
    expect(cache.find('hash')).toEqual(actor('key'));
    pass(1);
    expect(cache.find('hash')).toBeUndefined();
    expect(cache.wasGood('hash')).toBe(true);
    pass(600_000);
    expect(cache.wasGood('hash')).toBe(false);
  });

  it('is looked up once for all concurrent requests', async () => {
    const { cache } = aCache();
    const { look, answer, asked } = held();
    const all = Promise.all(Array.from({ length: 100 }, () => cache.lookUp('hash', look)));
    answer(actor('key'));
    expect(new Set((await all).map((found) => found?.keyId))).toEqual(new Set(['key']));
    expect(asked()).toBe(1);
  });

  it('is not cached when the clock was set back to before its lookup', async () => {
    const { cache, pass } = aCache();
    await cache.lookUp('hash', async () => actor('key'));
    pass(-1);
    expect(cache.find('hash')).toBeUndefined();
  });
});

describe('K4: a revoked key', () => {
  it('is forgotten at once, and other keys stay', async () => {
    const { cache } = aCache();
    await cache.lookUp('revoked', async () => actor('revoked'));
    await cache.lookUp('other', async () => actor('other'));
    cache.forget('revoked');
    expect([cache.find('revoked'), cache.wasGood('revoked')]).toEqual([undefined, false]);
    expect(cache.find('other')).toEqual(actor('other'));
  });

  it('is not cached again by a lookup that had started before, and no request joins that lookup', async () => {
    const { cache } = aCache();
    const before = held();
    const pending = cache.lookUp('hash', before.look);
    cache.forget('key');
    const joined = cache.lookUp('hash', async () => null);
    before.answer(actor('key'));
    // A request from before the revocation may get the earlier result.
    expect(await pending).toEqual(actor('key'));
    expect(await joined).toBeNull();
    expect(cache.find('hash')).toBeUndefined();
    expect(cache.wasGood('hash')).toBe(false);
  });

  it('is found out by the next lookup without a notification, and is no longer known as valid', async () => {
    const { cache, pass } = aCache();
    await cache.lookUp('hash', async () => actor('key'));
    pass(FRESH_MS);
    await cache.lookUp('hash', async () => null);
    expect(cache.wasGood('hash')).toBe(false);
  });
});

describe('the cache does not store', () => {
  it('unknown keys, and failed lookups', async () => {
    const { cache } = aCache();
    await cache.lookUp('unknown', async () => null);
    await expect(cache.lookUp('failed', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await cache.lookUp('failed', async () => actor('key'))).toEqual(actor('key'));
    expect([cache.find('unknown'), cache.wasGood('unknown')]).toEqual([undefined, false]);
  });

  it('more than 10 000 keys', async () => {
    const { cache } = aCache();
    for (let n = 0; n <= 10_000; n += 1) await cache.lookUp(`hash-${n}`, async () => actor(`key-${n}`));
    expect(cache.find('hash-0')).toBeUndefined();
    expect(cache.find('hash-1')).toEqual(actor('key-1'));
  });
});
