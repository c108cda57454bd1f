// Admits requests: the slot of an expensive endpoint (RL6), and memory for the response (MB1).
import type { Endpoint } from '@countersign/shared/contract/endpoint';
import { Refusal } from '@countersign/shared/errors';
import {
  type Closable,
  type ConcurrencyLimiter,
  createConcurrencyLimiter,
  type Release,
} from '../../limits/concurrency-limiter.ts';
import { CONCURRENCY_LIMITS, type ConcurrencyLimit } from '../../limits/policies.ts';
import type { Client, Owner, Reservation, MemoryBudget } from '../../limits/memory-budget.ts';
import { isList } from './memory-reservation.ts';
import { concurrencyClassOf } from './rate-limit.ts';

/** Who sends a request, and from where. */
export interface Sender {
  owner: Owner;
  address: string;
  client: Client & Closable;
}

/**
 * Acquires a slot for a request. Errors: as of `ConcurrencyLimiter.enter`, with another text where the share of the network
 * address is used up.
 */
export type EnterEndpoint = (sender: Sender) => Promise<Release>;

/** The limiter of each expensive endpoint; endpoints of the same class share one per process. */
export function createEndpointLimiters() {
  const limiters = {
    heavy: limiterOf(CONCURRENCY_LIMITS.heavy),
    list: limiterOf(CONCURRENCY_LIMITS.list),
    export: limiterOf(CONCURRENCY_LIMITS.export),
    media: limiterOf(CONCURRENCY_LIMITS.media),
  };
  return (endpoint: EndpointShape): EnterEndpoint | null => {
    const kind = concurrencyClassOf(endpoint) ?? (isList(endpoint) ? 'list' : null);
    return kind === null ? null : limiters[kind];
  };
}

/** Limits by person, and by network address where the limit has a share for one. */
export function limiterOf(limit: ConcurrencyLimit): EnterEndpoint {
  const people = createConcurrencyLimiter(limit);
  const { perAddress } = limit;
  const addresses: ConcurrencyLimiter | null =
    perAddress === undefined ? null : createConcurrencyLimiter({ ...limit, perPerson: perAddress });
  return async ({ owner, address, client }) => {
    const leavePerson = await people.enter(owner.name, client);
    if (addresses === null) return leavePerson;
    const leaveAddress = await addresses.enter(address, client).catch((error: unknown) => {
      leavePerson();
      throw ofAddress(error);
    });
    return () => {
      leavePerson();
      leaveAddress();
    };
  };
}

/** The refusal of a share that a person has in common with others. */
const ofAddress = (error: unknown): unknown =>
  error instanceof Refusal && error.code === 'rate_limited'
    ? new Refusal(
        'rate_limited',
        'Too many requests of this kind are running from your network address. Wait for one to finish, then retry.',
        error.extras,
      )
    : error;

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
  enter: EnterEndpoint | null,
  { expected, ...sender }: Sender & { expected: number },
): Promise<Admitted> {
  const { owner, client } = sender;
  if (enter === null) return { reservation: await unsent.enter(owner, expected, client), release: () => undefined };
  const release = await enter(sender);
  const now = unsent.tryReserve(owner, expected);
  if (now !== null) return { reservation: now, release };
  release();
  const reservation = await unsent.enter(owner, expected, client);
  try {
    return { reservation, release: await enter(sender) };
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
