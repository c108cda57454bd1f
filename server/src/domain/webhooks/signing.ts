// How an attempt is signed: its headers (W6), and which secrets sign it (docs/spec/webhooks.md#secrets).
import { OVERLAP_HOURS } from '@countersign/shared/limits';
import { signedHeaders } from '@countersign/shared/webhook';

const HOUR_MS = 3_600_000;

export interface StoredSecrets<S> {
  current: S;
  next: S | null;
  /** When `next` becomes the current secret automatically. */
  promoteAt: Date | null;
  previous: S | null;
  previousUntil: Date | null;
  /** How long a new secret is secondary before it is promoted, and how long the old one stays secondary after. */
  overlapHours: number;
}

/** The `aad` of an encrypted webhook secret: it can be decrypted for this endpoint only. The one of the settings has the ID of the project. */
export const secretContext = (endpointId: string) => `webhook_endpoint|${endpointId}|secret`;

/** The secrets of an endpoint row: with nulls for missing columns, and times that a statement returns as text. */
export type SecretsRow<S> = Partial<Omit<StoredSecrets<S>, 'promoteAt' | 'previousUntil'>> & {
  current: S;
  promoteAt?: Date | string | null;
  previousUntil?: Date | string | null;
};

export function secretsOf<S>(row: SecretsRow<S>): StoredSecrets<S> {
  return {
    current: row.current,
    next: row.next ?? null,
    promoteAt: timeOf(row.promoteAt),
    previous: row.previous ?? null,
    previousUntil: timeOf(row.previousUntil),
    overlapHours: row.overlapHours ?? OVERLAP_HOURS.usual,
  };
}

/** Compared as text, no time would ever be reached. */
const timeOf = (at: Date | string | null = null): Date | null => (at === null ? null : new Date(at));

/** The stored secrets at `now`: a due promotion is applied, an expired old secret dropped. */
export function settle<S>(stored: StoredSecrets<S>, now: Date): StoredSecrets<S> {
  if (stored.next !== null && stored.promoteAt !== null && stored.promoteAt <= now) {
    return settle(promote(stored, stored.promoteAt), now);
  }
  const expired = stored.previousUntil !== null && stored.previousUntil <= now;
  return expired ? { ...stored, previous: null, previousUntil: null } : stored;
}

/** When an overlap that begins now ends. */
export const overlapEnd = (now: Date, hours: number): Date => new Date(now.getTime() + hours * HOUR_MS);

/** Makes the new secret current; the old one stays secondary for the overlap that was chosen. */
export function promote<S>(stored: StoredSecrets<S>, now: Date): StoredSecrets<S> {
  if (stored.next === null) return stored;
  return {
    ...stored,
    current: stored.next,
    next: null,
    promoteAt: null,
    previous: stored.current,
    previousUntil: overlapEnd(now, stored.overlapHours),
  };
}

/** The secrets that sign an attempt made at `now`: the current one, and the secondary one if there is any. */
export function signingSecrets<S>(stored: StoredSecrets<S>, now: Date): readonly [S, ...S[]] {
  const { current, next, previous } = settle(stored, now);
  const second = next ?? previous;
  return second === null ? [current] : [current, second];
}

const FIXED = { 'content-type': 'application/json', 'user-agent': 'Countersign-Webhooks/1' };
const DOTS = '•'.repeat(12);

/** All headers of an attempt: the fixed ones, the signed ones, and the trace context that it carries on, if any (WH9). */
export const withFixed = (signed: Record<string, string>, traceparent?: string | null): Record<string, string> => ({
  ...FIXED,
  ...signed,
  ...(typeof traceparent === 'string' && { traceparent }),
});

/** The timestamp of an attempt, in Unix seconds. */
export const timestampOf = (at: Date): number => Math.floor(at.getTime() / 1000);

export interface SentAttempt {
  webhookId: string;
  attempt: number;
  at: Date;
  /** How many secrets signed it; null, taken as one, where that was not recorded. */
  signatures: number | null;
  traceparent?: string | null;
}

/**
 * The headers an attempt was sent with. Signatures are masked, because with one anybody could send the same bytes in our name.
 */
export function maskedHeaders({
  webhookId,
  attempt,
  at,
  signatures,
  traceparent,
}: SentAttempt): Record<string, string> {
  const twice = signatures === 2;
  const message = { id: webhookId, timestamp: timestampOf(at), attempt };
  const standard = Array<string>(twice ? 2 : 1).fill(`v1,${DOTS}`);
  const masked = signedHeaders(message, { plain: DOTS, plainSecondary: twice ? DOTS : undefined, standard });
  return withFixed(masked, traceparent);
}
