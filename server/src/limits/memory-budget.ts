// The memory that clients occupy in this process: counted per owner and in total, with a queue for more (MB1, MB2).
import { Refusal } from '@countersign/shared/errors';

/** The owner that bytes count for. A client without a key or session is a stranger, with a lower limit. */
export interface Owner {
  name: string;
  stranger: boolean;
}

export interface MemoryLimits {
  /** Bytes. */
  perProcess: number;
  perOwner: number;
  perStranger: number;
  /** How many requests may wait for memory, and for how long, in ms. */
  waitingPerOwner: number;
  waitingPerProcess: number;
  waitMs: number;
  /** How long memory may be held while others of the same owner wait for it, in ms. */
  staleMs: number;
}

/** The client side: emits an event when it disconnects. */
export interface Client {
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

interface OwnerUsage {
  readonly name: string;
  readonly most: number;
  bytes: number;
  /** In order of creation. */
  readonly reservations: Set<Reservation>;
  readonly waiting: Set<Waiting>;
}

interface Waiting {
  readonly bytes: number;
  grant(reservation: Reservation): void;
  refuse(): void;
}

/** A reservation of memory until it is released. */
export class Reservation {
  bytes = 0;
  /** When it became evictable, in ms. */
  evictableSince = Infinity;
  /** Ends the holder of the memory; null while it must not be ended. */
  evict: (() => void) | null = null;
  readonly #budget: { now: () => number; has: (more: number) => boolean; change: (bytes: number) => void };
  #released = false;

  constructor(budget: { now: () => number; has: (more: number) => boolean; change: (bytes: number) => void }) {
    this.#budget = budget;
  }

  /** Makes it evictable from now on; `slowly`: its duration alone is no reason. */
  makeEvictable(evict: () => void, { slowly = false } = {}): void {
    this.evict = evict;
    this.evictableSince = slowly ? Infinity : this.#budget.now();
  }

  /** Its holder must not be ended from now on. */
  pin(): void {
    this.evict = null;
  }

  /** Changes its size. Returns false, without a change, if there is not enough memory. */
  resize(bytes: number): boolean {
    if (bytes > this.bytes && !this.#budget.has(bytes - this.bytes)) return false;
    this.force(bytes);
    return true;
  }

  /** The same regardless of the limit: for data that already exists and cannot be refused. */
  force(bytes: number): void {
    if (!this.#released) this.#budget.change(bytes);
  }

  leave(): void {
    if (this.#released) return;
    this.evict = null;
    this.#budget.change(0);
    this.#released = true;
  }
}

export class MemoryBudget {
  readonly #limits: MemoryLimits;
  readonly #now: () => number;
  readonly #usages = new Map<string, OwnerUsage>();
  /** Owners with waiting requests; the most recently served owner is last. */
  readonly #queue = new Set<OwnerUsage>();
  #waiting = 0;
  /** Reserved bytes. */
  taken = 0;

  constructor(limits: MemoryLimits, now = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** The number of waiting requests. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Reserves this many bytes, immediately or when others are released (MB2). An owner who holds memory too long is
   * evicted for the same owner; when the process is full, the owner with the most is evicted for one with less. Without
   * a `client` the call never waits. Errors: `unavailable`.
   */
  enter(owner: Owner, bytes: number, client: Client | null): Reservation | Promise<Reservation> {
    const now = this.tryReserve(owner, bytes);
    if (now !== null) return now;
    const usage = this.#usageOf(owner);
    const { waitingPerOwner, waitingPerProcess } = this.#limits;
    if (client === null || usage.waiting.size >= waitingPerOwner) throw budgetExhausted();
    if (this.#waiting >= waitingPerProcess && !this.#refuseFromLargest(usage)) throw budgetExhausted();
    return this.#wait(usage, bytes, client);
  }

  /** The same, or null where the request would have to wait. */
  tryReserve(owner: Owner, bytes: number): Reservation | null {
    const usage = this.#usageOf(owner);
    return this.#makeAvailable(usage, bytes) ? this.#grant(usage, bytes) : null;
  }

  /**
   * Too many requests wait: the newest one of the owner with the most is refused in favour of an owner with fewer, so
   * no crowd blocks others.
   */
  #refuseFromLargest(usage: OwnerUsage): boolean {
    const larger = [...this.#queue].filter(({ waiting }) => waiting.size > usage.waiting.size + 1);
    const largest = larger.reduce<OwnerUsage | null>(
      (most, one) => (most && most.waiting.size >= one.waiting.size ? most : one),
      null,
    );
    [...(largest?.waiting ?? [])].at(-1)?.refuse();
    return largest !== null;
  }

  #usageOf({ name, stranger }: Owner): OwnerUsage {
    const known = this.#usages.get(name);
    if (known !== undefined) return known;
    const { perOwner, perStranger } = this.#limits;
    return { name, most: stranger ? perStranger : perOwner, bytes: 0, reservations: new Set(), waiting: new Set() };
  }

  #grant(usage: OwnerUsage, bytes: number): Reservation {
    const reservation: Reservation = new Reservation({
      now: this.#now,
      has: (more) => this.#makeAvailable(usage, more, reservation),
      change: (now) => this.#change(usage, reservation, now),
    });
    this.#usages.set(usage.name, usage);
    usage.reservations.add(reservation);
    this.#change(usage, reservation, bytes);
    return reservation;
  }

  #change(usage: OwnerUsage, reservation: Reservation, bytes: number): void {
    const more = bytes - reservation.bytes;
    reservation.bytes = bytes;
    usage.bytes += more;
    this.taken += more;
    if (bytes === 0) usage.reservations.delete(reservation);
    if (more < 0) this.#wake();
    this.#forget(usage);
  }

  #forget(usage: OwnerUsage): void {
    if (usage.reservations.size === 0 && usage.waiting.size === 0) this.#usages.delete(usage.name);
  }

  /** A single request never exceeds the limit of its owner. */
  #fitsOwner(usage: OwnerUsage, bytes: number): boolean {
    return usage.bytes === 0 || usage.bytes + bytes <= usage.most;
  }

