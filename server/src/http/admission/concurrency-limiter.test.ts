// Concurrency limits of expensive requests: per person, per process, queued, and released.
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { endpointOf } from '@countersign/shared/contract/endpoints';
import type { Route } from '@countersign/shared/routes/route';
import { readAnalytics } from '@countersign/shared/routes/analytics';
import { listEvents, listItems, readItem, submitItem } from '@countersign/shared/routes/public';
import { listQueue } from '@countersign/shared/routes/queue';
import { UNSENT } from '../../limits/memory-limits.ts';
import { MemoryBudget } from '../../limits/memory-budget.ts';
import { admit, createEndpointLimiters, createConcurrencyLimiter, type Release } from './concurrency-limiter.ts';

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

  it('shares one queue for all lists, by key or session, and has none for small requests', () => {
    const limiters = createEndpointLimiters();
    const limiterOf = (route: Route) => limiters(endpointOf(route));
    const [limiter, ...others] = [listItems, listEvents, listQueue].map(limiterOf);
    expect(limiter).not.toBeNull();
    expect(others).toEqual([limiter, limiter]);
    expect([limiterOf(readAnalytics) === limiter, limiterOf(submitItem), limiterOf(readItem)]).toEqual([
      false,
      null,
      null,
    ]);
  });
});

describe('RL6: memory reserved for a response', () => {
  const anna = { name: 'anna', stranger: false };
  // The wait for memory is longer than the test, so that nothing is refused during it.
  const FULL = { ...UNSENT, perOwner: 10, perProcess: 100, waitMs: 3_600_000 };
  const ask = (budget: MemoryBudget, limiter: ReturnType<typeof createConcurrencyLimiter>, client = new Client()) =>
    admit({ unsent: budget }, limiter, { owner: anna, expected: 5, client });

  it('is not held by queued requests', async () => {
    const [budget, limiter] = [
      new MemoryBudget(FULL),
      createConcurrencyLimiter({ ...FEW, perPerson: 1, waitingPerPerson: 9, waiting: 9 }),
    ];
    const first = await ask(budget, limiter);
    const rest = [ask(budget, limiter), ask(budget, limiter), ask(budget, limiter)];
    await settle();
    expect(budget).toMatchObject({ taken: 5, waiting: 0 });
    first.release();
    // Sent but not read: it still holds its memory, and the next request gets the rest.
    await rest[0];
    expect(budget.taken).toBe(10);
  });

  it('waits for memory without holding a slot of the limiter', async () => {
    const [budget, limiter] = [
      new MemoryBudget(FULL),
      createConcurrencyLimiter({ ...FEW, perPerson: 1, perProcess: 1 }),
    ];
    const unread = await budget.enter(anna, 10, new Client());
    const waiting = ask(budget, limiter);
    await settle();
    expect(budget.waiting).toBe(1);
    (await limiter.enter('ben', new Client()))();
    unread.leave();
    expect((await waiting).reservation.bytes).toBe(5);
  });

  it('goes to one of many waiting requests when it is released, and the others wait on', async () => {
    const [budget, limiter] = [
      new MemoryBudget(FULL),
      createConcurrencyLimiter({ ...FEW, waitingPerPerson: 9, waiting: 9 }),
    ];
    const [unread] = [await budget.enter(anna, 5, new Client()), await budget.enter(anna, 5, new Client())];
    let admitted = 0;
    for (let n = 0; n < 8; n += 1) void ask(budget, limiter).then(() => (admitted += 1));
    await settle();
    unread.leave();
    await settle();
    expect([admitted, budget.waiting, budget.taken]).toEqual([1, 7, 10]);
  });
});
