// Requests that wait for a final decision: limited in number, woken by the event, released on abort and shutdown.
import { OPEN_STATUSES } from '@countersign/shared/enums';
import type { Database } from '../../db/database.ts';

/** One waiting request. A request above the limits is answered at once (PW1). */
export interface Waiter {
  /** Resolves when the item is final (LC2), after `seconds`, on abort or at shutdown: the caller then reads it again. */
  until(itemId: string, seconds: number, signal: AbortSignal): Promise<void>;
  leave(): void;
}

export interface Waiters {
  /** Null when this key, its owner or the process has reached its limit. */
  take(who: { keyId: string; ownerId: string }): Waiter | null;
  /** Wakes the requests whose item has become final; called when `item.finalized` or `item.withdrawn` is notified. */
  runOnce(): Promise<void>;
  /** Releases the requests of this key: it is no longer valid (K4). */
  releaseByKey(keyId: string): void;
  /** Releases all requests; later ones do not wait at all. */
  close(): void;
  /** How many requests are waiting. */
  readonly taken: number;
}

export interface WaiterLimits {
  perKey: number;
  /** All projects and keys of one owner together: a tenth of the process's limit (PW2). */
  perOwner: number;
  perProcess: number;
}

const LIMITS: WaiterLimits = { perKey: 100, perOwner: 500, perProcess: 5000 };

export function createWaiters(db: Database, limits = LIMITS): Waiters {
  return new WaiterRegistry(db, limits);
}

class WaiterRegistry implements Waiters {
  readonly #db: Database;
  readonly #limits: WaiterLimits;
  /** Waiting requests, by key and by owner; both ids are UUIDs, so one map is enough. */
  readonly #counts = new Map<string, number>();
  /** The wake functions by item, each with the key of its request. */
  readonly #wakes = new Map<string, Map<() => void, string>>();
  #closed = false;
  taken = 0;

  constructor(db: Database, limits: WaiterLimits) {
    this.#db = db;
    this.#limits = limits;
  }

  take({ keyId, ownerId }: { keyId: string; ownerId: string }): Waiter | null {
    const { perKey, perOwner, perProcess } = this.#limits;
    if (this.#of(keyId) >= perKey || this.#of(ownerId) >= perOwner || this.taken >= perProcess) return null;
    const count = (change: 1 | -1) => {
      this.taken += change;
      for (const id of [keyId, ownerId]) {
        const next = this.#of(id) + change;
        if (next === 0) this.#counts.delete(id);
        else this.#counts.set(id, next);
      }
    };
    count(1);
    let left = false;
    const leave = () => {
      if (!left) count(-1);
      left = true;
    };
    return { until: (...args) => this.#until(keyId, ...args), leave };
  }

  #of(id: string): number {
    return this.#counts.get(id) ?? 0;
  }

  async #until(keyId: string, ...[itemId, seconds, signal]: Parameters<Waiter['until']>): Promise<void> {
    if (this.#closed || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, seconds * 1000);
    const wakes = this.#wakes.get(itemId) ?? new Map<() => void, string>();
    this.#wakes.set(itemId, wakes.set(resolve, keyId));
    signal.addEventListener('abort', () => resolve(), { once: true });
    // The item may have become final just before. If this query fails, the loop will find it.
    this.#wakeFinal([itemId]).catch(() => undefined);
    await promise;
    clearTimeout(timer);
    wakes.delete(resolve);
    if (wakes.size === 0) this.#wakes.delete(itemId);
  }

  runOnce(): Promise<void> {
    return this.#wakeFinal([...this.#wakes.keys()]);
  }

  async #wakeFinal(itemIds: string[]): Promise<void> {
    if (itemIds.length === 0) return;
    const rows = await this.#db.read((em) =>
      em.execute<{ id: string }[]>(
        `select id from item where id = any(?::uuid[]) and public_status is null and status not in (${OPEN})`,
        [`{${itemIds.join(',')}}`],
      ),
    );
    for (const { id } of rows) this.#wake(this.#wakes.get(id));
  }

  releaseByKey(keyId: string): void {
    for (const wakes of this.#wakes.values()) this.#wake(wakes, (waitsBy) => waitsBy === keyId);
  }

  #wake(wakes: Map<() => void, string> | undefined, which = (_keyId: string) => true): void {
    for (const [wake, keyId] of wakes ?? []) if (which(keyId)) wake();
  }

  close(): void {
    this.#closed = true;
    for (const wakes of this.#wakes.values()) this.#wake(wakes);
  }
}

const OPEN = OPEN_STATUSES.map((status) => `'${status}'`).join(', ');
