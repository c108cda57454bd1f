// Bytes that clients make this process hold: counted by owner and in all, and who waits for room (MB1, MB2).
import { Refusal } from '@countersign/shared/errors';

/** Whom bytes count for. Whoever sent neither key nor session is a stranger, and has less room. */
export interface Owner {
  name: string;
  stranger: boolean;
}

export interface RoomLimits {
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

interface Holder {
  readonly name: string;
  readonly most: number;
  bytes: number;
  /** In the order in which they came. */
  readonly places: Set<Place>;
  readonly waiting: Set<Waiting>;
}

interface Waiting {
  readonly bytes: number;
  seat(place: Place): void;
  refuse(): void;
}

/** Room for some bytes, until it is left. */
export class Place {
  bytes = 0;
  /** When it began to be what may give way, in ms. */
  since = Infinity;
  /** Ends what holds the room; null while it must not be ended. */
  giveWay: (() => void) | null = null;
  readonly #room: { now: () => number; has: (more: number) => boolean; change: (bytes: number) => void };
  #left = false;

  constructor(room: { now: () => number; has: (more: number) => boolean; change: (bytes: number) => void }) {
    this.#room = room;
  }

  /** From now on it may have to give way; `slowly`: not because it takes long. */
  mayGo(giveWay: () => void, { slowly = false } = {}): void {
    this.giveWay = giveWay;
    this.since = slowly ? Infinity : this.#room.now();
  }

  /** What holds it must not be ended any more. */
  mustStay(): void {
    this.giveWay = null;
  }

  /** Counts as so many bytes from now on. False, and as before, where there is no room for them. */
  resize(bytes: number): boolean {
    if (bytes > this.bytes && !this.#room.has(bytes - this.bytes)) return false;
    this.force(bytes);
    return true;
  }

  /** The same, whether or not there is room: for what is there already and cannot be refused any more. */
  force(bytes: number): void {
    if (!this.#left) this.#room.change(bytes);
  }

  leave(): void {
    if (this.#left) return;
    this.giveWay = null;
    this.#room.change(0);
    this.#left = true;
  }
}

export class Room {
  readonly #limits: RoomLimits;
  readonly #now: () => number;
  readonly #holders = new Map<string, Holder>();
  /** Those of whom somebody waits; who got room last is last. */
  readonly #queue = new Set<Holder>();
  #waiting = 0;
  /** Bytes held now. */
  taken = 0;

  constructor(limits: RoomLimits, now = () => performance.now()) {
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
  enter(owner: Owner, bytes: number, client: Client | null): Place | Promise<Place> {
    const now = this.enterNow(owner, bytes);
    if (now !== null) return now;
    const holder = this.#holderOf(owner);
    const { waitingPerOwner, waitingPerProcess } = this.#limits;
    if (client === null || holder.waiting.size >= waitingPerOwner) throw noRoom();
    if (this.#waiting >= waitingPerProcess && !this.#thinOut(holder)) throw noRoom();
    return this.#wait(holder, bytes, client);
  }

  /** The same, or null where one would have to wait. */
  enterNow(owner: Owner, bytes: number): Place | null {
    const holder = this.#holderOf(owner);
    return this.#makeRoom(holder, bytes) ? this.#seat(holder, bytes) : null;
  }

  /** Too many wait: the last of whoever has most of them is refused for one of whoever has fewer, so no crowd keeps others out. */
  #thinOut(holder: Holder): boolean {
    const crowds = [...this.#queue].filter(({ waiting }) => waiting.size > holder.waiting.size + 1);
    const crowd = crowds.reduce<Holder | null>(
      (most, one) => (most && most.waiting.size >= one.waiting.size ? most : one),
      null,
    );
    [...(crowd?.waiting ?? [])].at(-1)?.refuse();
    return crowd !== null;
  }

  #holderOf({ name, stranger }: Owner): Holder {
    const known = this.#holders.get(name);
    if (known !== undefined) return known;
    const { perOwner, perStranger } = this.#limits;
    return { name, most: stranger ? perStranger : perOwner, bytes: 0, places: new Set(), waiting: new Set() };
  }

  #seat(holder: Holder, bytes: number): Place {
    const place: Place = new Place({
      now: this.#now,
      has: (more) => this.#makeRoom(holder, more, place),
      change: (now) => this.#change(holder, place, now),
    });
    this.#holders.set(holder.name, holder);
    holder.places.add(place);
    this.#change(holder, place, bytes);
    return place;
  }

  #change(holder: Holder, place: Place, bytes: number): void {
    const more = bytes - place.bytes;
    place.bytes = bytes;
    holder.bytes += more;
    this.taken += more;
    if (bytes === 0) holder.places.delete(place);
    if (more < 0) this.#wake();
    this.#forget(holder);
  }

  #forget(holder: Holder): void {
    if (holder.places.size === 0 && holder.waiting.size === 0) this.#holders.delete(holder.name);
  }

  /** Whatever somebody asks for alone is small enough. */
  #hasOwn(holder: Holder, bytes: number): boolean {
    return holder.bytes === 0 || holder.bytes + bytes <= holder.most;
  }

