// The POSTs that this process may make at once: how many in all, how many of them retries, and what is kept for what is being written.
import { fitting, type Leased, type Room } from './delivery-rows.ts';
import { Pace } from './pace.ts';
import type { NewDelivery } from './write-deliveries.ts';

/** POSTs under way at once, in this process, and how many of them may be retries. */
const SLOTS = 128;
const RETRY_SLOTS = 85;
/** One lease takes half of them at most: the next is on its way while these are sent. */
export const MOST_LEASED = SLOTS / 2;
/** With those whose end is still to be written down: a slow database must not make more and more of them. */
const MOST_UNDER_WAY = 2 * SLOTS;

/** Who has a slot: a leased delivery, or one that is being written and will be its first attempt. */
export type Seat = Pick<Leased, 'projectId' | 'attempt' | 'scheduleFrom'>;

export class Slots {
  readonly pace = new Pace();
  readonly #taken = new Set<Seat>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #onFree: (atOnce: boolean) => void;
  /** Somebody looks for what is due to fill the free ones. */
  #filling = false;

  /** `onFree` is called whenever there may be room again; `atOnce`: what is behind has waited for so much of it. */
  constructor(onFree: (atOnce: boolean) => void) {
    this.#onFree = onFree;
  }

  take(seat: Seat): void {
    this.#taken.add(seat);
  }

  /** Its delivery has one of its own by now: nothing became free. */
  leave(seat: Seat): void {
    this.#taken.delete(seat);
  }

  /** Nothing happens to one that is free already. */
  free(seat: Seat): void {
    if (this.#taken.delete(seat)) this.#tellFree();
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
  keep(fresh: readonly NewDelivery[]): Map<string, Seat> {
    const room = this.room();
    // What is due and waits for company comes first, where there is little room.
    const isTaken = this.#filling || (room.limit < SLOTS / 2 && this.pace.waitMs(room) > 0);
    const fit = isTaken ? [] : fitting(fresh, room);
    const kept = fit.map(({ id, projectId }): [string, Seat] => [id, { projectId, attempt: 1, scheduleFrom: 0 }]);
    for (const [, seat] of kept) this.take(seat);
    return new Map(kept);
  }

  /** What may begin now. */
  room(): Room {
    const counts = new Map<string, number>();
    for (const { projectId } of this.#taken) counts.set(projectId, (counts.get(projectId) ?? 0) + 1);
    const retrying = [...this.#taken].filter(({ attempt, scheduleFrom }) => attempt - scheduleFrom > 1).length;
    const room = {
      limit: Math.min(SLOTS - this.#taken.size, MOST_UNDER_WAY - this.#underWay.size),
      posting: this.#taken.size,
      retries: Math.max(0, RETRY_SLOTS - retrying),
      inFlight: counts,
    };
    this.pace.narrow(room);
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
  look(): void {
    this.#onFree(true);
  }

  /** Who waits for company is told when it is there. */
  #tellFree(): void {
    const behind = this.pace.isBehind;
    if (!behind || this.pace.waitMs({ posting: this.#taken.size }) === 0) this.#onFree(behind);
  }

  /** Waits for all that is under way. */
  async drain(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }
}
