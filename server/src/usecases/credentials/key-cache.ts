// Caches valid API keys, so that a busy key does not query the database with every request (K4).
import { ageOf } from '../../domain/age.ts';

/** `Found` is the data of a key. */
export interface KeyCache<Found extends { keyId: string }> {
  /** The data of the key, by its hash, when it was looked up within the last 3 s. */
  find(hash: string): Found | undefined;
  /** Whether the key was valid within the last ten minutes. It may have been revoked since. */
  wasGood(hash: string): boolean;
  /** Looks the key up, once for all concurrent requests, and caches a valid one from the moment the lookup started. */
  lookUp(hash: string, load: () => Promise<Found | null>): Promise<Found | null>;
  /** Removes a revoked key; no pending lookup is cached or shared any more. */
  forget(keyId: string): void;
}

interface Entry<Found> {
  found: Found;
  /** When its lookup started, in ms. */
  askedAt: number;
}

/** How long a looked-up key is valid without another lookup, in ms: the safeguard when a revocation notification is lost. */
export const FRESH_MS = 3000;
const REMEMBERED_MS = 10 * 60_000;
const MOST_KEYS = 10_000;

export function createKeyCache<Found extends { keyId: string }>(clock: { now(): Date }): KeyCache<Found> {
  /** In the order of the last lookups. */
  const entries = new Map<string, Entry<Found>>();
  let underWay = new Map<string, Promise<Found | null>>();
  const youngerThan = (ms: number, hash: string) => {
    const entry = entries.get(hash);
    return ageOf(clock.now(), entry?.askedAt) < ms ? entry : undefined;
  };

  const remember = (hash: string, entry: Entry<Found>) => {
    entries.delete(hash);
    entries.set(hash, entry);
    const [oldest] = entries.keys();
    if (entries.size > MOST_KEYS && oldest !== undefined) entries.delete(oldest);
  };

  const begin = (hash: string, load: () => Promise<Found | null>) => {
    const mine = underWay;
    const askedAt = clock.now().getTime();
    const pending = load()
      .then((found) => {
        // A lookup that had already started must not cache a key that was revoked since.
        if (mine === underWay && found !== null) remember(hash, { found, askedAt });
        if (found === null) entries.delete(hash);
        return found;
      })
      .finally(() => mine.delete(hash));
    mine.set(hash, pending);
    return pending;
  };

  return {
    find: (hash) => youngerThan(FRESH_MS, hash)?.found,
    wasGood: (hash) => youngerThan(REMEMBERED_MS, hash) !== undefined,
    lookUp: (hash, load) => underWay.get(hash) ?? begin(hash, load),
    forget: (keyId) => {
      underWay = new Map();
      for (const [hash, { found }] of entries) if (found.keyId === keyId) entries.delete(hash);
    },
  };
}
