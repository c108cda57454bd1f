// Requests that wait for a final decision: bounded, woken by the fact, let go on abort and at shutdown.
import { OPEN_STATUSES } from '@countersign/shared/enums';
import type { Database } from '../../db/database.ts';

/** A place to wait. Who gets none is answered at once (PW1). */
export interface Waiter {
  /** Resolves when the item is final (LC2), after `seconds`, on abort or at shutdown: look again then. */
  until(itemId: string, seconds: number, signal: AbortSignal): Promise<void>;
  leave(): void;
}

export interface Waiters {
  /** Null when every place that this key, its owner or the process has is taken. */
  take(who: { keyId: string; ownerId: string }): Waiter | null;
  /** Wakes those whose item has become final; for a loop that is nudged by `item.finalized`. */
  runOnce(): Promise<void>;
  /** Lets those go who wait with this key: it is good no more (K4). */
  releaseByKey(keyId: string): void;
  /** Lets everybody go; later ones do not wait at all. */
  close(): void;
  /** How many seats are taken. */
  readonly taken: number;
}

export interface WaiterLimits {
  perKey: number;
  /** All projects of one owner together, who may have any number of them and of keys: a tenth of the process's (PW2). */
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
  /** Seats taken, by key and by owner; ids of both are UUIDs, so one table does. */
  readonly #counts = new Map<string, number>();
  /** Who waits for which item, each with the key it waits by. */
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
    // It may have become final just before anybody waited for it. If nobody can tell now, the loop will.
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
