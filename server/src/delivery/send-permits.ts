// Limits the concurrent POSTs of a sender: in total, for retries, per endpoint, and how soon it leases again.
import type { Outcome } from '../domain/webhooks/retry.ts';
import { type Leased, MAX_POSTS_PER_ENDPOINT, MAX_POSTS_PER_PROJECT, type LeaseCapacity } from './lease.ts';
import type { NewDelivery } from './write.ts';

/** How many POSTs a sender makes at the same time, and how many of them may be retries. */
export interface PostLimits {
  posts: number;
  retries: number;
}
const DELIVERIES: PostLimits = { posts: 128, retries: 85 };
/** One lease takes at most half of the permits: the next one is prepared while these are sent. */
export const MOST_LEASED = DELIVERIES.posts / 2;
/** Including those whose result is not recorded yet: a slow database must not accumulate more and more of them. */
const UNFINISHED_PER_POST = 2;

/**
 * Behind a backlog, free permits wait until half of those filled last are free, but at most this long: each lease has a
 * cost.
 */
const WAIT_MS = 25;
/** While the proxy fails, one delivery tries it at this interval. */
const PROXY_REST_MS = 2000;

/**
 * What a permit is held for: a leased delivery or reminder, or a delivery that is being written for its first attempt. The
 * `endpointId` of a reminder is the digest of its target.
 */
export interface Permit extends Pick<Leased, 'projectId' | 'endpointId'> {
  isRetry: boolean;
}

/** What a run says about the next one: `again` immediately, or `at` a known time; otherwise the poll interval applies. */
export interface Next {
  again?: boolean;
  at?: Date | null;
}

/** Called with how soon to run again. */
export type OnFree = (urgency: 'normal' | 'high') => void;

export class SendPermits {
  readonly throttle = new LeaseThrottle();
  readonly #taken = new Set<Permit>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #onFree: OnFree;
  readonly #limits: PostLimits;
  /** A search for due deliveries to fill the free permits is running. */
  #filling = false;

  /** `onFree` is called whenever there may be room again, with `high` when a backlog has waited for enough of it. */
  constructor(onFree: OnFree, limits = DELIVERIES) {
    this.#onFree = onFree;
    this.#limits = limits;
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

  /** Runs work, which never fails, with a permit until it settles or frees the permit itself. */
  run(permit: Permit, work: () => Promise<void>): void {
    this.take(permit);
    this.#follow(work().finally(() => this.free(permit)));
  }

  /**
   * Fills the free permits: `lease` leases what there is room for, starts it and returns it; `tookAll` says whether more is
   * probably due. Returns what that says about the next run, or null where nothing was due.
   */
  async fill<T>(
    lease: (capacity: LeaseCapacity) => Promise<readonly T[]>,
    tookAll: (leased: readonly T[], capacity: LeaseCapacity) => boolean,
  ): Promise<Next | null> {
    const capacity = this.capacity();
    // While it waits for a full batch, the loop runs again after a while even without room: until then it is not notified
    // of free permits.
    const wait = this.throttle.waitMs(capacity);
    if (wait > 0) return { at: new Date(Date.now() + wait) };
    if (capacity.limit <= 0) return {};
    const leased = await this.#toFill(() => lease(capacity));
    this.throttle.leased({ posting: capacity.posting + leased.length, backlog: tookAll(leased, capacity) });
    if (leased.length === 0) return null;
    // More is probably due.
    this.#onFree('high');
    return { again: true };
  }

  /** Has exclusive use of the free permits until `fill` settles. */
  async #toFill<T>(fill: () => Promise<T>): Promise<T> {
    this.#filling = true;
    try {
      return await fill();
    } finally {
      this.#filling = false;
    }
  }

