// How fast a deliverer fills its slots: a few free ones wait for company, and a proxy that is away is not asked by everything that waits (WH7).
import type { Outcome } from '../domain/webhook-attempt.ts';
import type { Room } from './delivery-rows.ts';

/** While more is due than there are slots, fewer free ones than this wait for others to become free, for so long at most: each lease has its price. */
const FEW_SLOTS = 16;
const FEW_WAIT_MS = 25;
/** While the proxy is away one delivery tries it, this often: what waits makes no more attempts than that. */
const PROXY_REST_MS = 2000;

/** By `performance.now()`. */
export class Pace {
  /** When all free slots were filled last. */
  #filledAt = -Infinity;
  /** While the operator's proxy fails (WH7): when one delivery may try it again. */
  #proxyRestsUntil: number | null = null;

  note({ proxyFault }: Pick<Outcome, 'proxyFault'>): void {
    this.#proxyRestsUntil = proxyFault === undefined ? null : performance.now() + PROXY_REST_MS;
  }

  leased(count: number, { limit }: Room): void {
    this.#filledAt = count === limit ? performance.now() : -Infinity;
  }

  /** What waits need not be tried one by one to know that the proxy is away. */
  narrow(room: Room, posting: number): void {
    if (this.#proxyRestsUntil !== null) room.limit = Math.min(1 - posting, room.limit);
  }

  /** How long nothing is to be leased, in ms. */
  waitMs({ limit }: Room): number {
    const until = this.#proxyRestsUntil ?? (limit < FEW_SLOTS ? this.#filledAt + FEW_WAIT_MS : -Infinity);
    return Math.max(0, until - performance.now());
  }
}
