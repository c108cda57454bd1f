// The POSTs that this process may make at once: how many in all, how many of them retries, and what is kept for what is being written.
import { fitting, type Leased, type Room } from './delivery-rows.ts';
import { LeaseThrottle } from './lease-throttle.ts';
import type { NewDelivery } from './write-deliveries.ts';

/** POSTs under way at once, in this process, and how many of them may be retries. */
const MAX_CONCURRENT_POSTS = 128;
const MAX_CONCURRENT_RETRIES = 85;
/** One lease takes half of them at most: the next is on its way while these are sent. */
export const MOST_LEASED = MAX_CONCURRENT_POSTS / 2;
/** With those whose end is still to be written down: a slow database must not make more and more of them. */
const MAX_UNFINISHED = 2 * MAX_CONCURRENT_POSTS;

/** Who has a slot: a leased delivery, or one that is being written and will be its first attempt. */
export type Permit = Pick<Leased, 'projectId' | 'attempt' | 'scheduleFrom'>;

export class ConcurrencyLimiter {
  readonly throttle = new LeaseThrottle();
  readonly #taken = new Set<Permit>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #onFree: (atOnce: boolean) => void;
  /** Somebody looks for what is due to fill the free ones. */
  #filling = false;

  /** `onFree` is called whenever there may be room again; `atOnce`: what is behind has waited for so much of it. */
  constructor(onFree: (atOnce: boolean) => void) {
    this.#onFree = onFree;
  }

  take(permit: Permit): void {
    this.#taken.add(permit);
  }

  /** Its delivery has one of its own by now: nothing became free. */
  leave(permit: Permit): void {
    this.#taken.delete(permit);
  }

  /** Nothing happens to one that is free already. */
  free(permit: Permit): void {
    if (this.#taken.delete(permit)) this.#tellFree();
  }

  /** Has the free slots to itself until `fill` is over. */
  async toFill<T>(fill: () => Promise<T>): Promise<T> {
    this.#filling = true;
    try {
      return await fill();
    } finally {
      this.#filling = false;
    }
  }

  /** Takes a slot for each of these that there is room for now; answers who has which. */
  reserve(fresh: readonly NewDelivery[]): Map<string, Permit> {
    const room = this.room();
    // What is due and waits for company comes first, where there is little room.
    const isTaken = this.#filling || (room.limit < MAX_CONCURRENT_POSTS / 2 && this.throttle.waitMs(room) > 0);
    const fit = isTaken ? [] : fitting(fresh, room);
    const reserved = fit.map(({ id, projectId }): [string, Permit] => [id, { projectId, attempt: 1, scheduleFrom: 0 }]);
    for (const [, permit] of reserved) this.take(permit);
    return new Map(reserved);
  }

  /** What may begin now. */
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

  /** Counts work that never fails as under way until it is over. */
  follow(work: Promise<void>): void {
    const followed = work.finally(() => {
      this.#underWay.delete(followed);
      this.#tellFree();
    });
    this.#underWay.add(followed);
  }

  /** More is likely due. */
  requestFill(): void {
    this.#onFree(true);
  }

  /** Who waits for company is told when it is there. */
  #tellFree(): void {
    const behind = this.throttle.isBehind;
    if (!behind || this.throttle.waitMs({ posting: this.#taken.size }) === 0) this.#onFree(behind);
  }

  /** Waits for all that is under way. */
  async drain(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }
}
