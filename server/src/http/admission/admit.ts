// Admits requests: the slot of an expensive endpoint (RL6), and memory for the response (MB1).
import type { Endpoint } from '@countersign/shared/contract/endpoint';
import {
  type Closable,
  type ConcurrencyLimiter,
  createConcurrencyLimiter,
  type Release,
} from '../../limits/concurrency-limiter.ts';
import { CONCURRENCY_LIMITS } from '../../limits/policies.ts';
import type { Client, Owner, Reservation, MemoryBudget } from '../../limits/memory-budget.ts';
import { isList } from './memory-reservation.ts';
import { concurrencyClassOf } from './rate-limit.ts';

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
