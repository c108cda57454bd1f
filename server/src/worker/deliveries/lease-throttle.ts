// How fast a deliverer fills its slots: behind a backlog free ones wait for company, and a proxy that is away is not asked by everything that waits (WH7).
import type { Outcome } from '../../domain/webhooks/webhook-attempt.ts';
import type { Room } from './delivery-rows.ts';

/** Behind a backlog free slots wait for others to become free, until half of those that were filled last are, for so long at most: each lease has its price. */
const WAIT_MS = 25;
/** While the proxy is away one delivery tries it, this often: what waits makes no more attempts than that. */
const PROXY_REST_MS = 2000;

/** By `performance.now()`. */
export class LeaseThrottle {
  /** When slots were last filled as far as they may be, and how many were taken then. */
  #filled = { at: -Infinity, posting: 0 };
  /** While the operator's proxy fails (WH7): when one delivery may try it again. */
  #proxyRestsUntil: number | null = null;

  note({ proxyFault }: Pick<Outcome, 'proxyFault'>): void {
    this.#proxyRestsUntil = proxyFault === undefined ? null : performance.now() + PROXY_REST_MS;
  }

  /** `posting` are taken after a lease; `backlog`: as many as may be, so that more is likely due. */
  leased({ posting, backlog }: { posting: number; backlog: boolean }): void {
    this.#filled = { at: backlog ? performance.now() : -Infinity, posting };
  }

  /** What waits need not be tried one by one to know that the proxy is away. */
  narrow(room: Room): void {
    if (this.#proxyRestsUntil !== null) room.limit = Math.min(1 - room.posting, room.limit);
  }

  /** How long nothing is to be leased, in ms. */
  waitMs({ posting }: Pick<Room, 'posting'>): number {
    const company = posting > this.#filled.posting / 2 ? this.#filled.at + WAIT_MS : -Infinity;
    return Math.max(0, (this.#proxyRestsUntil ?? company) - performance.now());
  }

  /** Whether there is a backlog, as far as is known. */
  get isBehind(): boolean {
    return performance.now() - this.#filled.at < WAIT_MS;
  }
}
