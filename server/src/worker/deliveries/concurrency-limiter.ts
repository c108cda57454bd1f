// Limits the concurrent POSTs of this process: in total, for retries, and with permits reserved for deliveries that are
// being written.
import { fitting, type Leased, type Room } from './delivery-rows.ts';
import { LeaseThrottle } from './lease-throttle.ts';
import type { NewDelivery } from './write-deliveries.ts';

/** Maximum number of concurrent POSTs of this process, and how many of them may be retries. */
const MAX_CONCURRENT_POSTS = 128;
const MAX_CONCURRENT_RETRIES = 85;
/** One lease takes at most half of the permits: the next one is prepared while these are sent. */
export const MOST_LEASED = MAX_CONCURRENT_POSTS / 2;
/** Including those whose result is not recorded yet: a slow database must not accumulate more and more of them. */
const MAX_UNFINISHED = 2 * MAX_CONCURRENT_POSTS;

/** The holder of a permit: a leased delivery, or one that is being written for its first attempt. */
export type Permit = Pick<Leased, 'projectId' | 'attempt' | 'scheduleFrom'>;

export class ConcurrencyLimiter {
  readonly throttle = new LeaseThrottle();
  readonly #taken = new Set<Permit>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #onFree: (atOnce: boolean) => void;
  /** A search for due deliveries to fill the free permits is running. */
  #filling = false;

  /** `onFree` is called whenever there may be room again; `atOnce` when a backlog has waited for enough of it. */
  constructor(onFree: (atOnce: boolean) => void) {
    this.#onFree = onFree;
  }

  take(permit: Permit): void {
    this.#taken.add(permit);
  }

  /** The delivery has its own permit by now: nothing became free. */
  leave(permit: Permit): void {
    this.#taken.delete(permit);
  }

  /** No effect on a released permit. */
  free(permit: Permit): void {
    if (this.#taken.delete(permit)) this.#tellFree();
  }

  /** Has exclusive use of the free permits until `fill` settles. */
  async toFill<T>(fill: () => Promise<T>): Promise<T> {
    this.#filling = true;
    try {
      return await fill();
    } finally {
      this.#filling = false;
    }
  }

  /** Reserves a permit for each of these that there is room for; returns which one each has. */
  reserve(fresh: readonly NewDelivery[]): Map<string, Permit> {
    const room = this.room();
    // When there is little room, due deliveries that wait for a full batch take precedence.
    const isTaken = this.#filling || (room.limit < MAX_CONCURRENT_POSTS / 2 && this.throttle.waitMs(room) > 0);
    const fit = isTaken ? [] : fitting(fresh, room);
    const reserved = fit.map(({ id, projectId }): [string, Permit] => [id, { projectId, attempt: 1, scheduleFrom: 0 }]);
    for (const [, permit] of reserved) this.take(permit);
    return new Map(reserved);
  }

  /** What may start now. */
  room(): Room {
    const counts = new Map<string, number>();
    for (const { projectId } of this.#taken) counts.set(projectId, (counts.get(projectId) ?? 0) + 1);
    const retrying = [...this.#taken].filter(({ attempt, scheduleFrom }) => attempt - scheduleFrom > 1).length;
    const room = {
      limit: Math.min(MAX_CONCURRENT_POSTS - this.#taken.size, MAX_UNFINISHED - this.#underWay.size),
      posting: this.#taken.size,
      retries: Math.max(0, MAX_CONCURRENT_RETRIES - retrying),
      inFlight: counts,
    };
    this.throttle.narrow(room);
    return room;
  }

  /** Tracks work that never fails until it settles. */
  follow(work: Promise<void>): void {
    const followed = work.finally(() => {
      this.#underWay.delete(followed);
      this.#tellFree();
    });
    this.#underWay.add(followed);
  }

  /** More deliveries are probably due. */
  requestFill(): void {
    this.#onFree(true);
  }

  /** Notifies the waiting run when enough permits are free. */
  #tellFree(): void {
    const behind = this.throttle.isBehind;
    if (!behind || this.throttle.waitMs({ posting: this.#taken.size }) === 0) this.#onFree(behind);
  }

  /** Waits for all tracked work. */
  async drain(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }
}
