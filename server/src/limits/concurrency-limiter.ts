// Limits how much of one kind runs at the same time, per person and per process; the rest is queued (RL6, RL11).
import { Refusal } from '@countersign/shared/errors';
import type { Client, Owner } from './memory-budget.ts';
import { type ConcurrencyLimit, TRANSACTION_LIMITS } from './policies.ts';

/** Releases the slot; further calls have no effect. */
export type Release = () => void;

export interface ConcurrencyLimiter {
  /**
   * Acquires a slot for this person, immediately or when it is their turn. Without a client nobody can disconnect. Errors:
   * `rate_limited` when all slots of the person are taken and their queue is full, `unavailable` when the process has none left,
   * the wait takes longer than the limit allows, or the client disconnects first.
   */
  enter(person: string, client?: Client & Closable): Promise<Release>;
}

/** Whether the client has disconnected. */
export interface Closable {
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
  const forFurther = limit.perProcess - (limit.firstOnly ?? 0);
  const free = (person: string) =>
    of(person) === 0 ? all < limit.perProcess : all < forFurther && of(person) < limit.perPerson;
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
    let next: Waiter | undefined;
    for (const one of queue) if (free(one.person) && (!next || of(one.person) < of(next.person))) next = one;
    if (next === undefined) return;
    queue.splice(queue.indexOf(next), 1);
    next.go(take(next.person));
  }
  return {
    enter(person, client) {
      if (client?.closed) return Promise.reject(full());
      if (free(person)) return Promise.resolve(take(person));
      const own = queue.filter((one) => one.person === person).length;
      if (of(person) >= limit.perPerson && own >= limit.waitingPerPerson) return Promise.reject(tooMany());
      if (queue.length >= limit.waiting && !refuseFromLargest(queue, own)) return Promise.reject(full());
      return waitInQueue(queue, { person, client, waitMs: limit.waitMs });
    },
  };
}

interface Wait {
  person: string;
  client: Client | undefined;
  waitMs: number | undefined;
}

/** Waits in the queue until admitted, refused or disconnected, at most for `waitMs`. */
function waitInQueue(queue: Waiter[], { person, client, waitMs }: Wait): Promise<Release> {
  const { promise, resolve, reject } = Promise.withResolvers<Release>();
  const one: Waiter = { person, go: resolve, refuse: reject };
  const go = () => {
    if (queue.includes(one)) queue.splice(queue.indexOf(one), 1);
    reject(full());
  };
  queue.push(one);
  client?.once('close', go);
  const timer = waitMs === undefined ? undefined : setTimeout(go, waitMs);
  return promise.finally(() => {
    client?.off('close', go);
    clearTimeout(timer);
  });
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

/**
 * Acquires the slots of transactions (RL11): strangers together have fewer connections than people and keys.
 * Errors: as of `enter`.
 */
export function createTransactionLimiter(): (owner: Owner) => Promise<Release> {
  const known = createConcurrencyLimiter(TRANSACTION_LIMITS.known);
  const strangers = createConcurrencyLimiter(TRANSACTION_LIMITS.stranger);
  return ({ name, stranger }) => (stranger ? strangers : known).enter(name);
}