  #hasAny(bytes: number): boolean {
    return this.taken === 0 || this.taken + bytes <= this.#limits.perProcess;
  }

  #makeRoom(holder: Holder, bytes: number, but?: Place): boolean {
    while (!this.#hasOwn(holder, bytes)) {
      const first = firstToGo(holder, but);
      if (first === undefined || this.#now() - first.since < this.#limits.staleMs) return false;
      dismiss(first);
    }
    while (!this.#hasAny(bytes)) {
      const first = this.#heaviest(holder.bytes + bytes, but);
      if (first === undefined) return false;
      dismiss(first);
    }
    return true;
  }

  /** The first to go of whoever holds most, and more than `least`. */
  #heaviest(least: number, but?: Place): Place | undefined {
    let found: Place | undefined;
    let most = least;
    for (const holder of this.#holders.values()) {
      const first = holder.bytes > most ? firstToGo(holder, but) : undefined;
      if (first === undefined) continue;
      found = first;
      most = holder.bytes;
    }
    return found;
  }

  #wait(holder: Holder, bytes: number, client: Client): Promise<Place> {
    const { promise, resolve, reject } = Promise.withResolvers<Place>();
    const done = () => {
      clearTimeout(timer);
      client.off('close', refuse);
      holder.waiting.delete(waiting);
      this.#waiting -= 1;
      if (holder.waiting.size === 0) this.#queue.delete(holder);
    };
    const refuse = () => {
      done();
      this.#forget(holder);
      reject(noRoom());
    };
    const waiting: Waiting = { bytes, seat: (place) => (done(), resolve(place)), refuse };
    // Whoever was too new to give way when it began to wait may not be so any more.
    const timer = setTimeout(
      () => (this.#makeRoom(holder, bytes) ? waiting.seat(this.#seat(holder, bytes)) : refuse()),
      this.#limits.waitMs,
    );
    client.once('close', refuse);
    this.#holders.set(holder.name, holder);
    holder.waiting.add(waiting);
    this.#queue.add(holder);
    this.#waiting += 1;
    return promise;
  }

  /** Room was left: first for whoever has least of it, and of these for whoever has got none for longest. */
  #wake(): void {
    if (this.#queue.size === 0) return;
    for (const holder of [...this.#queue].sort((one, other) => one.bytes - other.bytes)) this.#seatWaiting(holder);
  }

  #seatWaiting(holder: Holder): void {
    for (const waiting of holder.waiting) {
      if (!this.#hasOwn(holder, waiting.bytes) || !this.#hasAny(waiting.bytes)) return;
      waiting.seat(this.#seat(holder, waiting.bytes));
      if (this.#queue.delete(holder)) this.#queue.add(holder);
    }
  }
}

const noRoom = () =>
  new Refusal(
    'unavailable',
    'Too much is under way: take your answers, end your requests, then go on with fewer at once.',
    {
      retryAfter: 1,
    },
  );

function firstToGo(holder: Holder, but: Place | undefined): Place | undefined {
  for (const place of holder.places) if (place.giveWay !== null && place !== but) return place;
  return undefined;
}

function dismiss(place: Place): void {
  const { giveWay } = place;
  place.leave();
  giveWay?.();
}
