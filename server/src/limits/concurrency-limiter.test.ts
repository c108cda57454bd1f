// Concurrency limits: per person, per process, queued, and released.
import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createConcurrencyLimiter, type Release } from './concurrency-limiter.ts';

const FEW = { perPerson: 2, perProcess: 3, waitingPerPerson: 1, waiting: 2, why: '' };

/** The client side of a request. */
class Client extends EventEmitter {
  closed = false;

  go(): void {
    this.closed = true;
    this.emit('close');
  }
}

const settle = () => new Promise((done) => setImmediate(done));

/** Records who was admitted, in order. */
function createTestLimiter(limit = FEW) {
  const limiter = createConcurrencyLimiter(limit);
  const admitted: string[] = [];
  const releases: Release[] = [];
  const refused: string[] = [];
  const enter = (person: string, client = new Client()) =>
    void limiter.enter(person, client).then(
      (leave) => {
        admitted.push(person);
        releases.push(leave);
      },
      (error: { code: string }) => refused.push(`${person} ${error.code}`),
    );
  return { enter, admitted, releases, refused, settle };
}

describe('RL6: the limiter of expensive requests', () => {
  it('admits a limited number per person, queues one more, and refuses the next', async () => {
    const { enter, admitted, releases, refused, settle } = createTestLimiter();
    for (let n = 0; n < 4; n += 1) enter('anna');
    await settle();
    expect([admitted, refused]).toEqual([['anna', 'anna'], ['anna rate_limited']]);
    releases[0]?.();
    releases[0]?.();
    await settle();
    expect(admitted).toEqual(['anna', 'anna', 'anna']);
  });

  it('admits a limited number per process; a long queue of one person does not block another with a free slot', async () => {
    const { enter, admitted, releases, refused, settle } = createTestLimiter({
      ...FEW,
      perProcess: 2,
      waitingPerPerson: 5,
    });
    for (let n = 0; n < 3; n += 1) enter('anna');
    enter('ben');
    enter('carl');
    await settle();
    expect([admitted, refused]).toEqual([['anna', 'anna'], ['carl unavailable']]);
    releases[0]?.();
    await settle();
    expect(admitted).toEqual(['anna', 'anna', 'ben']);
    releases[1]?.();
    await settle();
    expect(admitted.at(-1)).toBe('anna');
  });

  it('queues a person without queued requests, however many others are queued', async () => {
    const { enter, admitted, releases, refused, settle } = createTestLimiter({
      ...FEW,
      perProcess: 1,
      waitingPerPerson: 5,
      waiting: 3,
    });
    for (const person of ['anna', 'ben', 'ben', 'carl', 'dora', 'ben']) enter(person);
    await settle();
    expect([admitted, refused]).toEqual([['anna'], ['ben unavailable', 'ben unavailable']]);
    for (let n = 0; n < 3; n += 1) {
      releases[n]?.();
      await settle();
    }
    expect(admitted).toEqual(['anna', 'ben', 'carl', 'dora']);
  });

  it('skips a person who has reached their own limit', async () => {
    const { enter, admitted, releases, settle } = createTestLimiter({
      ...FEW,
      perPerson: 1,
      perProcess: 2,
      waitingPerPerson: 5,
    });
    for (const person of ['anna', 'anna', 'ben', 'ben', 'carl']) enter(person);
    await settle();
    expect(admitted).toEqual(['anna', 'ben']);
    releases[1]?.();
    await settle();
    expect(admitted.at(-1)).toBe('ben');
  });

  it('ignores clients that disconnect before or while they are queued', async () => {
    const { enter, admitted, releases, refused } = createTestLimiter({
      ...FEW,
      perPerson: 1,
      waitingPerPerson: 5,
      waiting: 5,
    });
    const [early, patient] = [new Client(), new Client()];
    early.go();
    enter('anna');
    enter('anna', patient);
    enter('anna');
    enter('ben', early);
    patient.go();
    await settle();
    expect([admitted, refused]).toEqual([['anna'], ['ben unavailable', 'anna unavailable']]);
    releases[0]?.();
    await settle();
    expect(admitted).toEqual(['anna', 'anna']);
    expect(patient.listenerCount('close')).toBe(0);
  });

  it('keeps the last slots for people who have none', async () => {
    const limit = { ...FEW, perPerson: 2, perProcess: 4, firstOnly: 2, waitingPerPerson: 5, waiting: 9 };
    const { enter, admitted, releases, settle } = createTestLimiter(limit);
    for (const person of ['anna', 'anna', 'ben', 'ben', 'carl', 'dora']) enter(person);
    await settle();
    expect(admitted).toEqual(['anna', 'anna', 'ben', 'carl']);
    releases[0]?.();
    await settle();
    expect(admitted).toEqual(['anna', 'anna', 'ben', 'carl', 'dora']);
    for (const release of releases.slice(1)) release();
    await settle();
    expect(admitted.at(-1)).toBe('ben');
  });

  describe('of a limit with a time', () => {
    afterEach(() => vi.useRealTimers());

    it('refuses who waited for it, and nobody who was admitted before', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const limit = { ...FEW, perPerson: 1, waitingPerPerson: 2, waitMs: 1000 };
      const limiter = createConcurrencyLimiter(limit);
      const leave = await limiter.enter('anna');
      const [next, late] = [limiter.enter('anna'), limiter.enter('anna')];
      const refused = expect(late).rejects.toMatchObject({ code: 'unavailable' });
      vi.advanceTimersByTime(999);
      leave();
      const release = await next;
      vi.advanceTimersByTime(1);
      await refused;
      release();
      // Who was refused has left the queue.
      (await limiter.enter('anna'))();
      expect(vi.getTimerCount()).toBe(0);
    });
  });
});