  #fitsProcess(bytes: number): boolean {
    return this.taken === 0 || this.taken + bytes <= this.#limits.perProcess;
  }

  #makeAvailable(usage: OwnerUsage, bytes: number, but?: Reservation): boolean {
    while (!this.#fitsOwner(usage, bytes)) {
      const first = firstEvictable(usage, but);
      if (first === undefined || this.#now() - first.evictableSince < this.#limits.staleMs) return false;
      evictReservation(first);
    }
    while (!this.#fitsProcess(bytes)) {
      const first = this.#evictionCandidate(usage.bytes + bytes, but);
      if (first === undefined) return false;
      evictReservation(first);
    }
    return true;
  }

  /** The first evictable reservation of the owner who holds the most, and more than `least`. */
  #evictionCandidate(least: number, but?: Reservation): Reservation | undefined {
    let found: Reservation | undefined;
    let most = least;
    for (const usage of this.#usages.values()) {
      const first = usage.bytes > most ? firstEvictable(usage, but) : undefined;
      if (first === undefined) continue;
      found = first;
      most = usage.bytes;
    }
    return found;
  }

  #wait(usage: OwnerUsage, bytes: number, client: Client): Promise<Reservation> {
    const { promise, resolve, reject } = Promise.withResolvers<Reservation>();
    const done = () => {
      clearTimeout(timer);
      client.off('close', refuse);
      usage.waiting.delete(waiting);
      this.#waiting -= 1;
      if (usage.waiting.size === 0) this.#queue.delete(usage);
    };
    const refuse = () => {
      done();
      this.#forget(usage);
      reject(budgetExhausted());
    };
    const waiting: Waiting = { bytes, grant: (reservation) => (done(), resolve(reservation)), refuse };
    // A reservation that was too new to be evicted at the start of the wait may be old enough now.
    const timer = setTimeout(
      () => (this.#makeAvailable(usage, bytes) ? waiting.grant(this.#grant(usage, bytes)) : refuse()),
      this.#limits.waitMs,
    );
    client.once('close', refuse);
    this.#usages.set(usage.name, usage);
    usage.waiting.add(waiting);
    this.#queue.add(usage);
    this.#waiting += 1;
    return promise;
  }

  /** Memory was released: it goes to the owner with the least, and among equals to the one served longest ago. */
  #wake(): void {
    if (this.#queue.size === 0) return;
    for (const usage of [...this.#queue].sort((one, other) => one.bytes - other.bytes)) this.#grantWaiting(usage);
  }

  #grantWaiting(usage: OwnerUsage): void {
    for (const waiting of usage.waiting) {
      if (!this.#fitsOwner(usage, waiting.bytes) || !this.#fitsProcess(waiting.bytes)) return;
      waiting.grant(this.#grant(usage, waiting.bytes));
      if (this.#queue.delete(usage)) this.#queue.add(usage);
    }
  }
}

const budgetExhausted = () =>
  new Refusal(
    'unavailable',
    'Too many requests in progress: read your responses or end your requests, then continue with fewer at once.',
    {
      retryAfter: 1,
    },
  );

function firstEvictable(usage: OwnerUsage, but: Reservation | undefined): Reservation | undefined {
  for (const reservation of usage.reservations)
    if (reservation.evict !== null && reservation !== but) return reservation;
  return undefined;
}

function evictReservation(reservation: Reservation): void {
  const { evict } = reservation;
  reservation.leave();
  evict?.();
}
