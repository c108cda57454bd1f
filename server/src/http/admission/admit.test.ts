// Admission of requests: which endpoints have a queue, and memory for the response.
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { endpointOf } from '@countersign/shared/contract/endpoints';
import type { Route } from '@countersign/shared/routes/route';
import { readAnalytics } from '@countersign/shared/routes/analytics';
import { listEvents, listItems, readItem, submitItem } from '@countersign/shared/routes/public';
import { listQueue } from '@countersign/shared/routes/queue';
import { UNSENT } from '../../limits/memory-limits.ts';
import { MemoryBudget } from '../../limits/memory-budget.ts';
import { CONCURRENCY_LIMITS } from '../../limits/policies.ts';
import { admit, createEndpointLimiters, type EnterEndpoint, limiterOf } from './admit.ts';

const FEW = { perPerson: 2, perProcess: 3, waitingPerPerson: 1, waiting: 2, why: '' };

/** The client side of a request. */
class Client extends EventEmitter {
  closed = false;
}

const settle = () => new Promise((done) => setImmediate(done));

describe('RL6: an endpoint', () => {
  it('shares one queue for all lists, by key or session, and has none for small requests', () => {
    const limiters = createEndpointLimiters();
    const enterOf = (route: Route) => limiters(endpointOf(route));
    const [limiter, ...others] = [listItems, listEvents, listQueue].map(enterOf);
    expect(limiter).not.toBeNull();
    expect(others).toEqual([limiter, limiter]);
    expect([enterOf(readAnalytics) === limiter, enterOf(submitItem), enterOf(readItem)]).toEqual([false, null, null]);
  });
});

describe('RL6: exports of one network address', () => {
  const { perAddress, perPerson, perProcess } = CONCURRENCY_LIMITS.export;
  const enter = limiterOf(CONCURRENCY_LIMITS.export);
  const begin = (name: string, address: string) =>
    enter({ owner: { name, stranger: false }, address, client: new Client() });

  it('leave room for those of others, and one that ends leaves room for the next', async () => {
    const crowd = await Promise.all(
      Array.from({ length: perAddress }, (_, n) => begin(`wallet ${Math.floor(n / perPerson)}`, '192.0.2.1')),
    );
    await expect(begin('one more', '192.0.2.1')).rejects.toMatchObject({
      ...{ code: 'rate_limited', detail: expect.stringContaining('network address') as string },
    });
    const others = Array.from({ length: perProcess - perAddress }, (_, n) => begin(`person ${n}`, `192.0.2.${n + 2}`));
    await Promise.all(others);
    await expect(begin('last', '198.51.100.1')).rejects.toMatchObject({ code: 'unavailable' });
    crowd[0]?.();
    // Neither the refused ones nor the one that ended hold a slot of the person, the address or the process.
    (await begin('one more', '192.0.2.1'))();
    (await begin('last', '198.51.100.1'))();
  });
});

describe('RL6: memory reserved for a response', () => {
  const anna = { name: 'anna', stranger: false };
  // The wait for memory is longer than the test, so that nothing is refused during it.
  const FULL = { ...UNSENT, perOwner: 10, perProcess: 100, waitMs: 3_600_000 };
  const ask = (budget: MemoryBudget, enter: EnterEndpoint, client = new Client()) =>
    admit({ unsent: budget }, enter, { owner: anna, address: '192.0.2.1', expected: 5, client });

  it('is not held by queued requests', async () => {
    const [budget, limiter] = [
      new MemoryBudget(FULL),
      limiterOf({ ...FEW, perPerson: 1, waitingPerPerson: 9, waiting: 9 }),
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
    const [budget, limiter] = [new MemoryBudget(FULL), limiterOf({ ...FEW, perPerson: 1, perProcess: 1 })];
    const unread = await budget.enter(anna, 10, new Client());
    const waiting = ask(budget, limiter);
    await settle();
    expect(budget.waiting).toBe(1);
    (await limiter({ owner: { name: 'ben', stranger: false }, address: '192.0.2.1', client: new Client() }))();
    unread.leave();
    expect((await waiting).reservation.bytes).toBe(5);
  });

  it('goes to one of many waiting requests when it is released, and the others wait on', async () => {
    const [budget, limiter] = [new MemoryBudget(FULL), limiterOf({ ...FEW, waitingPerPerson: 9, waiting: 9 })];
    const [unread] = [await budget.enter(anna, 5, new Client()), await budget.enter(anna, 5, new Client())];
    let admitted = 0;
    for (let n = 0; n < 8; n += 1) void ask(budget, limiter).then(() => (admitted += 1));
    await settle();
    unread.leave();
    await settle();
    expect([admitted, budget.waiting, budget.taken]).toEqual([1, 7, 10]);
  });
});
