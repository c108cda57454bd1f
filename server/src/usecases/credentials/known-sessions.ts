// Session cookies that were good a moment ago: whoever brings one pays nothing for strangers at the same address (RL2).
import { sha256Hex } from '../../crypto/tokens.ts';

export interface KnownSessions {
  /** Whether the cookie was good within the last ten minutes. Its session may have ended since. */
  isKnown(token: string): boolean;
  /** Tries a cookie that is not known, once for all who bring it at the same time, and remembers a good one. Errors: those of `attempt`. */
  tryOnce(token: string, attempt: () => Promise<boolean>): Promise<boolean>;
  /** The cookie is good. */
  remember(token: string): void;
  /** It is good no more. */
  forget(token: string): void;
}

const REMEMBERED_MS = 10 * 60_000;
const MOST = 10_000;

/** Kept by the hash of the cookie: the memory of the process holds none. */
export function createKnownSessions(clock: { now(): Date }): KnownSessions {
  /** When each was good, in the order in which they last were. */
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
      const age = clock.now().getTime() - (known.get(sha256Hex(token)) ?? -Infinity);
      return age >= 0 && age < REMEMBERED_MS;
    },
    tryOnce: (token, attempt) => {
      const hash = sha256Hex(token);
      return underWay.get(hash) ?? begin(hash, attempt);
    },
    remember: (token) => remember(sha256Hex(token)),
    forget: (token) => known.delete(sha256Hex(token)),
  };
}
