// Admission of requests: which endpoints have a queue, and memory for the response.
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { endpointOf } from '@countersign/shared/contract/endpoints';
import type { Route } from '@countersign/shared/routes/route';
import { readAnalytics } from '@countersign/shared/routes/analytics';
import { listEvents, listItems, readItem, submitItem } from '@countersign/shared/routes/public';
import { listQueue } from '@countersign/shared/routes/queue';
import { createConcurrencyLimiter } from '../../limits/concurrency-limiter.ts';
import { UNSENT } from '../../limits/memory-limits.ts';
import { MemoryBudget } from '../../limits/memory-budget.ts';
import { admit, createEndpointLimiters } from './admit.ts';

const FEW = { perPerson: 2, perProcess: 3, waitingPerPerson: 1, waiting: 2, why: '' };

/** The client side of a request. */
class Client extends EventEmitter {
  closed = false;
}

const settle = () => new Promise((done) => setImmediate(done));

describe('RL6: an endpoint', () => {
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
