// Limits of unsent bytes: per connection, in total, and released when they are sent or dropped.
import { describe, expect, it } from 'vitest';
import { createUnsentLimit, MAX_UNSENT } from './connection-guard.ts';

const small = { each: 100, all: 250, share: 10 };

describe('A13: unread data', () => {
  it('is limited to about 1 MiB', () => {
    const unsent = createUnsentLimit()();
    unsent.queue(MAX_UNSENT - 1);
    expect(unsent.hasRoom()).toBe(true);
    unsent.queue(1);
    expect(unsent.hasRoom()).toBe(false);
  });

  it('counts while it is in transit, and no longer once it is sent', () => {
    const unsent = createUnsentLimit(small)();
    unsent.queue(60);
    unsent.send();
    unsent.queue(60);
    expect(unsent.hasRoom()).toBe(false);
    unsent.sent();
    expect(unsent.hasRoom()).toBe(true);
    unsent.send();
    unsent.sent();
    unsent.queue(99);
    expect(unsent.hasRoom()).toBe(true);
  });

  it('may be a single packet of any size', () => {
    const unsent = createUnsentLimit(small)();
    expect(unsent.hasRoom()).toBe(true);
    unsent.queue(10 * small.each);
    unsent.send();
    unsent.sent();
    expect(unsent.hasRoom()).toBe(true);
  });

  it('is limited to little per connection when all leave much unread, until some of it is sent or dropped', () => {
    const begin = createUnsentLimit(small);
    const [slow, gone, quick] = [begin(), begin(), begin()];
    quick.queue(20);
    for (const one of [slow, gone]) one.queue(115);
    expect([slow, gone, quick].map((one) => one.hasRoom())).toEqual([false, false, false]);
    gone.drop();
    gone.drop();
    expect([slow, quick].map((one) => one.hasRoom())).toEqual([false, true]);
  });
});
