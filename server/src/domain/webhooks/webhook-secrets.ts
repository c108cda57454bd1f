// Which webhook secrets sign now: the two-phase rotation of docs/spec/webhooks.md#secrets, as a function of stored secrets and time.

/** How long a new secret waits in the secondary place before it is promoted, and an old one stays there after. */
export const OVERLAP_SECONDS = 24 * 60 * 60;

export interface StoredSecrets<S> {
  current: S;
  next: S | null;
  /** When `next` takes the first place by itself. */
  promoteAt: Date | null;
  previous: S | null;
  previousUntil: Date | null;
}

/** What a sealed webhook secret is bound to: it opens for this project only. */
export const secretContext = (projectId: string) => `webhook_endpoint|${projectId}|secret`;

/** The secrets of an endpoint row, nullable columns made plain. */
export function secretsOf<S>(row: Partial<StoredSecrets<S>> & { current: S }): StoredSecrets<S> {
  return {
    current: row.current,
    next: row.next ?? null,
    promoteAt: row.promoteAt ?? null,
    previous: row.previous ?? null,
    previousUntil: row.previousUntil ?? null,
  };
}

/** The stored secrets as they stand at `now`: a due promotion carried out, an expired old secret dropped. */
export function settle<S>(stored: StoredSecrets<S>, now: Date): StoredSecrets<S> {
  if (stored.next !== null && stored.promoteAt !== null && stored.promoteAt <= now) {
    return settle(promote(stored, stored.promoteAt), now);
  }
  const expired = stored.previousUntil !== null && stored.previousUntil <= now;
  return expired ? { ...stored, previous: null, previousUntil: null } : stored;
}

/** The new secret takes the first place; the old one keeps the secondary place for a day. */
export function promote<S>(stored: StoredSecrets<S>, now: Date): StoredSecrets<S> {
  if (stored.next === null) return stored;
  return {
    current: stored.next,
    next: null,
    promoteAt: null,
    previous: stored.current,
    previousUntil: new Date(now.getTime() + OVERLAP_SECONDS * 1000),
  };
}

/** The secrets that sign an attempt made at `now`: the first place, and the secondary place while there is one. */
export function signingSecrets<S>(stored: StoredSecrets<S>, now: Date): readonly [S, ...S[]] {
  const { current, next, previous } = settle(stored, now);
  const second = next ?? previous;
  return second === null ? [current] : [current, second];
}
