// Reservations for memory that clients occupy: who gets one, who waits, who is evicted (MB1, MB2).
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { RECEIVED, UNSENT } from './memory-limits.ts';
import { type Owner, type Reservation, MemoryBudget, type MemoryLimits } from './memory-budget.ts';

const LIMITS: MemoryLimits = {
  ...{ perProcess: 100, perOwner: 10, perStranger: 4, waitingPerOwner: 2, waitingPerProcess: 5 },
  ...{ waitMs: 3_600_000, staleMs: 1000 },
};
const anna: Owner = { name: 'anna', stranger: false };
const ben: Owner = { name: 'ben', stranger: false };
const stranger: Owner = { name: '192.0.2.1', stranger: true };

function aBudget(limits: Partial<MemoryLimits> = {}) {
  let now = 0;
  const budget = new MemoryBudget({ ...LIMITS, ...limits }, () => now);
  const client = new EventEmitter();
  const enter = (who: Owner, bytes: number) => budget.enter(who, bytes, client);
  /** Must be granted immediately. */
  const held = (who: Owner, bytes: number): Reservation => {
    const reservation = enter(who, bytes);
    if (reservation instanceof Promise) throw new Error('The reservation has to wait.');
    return reservation;
  };
  return { budget, client, enter, held, pass: (ms: number) => (now += ms) };
}

/** The evicted reservations in order, by the given names. */
function ending(...named: [string, Reservation][]): string[] {
  const ended: string[] = [];
  for (const [name, reservation] of named) reservation.makeEvictable(() => ended.push(name));
  return ended;
}

describe('memory budget', () => {
  it('MB1: grants an owner a tenth of the process limit, and a stranger less', () => {
    for (const { perProcess, perOwner, perStranger } of [RECEIVED, UNSENT]) {
      expect(perOwner).toBeLessThanOrEqual(perProcess / 10);
      expect(perStranger).toBeLessThan(perOwner / 5);
    }
    const { budget, held, enter } = aBudget();
    held(anna, 10);
    expect(enter(anna, 1)).toBeInstanceOf(Promise);
    held(stranger, 4);
    expect(enter(stranger, 1)).toBeInstanceOf(Promise);
    held(ben, 10);
    expect(budget.taken).toBe(24);
  });

  it('MB2: gives released memory to the longest waiting request, and lets small requests pass large ones', async () => {
    const { budget, held, enter } = aBudget();
    const first = held(anna, 8);
    const order: string[] = [];
    const large = Promise.resolve(enter(anna, 8)).then((reservation) => (order.push('large'), reservation));
    held(anna, 2).leave();
    const next = Promise.resolve(enter(anna, 3)).then(() => order.push('next'));
    expect(budget.waiting).toBe(2);
    first.leave();
    (await large).leave();
    await next;
    expect(order).toEqual(['large', 'next']);
    expect(budget).toMatchObject({ taken: 3, waiting: 0 });
  });

  it('MB2: refuses a request when too many wait, per owner and in total', () => {
    const { held, enter } = aBudget({ waitingPerProcess: 3 });
    for (const who of [anna, ben]) held(who, 10);
    for (const who of [anna, anna, ben]) void enter(who, 1);
    expect(() => enter(anna, 1)).toThrow('unavailable');
    expect(() => enter(ben, 1)).toThrow('unavailable');
  });

  it('MB2: in a full process, gives released memory to the owner with the least, before other requests of the same owner', async () => {
    const { held, enter, budget } = aBudget({ perProcess: 20 });
    const [part] = [held(anna, 4), held(anna, 6), held(ben, 10)];
    const again = Promise.resolve(enter(anna, 4));
    const small = Promise.resolve(enter(stranger, 1));
    part.leave();
    expect((await small).bytes).toBe(1);
    expect(budget).toMatchObject({ taken: 17, waiting: 1 });
    (await small).leave();
    expect((await again).bytes).toBe(4);
  });

  it('MB2: queues an owner without waiting requests, however many others wait', async () => {
    const { held, enter, budget } = aBudget({ perProcess: 20, waitingPerOwner: 3, waitingPerProcess: 4 });
    for (const who of [anna, ben]) held(who, 10);
    const crowd = [anna, anna, anna, ben].map((who) => Promise.resolve(enter(who, 1)));
    const refused = expect(crowd[2]).rejects.toMatchObject({ code: 'unavailable' });
    expect(enter(stranger, 1)).toBeInstanceOf(Promise);
    await refused;
    expect(budget.waiting).toBe(4);
    // Among equals, the earliest request stays.
    expect(() => enter(ben, 1)).toThrow('unavailable');
  });

  it('MB2: refuses a request after the maximum wait, or when its client has disconnected', async () => {
    const { budget, held, enter } = aBudget({ waitMs: 1 });
    held(anna, 10);
    await expect(enter(anna, 1)).rejects.toMatchObject({ code: 'unavailable', extras: { retryAfter: 1 } });
    const patient = aBudget();
    patient.held(anna, 10);
    const gone = expect(patient.enter(anna, 1)).rejects.toThrow('unavailable');
    patient.client.emit('close');
    await gone;
    expect([budget.waiting, patient.budget.waiting]).toEqual([0, 0]);
  });

  it('MB2: evicts a reservation held for long when the same owner needs it', () => {
    const { held, enter, pass, budget } = aBudget();
    const [old, young] = [held(anna, 5), held(anna, 5)];
    const ended = ending(['old', old]);
    pass(999);
    void enter(anna, 5);
    expect(ended).toEqual([]);
    ended.push(...ending(['young', young]));
    pass(1);
    // The waiting request gets it first, and then there is none left.
    void enter(anna, 5);
    expect(ended).toEqual(['old']);
    expect(budget).toMatchObject({ taken: 10, waiting: 1 });
  });

  it('MB2: does not evict a reservation that is in use or being streamed', () => {
    const { held, enter, pass } = aBudget();
    held(anna, 5);
    const slow = held(anna, 5);
    const ended: string[] = [];
    slow.makeEvictable(() => ended.push('slow'), { slowly: true });
    pass(1_000_000);
    expect(enter(anna, 1)).toBeInstanceOf(Promise);
    expect(ended).toEqual([]);
  });

  it('MB2: in a full process, evicts from the owner with the most for one with less', () => {
    const { held, enter, budget } = aBudget({ perProcess: 20 });
    const [most, more] = [held(anna, 10), held(ben, 6)];
    const ended = ending(['most', most], ['more', more]);
    held(stranger, 4);
    const carl = { name: 'carl', stranger: false };
    held(carl, 3);
    expect(ended).toEqual(['most']);
    // An owner with as much is not evicted.
    expect(enter({ name: 'dora', stranger: false }, 8)).toBeInstanceOf(Promise);
    expect(ended).toEqual(['most']);
    expect(budget.taken).toBe(13);
  });

  it('MB1: counts the actual size, and nothing after the release', () => {
    const { budget, held, pass } = aBudget();
    const reservation = held(anna, 2);
    expect(reservation.resize(10)).toBe(true);
    expect(reservation.resize(11)).toBe(false);
    expect(budget.taken).toBe(10);
    reservation.force(11);
    expect(budget.taken).toBe(11);
    reservation.leave();
    reservation.leave();
    reservation.force(5);
    pass(1);
    expect(budget.taken).toBe(0);
  });
});
