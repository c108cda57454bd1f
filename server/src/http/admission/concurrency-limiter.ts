// Limits concurrent expensive requests (RL6): per person and per process; further requests are queued.
import type { Endpoint } from '@countersign/shared/contract/endpoint';
import { Refusal } from '@countersign/shared/errors';
import { CONCURRENCY_LIMITS, type ConcurrencyLimit } from '../../limits/policies.ts';
import type { Client, Owner, Reservation, MemoryBudget } from '../../limits/memory-budget.ts';
import { isList } from './memory-reservation.ts';
import { concurrencyClassOf } from './rate-limit.ts';

/** Releases the slot; further calls have no effect. */
export type Release = () => void;

export interface ConcurrencyLimiter {
  /**
   * Acquires a slot for this person, immediately or when it is their turn. Errors: `rate_limited` when all slots of the
   * person are taken and their queue is full, `unavailable` when the process has none left or the client disconnects
   * first.
   */
  enter(person: string, client: Client & Closable): Promise<Release>;
}

/** Whether the client has disconnected. */
interface Closable {
  readonly closed: boolean;
}

/** When a refused client may retry, in seconds. */
const RETRY_AFTER_SECONDS = 2;

interface Waiter {
  person: string;
  go: (leave: Release) => void;
  refuse: (refusal: Refusal) => void;
}

/**
 * The queue admits the person with the fewest slots first, then the oldest request. When the queue is full, the newest
 * request of the person with the most queued requests is refused in favour of someone with fewer, so nobody waits
 * behind another person's crowd.
 */
export function createConcurrencyLimiter(limit: ConcurrencyLimit): ConcurrencyLimiter {
  const inUse = new Map<string, number>();
  const queue: Waiter[] = [];
  let all = 0;

  const of = (person: string) => inUse.get(person) ?? 0;
  const free = (person: string) => all < limit.perProcess && of(person) < limit.perPerson;
  function take(person: string): Release {
    all += 1;
    inUse.set(person, of(person) + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      all -= 1;
      if (of(person) > 1) inUse.set(person, of(person) - 1);
      else inUse.delete(person);
      callNext();
    };
  }
  function callNext(): void {
    const able = queue.filter(({ person }) => free(person));
    const next = able.sort((one, other) => of(one.person) - of(other.person))[0];
    if (next === undefined) return;
    queue.splice(queue.indexOf(next), 1);
    next.go(take(next.person));
  }
  return {
    enter(person, client) {
      if (client.closed) return Promise.reject(full());
      if (free(person)) return Promise.resolve(take(person));
      const own = queue.filter((one) => one.person === person).length;
      if (of(person) >= limit.perPerson && own >= limit.waitingPerPerson) return Promise.reject(tooMany());
      if (queue.length >= limit.waiting && !refuseFromLargest(queue, own)) return Promise.reject(full());
      return waitInQueue(queue, person, client);
    },
  };
}

/** Waits in the queue until admitted, refused or disconnected. */
function waitInQueue(queue: Waiter[], person: string, client: Client): Promise<Release> {
  const { promise, resolve, reject } = Promise.withResolvers<Release>();
  const one: Waiter = { person, go: resolve, refuse: reject };
  const go = () => {
    if (queue.includes(one)) queue.splice(queue.indexOf(one), 1);
    reject(full());
  };
  queue.push(one);
  client.once('close', go);
  return promise.finally(() => client.off('close', go));
}

/** Refuses a request of the person with the most queued requests; false when nobody has more than `own` and one. */
function refuseFromLargest(queue: Waiter[], own: number): boolean {
  const groups = [...Map.groupBy(queue, ({ person }) => person).values()];
  const [largest = []] = groups.sort((one, other) => other.length - one.length);
  const last = largest.at(-1);
  if (last === undefined || largest.length <= own + 1) return false;
  queue.splice(queue.indexOf(last), 1);
  last.refuse(full());
  return true;
}

const tooMany = () =>
  new Refusal(
    'rate_limited',
    'You have reached the limit of concurrent requests of this kind. Wait for one to finish, then retry.',
    {
      retryAfter: RETRY_AFTER_SECONDS,
    },
  );
const full = () =>
  new Refusal('unavailable', 'Many requests of this kind are running. Retry in a moment.', {
    retryAfter: RETRY_AFTER_SECONDS,
  });

/** The limiter of each expensive endpoint; endpoints of the same class share one per process. */
export function createEndpointLimiters() {
  const limiters = {
    heavy: createConcurrencyLimiter(CONCURRENCY_LIMITS.heavy),
    list: createConcurrencyLimiter(CONCURRENCY_LIMITS.list),
    export: createConcurrencyLimiter(CONCURRENCY_LIMITS.export),
    media: createConcurrencyLimiter(CONCURRENCY_LIMITS.media),
  };
  return (endpoint: EndpointShape): ConcurrencyLimiter | null => {
    const kind = concurrencyClassOf(endpoint) ?? (isList(endpoint) ? 'list' : null);
    return kind === null ? null : limiters[kind];
  };
}
type EndpointShape = Pick<Endpoint, 'method' | 'path' | 'auth' | 'query'>;

/** What an admitted request holds while it is handled. */
export interface Admitted {
  /** Memory for its response. */
  reservation: Reservation;
  release: Release;
}

/**
 * Admits a request: first its slot, then memory for its response, so that queued requests hold no memory. Without
 * enough memory it releases the slot, waits for memory from the share of its owner, and queues again. Errors: as of
 * `enter` and of the reservation.
 */
export async function admit(
  { unsent }: { unsent: MemoryBudget },
  queue: ConcurrencyLimiter | null,
  { owner, expected, client }: { owner: Owner; expected: number; client: Client & Closable },
): Promise<Admitted> {
  if (queue === null) return { reservation: await unsent.enter(owner, expected, client), release: () => undefined };
  const release = await queue.enter(owner.name, client);
  const now = unsent.tryReserve(owner, expected);
  if (now !== null) return { reservation: now, release };
  release();
  const reservation = await unsent.enter(owner, expected, client);
  try {
    return { reservation, release: await queue.enter(owner.name, client) };
  } catch (error) {
    reservation.leave();
    throw error;
  }
}

/** Holds the slot of a download until the last byte is sent or the client disconnects. */
export function releaseWhenSent({ release }: Admitted, response: Client & Closable): void {
  if (response.closed) release();
  else response.once('close', release);
}
