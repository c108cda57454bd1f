// Bytes that clients make this process hold: counted by owner and in all, and who waits for room (MB1, MB2).
import { Refusal } from '@countersign/shared/errors';

/** Whom bytes count for. Whoever sent neither key nor session is a stranger, and has less room. */
export interface Owner {
  name: string;
  stranger: boolean;
}

export interface MemoryLimits {
  /** Bytes. */
  perProcess: number;
  perOwner: number;
  perStranger: number;
  /** How many may wait for room, and for how long, in ms. */
  waitingPerOwner: number;
  waitingPerProcess: number;
  waitMs: number;
  /** How long one may keep room that others of the same owner wait for, in ms. */
  staleMs: number;
}

/** The other end: says once that it has gone. */
export interface Client {
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

interface OwnerUsage {
  readonly name: string;
  readonly most: number;
  bytes: number;
  /** In the order in which they came. */
  readonly reservations: Set<Reservation>;
  readonly waiting: Set<Waiting>;
}

interface Waiting {
  readonly bytes: number;
  grant(reservation: Reservation): void;
  refuse(): void;
}

/** Room for some bytes, until it is left. */
export class Reservation {
  bytes = 0;
  /** When it began to be what may give way, in ms. */
  evictableSince = Infinity;
  /** Ends what holds the room; null while it must not be ended. */
  evict: (() => void) | null = null;
  readonly #budget: { now: () => number; has: (more: number) => boolean; change: (bytes: number) => void };
  #released = false;

  constructor(budget: { now: () => number; has: (more: number) => boolean; change: (bytes: number) => void }) {
    this.#budget = budget;
  }

  /** From now on it may have to give way; `slowly`: not because it takes long. */
  makeEvictable(evict: () => void, { slowly = false } = {}): void {
    this.evict = evict;
    this.evictableSince = slowly ? Infinity : this.#budget.now();
  }

  /** What holds it must not be ended any more. */
  pin(): void {
    this.evict = null;
  }

  /** Counts as so many bytes from now on. False, and as before, where there is no room for them. */
  resize(bytes: number): boolean {
    if (bytes > this.bytes && !this.#budget.has(bytes - this.bytes)) return false;
    this.force(bytes);
    return true;
  }

  /** The same, whether or not there is room: for what is there already and cannot be refused any more. */
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
  /** Those of whom somebody waits; who got room last is last. */
  readonly #queue = new Set<OwnerUsage>();
  #waiting = 0;
  /** Bytes held now. */
  taken = 0;

  constructor(limits: MemoryLimits, now = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Who waits for room now. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Room for so many bytes, at once or when others have left (MB2). Whoever keeps an owner's room too long gives way to the same
   * owner; when the process is full, whoever has most gives way to whoever has less. Without a `client` nobody
   * waits. Errors: `unavailable`.
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

  /** The same, or null where one would have to wait. */
  tryReserve(owner: Owner, bytes: number): Reservation | null {
    const usage = this.#usageOf(owner);
    return this.#makeAvailable(usage, bytes) ? this.#grant(usage, bytes) : null;
  }

  /** Too many wait: the last of whoever has most of them is refused for one of whoever has fewer, so no crowd keeps others out. */
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

  /** Whatever somebody asks for alone is small enough. */
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

  /** The first to go of whoever holds most, and more than `least`. */
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
    // Whoever was too new to give way when it began to wait may not be so any more.
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

  /** Room was left: first for whoever has least of it, and of these for whoever has got none for longest. */
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
    'Too much is under way: take your answers, end your requests, then go on with fewer at once.',
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
