// How many dear requests go on at the same time (RL6): so many of a person, so many of the process, and the rest in line.
import type { Endpoint } from '@countersign/shared/api/endpoint';
import { Refusal } from '@countersign/shared/errors';
import { CONCURRENCY_LIMITS, type ConcurrencyLimit } from '../../limits/policies.ts';
import type { Client, Owner, Reservation, MemoryBudget } from '../../limits/memory-budget.ts';
import { isList } from './memory-reservation.ts';
import { concurrencyClassOf } from './rate-limit.ts';

/** Gives a place back; a second time does nothing. */
export type Release = () => void;

export interface ConcurrencyLimiter {
  /**
   * A place of this person's, at once or when it is their turn. Errors: `rate_limited` where all of theirs are taken and so many
   * of theirs stand in line, `unavailable` where the process has none left, or the client is gone before its turn.
   */
  enter(person: string, client: Client & Closable): Promise<Release>;
}

/** Whether the other end has gone already. */
interface Closable {
  readonly closed: boolean;
}

/** When a refused one may come back, in seconds. */
const RETRY_AFTER_SECONDS = 2;

interface Waiter {
  person: string;
  go: (leave: Release) => void;
  refuse: (refusal: Refusal) => void;
}

/**
 * In line whoever has fewest places goes first, then who came first; where the line is full, the last of the largest crowd is
 * refused for one of a smaller: nobody stands behind somebody else's crowd.
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

/** Stands in line until called, refused or gone. */
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

/** Refuses one of the largest crowd; false where nobody has more in line than so many and one. */
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
  new Refusal('rate_limited', 'As many of these are under way for you as can be. Let one finish, then ask again.', {
    retryAfter: RETRY_AFTER_SECONDS,
  });
const full = () =>
  new Refusal('unavailable', 'Many ask for this just now. Try again in a moment.', { retryAfter: RETRY_AFTER_SECONDS });

/** By endpoint: where its requests stand in line, if they are dear; the same line for all of a kind in this process. */
export function createEndpointLimiters() {
  const limiters = {
    heavy: createConcurrencyLimiter(CONCURRENCY_LIMITS.heavy),
    list: createConcurrencyLimiter(CONCURRENCY_LIMITS.list),
    export: createConcurrencyLimiter(CONCURRENCY_LIMITS.export),
  };
  return (endpoint: EndpointShape): ConcurrencyLimiter | null => {
    const kind = concurrencyClassOf(endpoint) ?? (isList(endpoint) ? 'list' : null);
    return kind === null ? null : limiters[kind];
  };
}
type EndpointShape = Pick<Endpoint, 'method' | 'path' | 'auth' | 'query'>;

/** What a request has while it is worked on. */
export interface Admitted {
  /** Room for its answer. */
  reservation: Reservation;
  release: Release;
}

/**
 * Lets a request in: first its turn, then room for its answer, so that who stands in line holds no room. Where there is none, it
 * waits for that first and then for its turn once more, with room of its own owner's share. Errors: as `Places.enter` and `Room.enter`.
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

/** Keeps the place of a download in its line until the last of it is sent, or nobody takes it any more. */
export function releaseWhenSent({ release }: Admitted, response: Client & Closable): void {
  if (response.closed) release();
  else response.once('close', release);
}