  /** Reserves a permit for each of these that there is room for; returns which one each has. */
  reserve(fresh: readonly NewDelivery[]): Map<string, Permit> {
    const capacity = this.capacity();
    // When there is little room, due deliveries that wait for a full batch take precedence.
    const isTaken = this.#filling || (capacity.limit < this.#limits.posts / 2 && this.throttle.waitMs(capacity) > 0);
    const fit = isTaken ? [] : fitting(fresh, capacity, countsOf(this.#taken, 'projectId'));
    const reserved = fit.map(({ id, projectId, endpointId }): [string, Permit] => [
      id,
      { projectId, endpointId, isRetry: false },
    ]);
    for (const [, permit] of reserved) this.take(permit);
    return new Map(reserved);
  }

  /** What may start now. */
  capacity(): LeaseCapacity {
    const { posts, retries } = this.#limits;
    const retrying = [...this.#taken].filter(({ isRetry }) => isRetry).length;
    const capacity = {
      limit: Math.min(posts - this.#taken.size, UNFINISHED_PER_POST * posts - this.#underWay.size),
      posting: this.#taken.size,
      retries: Math.max(0, retries - retrying),
      inFlight: countsOf(this.#taken, 'endpointId'),
    };
    this.throttle.narrow(capacity);
    return capacity;
  }

  /** Tracks work that never fails until it settles. */
  #follow(work: Promise<void>): void {
    const followed = work.finally(() => {
      this.#underWay.delete(followed);
      this.#tellFree();
    });
    this.#underWay.add(followed);
  }

  /** Notifies the waiting run when enough permits are free. */
  #tellFree(): void {
    const behind = this.throttle.isBehind;
    if (!behind || this.throttle.waitMs({ posting: this.#taken.size }) === 0) this.#onFree(behind ? 'high' : 'normal');
  }

  /** Waits for all tracked work. */
  async drain(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }
}

/** How soon to lease again. Times are those of `performance.now()`. */
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
  narrow(capacity: LeaseCapacity): void {
    if (this.#proxyRestsUntil !== null) capacity.limit = Math.min(1 - capacity.posting, capacity.limit);
  }

  /** How long to wait before the next lease, in ms. */
  waitMs({ posting }: Pick<LeaseCapacity, 'posting'>): number {
    const batchUntil = posting > this.#filled.posting / 2 ? this.#filled.at + WAIT_MS : -Infinity;
    return Math.max(0, (this.#proxyRestsUntil ?? batchUntil) - performance.now());
  }

  /** Whether there is a known backlog. */
  get isBehind(): boolean {
    return performance.now() - this.#filled.at < WAIT_MS;
  }
}

/** How many of the permits each project or endpoint has. */
function countsOf(permits: Iterable<Permit>, by: 'projectId' | 'endpointId'): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { [by]: id } of permits) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/**
 * Whether this lease used all the room: every permit, or all that each of their endpoints may have. More deliveries are
 * probably due then.
 */
export function tookAll(leased: readonly Pick<Leased, 'projectId' | 'endpointId'>[], capacity: LeaseCapacity): boolean {
  if (leased.length === capacity.limit) return true;
  const byEndpoint = Map.groupBy(leased, ({ endpointId }) => endpointId);
  const endpoints = countsOfProjects(byEndpoint.values());
  const all = ([endpointId, its]: [string, Pick<Leased, 'projectId'>[]]) =>
    its.length + (capacity.inFlight.get(endpointId) ?? 0) >= shareOf(endpoints.get(its[0]?.projectId ?? '') ?? 1);
  return byEndpoint.size > 0 && [...byEndpoint].every(all);
}

/** The permits of one endpoint where this many of its project have something to send. */
const shareOf = (endpoints: number): number =>
  Math.min(MAX_POSTS_PER_ENDPOINT, Math.floor(MAX_POSTS_PER_PROJECT / endpoints));

function countsOfProjects(endpoints: Iterable<readonly Pick<Leased, 'projectId'>[]>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [{ projectId } = { projectId: '' }] of endpoints) counts.set(projectId, (counts.get(projectId) ?? 0) + 1);
  return counts;
}

/**
 * The deliveries being written that there is room for, in order: only the first of each item to each endpoint. `projects`: the
 * permits of each project.
 */
function fitting<T extends Pick<Leased, 'projectId' | 'endpointId' | 'itemId'>>(
  fresh: readonly T[],
  capacity: LeaseCapacity,
  projects: ReadonlyMap<string, number>,
): T[] {
  const taken = new Map(capacity.inFlight);
  const takenBy = new Map(projects);
  const items = new Set<string>();
  const fit: T[] = [];
  for (const delivery of fresh) {
    const { projectId, endpointId } = delivery;
    const [inFlight, ofProject] = [taken.get(endpointId) ?? 0, takenBy.get(projectId) ?? 0];
    const item = `${delivery.itemId} ${endpointId}`;
    const hasRoom = inFlight < MAX_POSTS_PER_ENDPOINT && ofProject < MAX_POSTS_PER_PROJECT;
    if (fit.length < capacity.limit && hasRoom && !items.has(item)) {
      taken.set(endpointId, inFlight + 1);
      takenBy.set(projectId, ofProject + 1);
      fit.push(delivery);
    }
    items.add(item);
  }
  return fit;
}
