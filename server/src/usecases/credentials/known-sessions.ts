// Remembers recently valid session cookies, so that others at their address do not limit their users (RL2).
import { ageOf } from '../../domain/age.ts';
import { sha256Hex } from '../../crypto/tokens.ts';

export interface KnownSessions {
  /** Whether the cookie was valid within the last ten minutes. Its session may have ended since. */
  isKnown(token: string): boolean;
  /**
   * Checks an unknown cookie, once for all concurrent requests with it, and remembers a valid one. Errors: those of `attempt`.
   */
  tryOnce(token: string, attempt: () => Promise<boolean>): Promise<boolean>;
  /** Marks the cookie as valid. */
  remember(token: string): void;
  /** Marks the cookie as no longer valid. */
  forget(token: string): void;
}

const REMEMBERED_MS = 10 * 60_000;
const MOST = 10_000;

/** Stores hashes of cookies only: the process memory holds no cookie. */
export function createKnownSessions(clock: { now(): Date }): KnownSessions {
  /** When each was valid, ordered by that time. */
  const known = new Map<string, number>();
  const underWay = new Map<string, Promise<boolean>>();

  const remember = (hash: string) => {
    known.delete(hash);
    known.set(hash, clock.now().getTime());
    const [oldest] = known.keys();
    if (known.size > MOST && oldest !== undefined) known.delete(oldest);
  };
  const begin = (hash: string, attempt: () => Promise<boolean>) => {
    const trying = attempt()
      .then((isGood) => {
        if (isGood) remember(hash);
        return isGood;
      })
      .finally(() => underWay.delete(hash));
    underWay.set(hash, trying);
    return trying;
  };

  return {
    isKnown: (token) => {
      return ageOf(clock.now(), known.get(sha256Hex(token))) < REMEMBERED_MS;
    },
    tryOnce: (token, attempt) => {
      const hash = sha256Hex(token);
      return underWay.get(hash) ?? begin(hash, attempt);
    },
    remember: (token) => remember(sha256Hex(token)),
    forget: (token) => known.delete(sha256Hex(token)),
  };
}
