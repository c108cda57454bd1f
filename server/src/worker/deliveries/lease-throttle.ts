// Throttles leasing: behind a backlog, free permits wait for a full batch, and a failing proxy is not tried by every
// delivery (WH7).
import type { Outcome } from '../../domain/webhooks/webhook-attempt.ts';
import type { Room } from './delivery-rows.ts';

/**
 * Behind a backlog, free permits wait until half of those filled last are free, but at most this long: each lease has a
 * cost.
 */
const WAIT_MS = 25;
/** While the proxy fails, one delivery tries it at this interval. */
const PROXY_REST_MS = 2000;

/** By `performance.now()`. */
export class LeaseThrottle {
  /** When permits were last filled to the limit, and how many were in use then. */
  #filled = { at: -Infinity, posting: 0 };
  /** While the operator's proxy fails (WH7): when one delivery may try it again. */
  #proxyRestsUntil: number | null = null;

  note({ proxyFault }: Pick<Outcome, 'proxyFault'>): void {
    this.#proxyRestsUntil = proxyFault === undefined ? null : performance.now() + PROXY_REST_MS;
  }

  /** `posting` permits are in use after a lease; `backlog`: it reached the limit, so more is probably due. */
  leased({ posting, backlog }: { posting: number; backlog: boolean }): void {
    this.#filled = { at: backlog ? performance.now() : -Infinity, posting };
  }

  /** Pending deliveries need not be tried one by one to see that the proxy fails. */
  narrow(room: Room): void {
    if (this.#proxyRestsUntil !== null) room.limit = Math.min(1 - room.posting, room.limit);
  }

  /** How long to wait before the next lease, in ms. */
  waitMs({ posting }: Pick<Room, 'posting'>): number {
    const company = posting > this.#filled.posting / 2 ? this.#filled.at + WAIT_MS : -Infinity;
    return Math.max(0, (this.#proxyRestsUntil ?? company) - performance.now());
  }

  /** Whether there is a known backlog. */
  get isBehind(): boolean {
    return performance.now() - this.#filled.at < WAIT_MS;
  }
}
