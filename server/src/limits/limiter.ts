// The rate limiter as the rest of the server sees it: named policies, and one question before work is done.

/**
 * The limits there are. The first counts by API key, `webhook-test` and `invite` by project, `offer` by person, `own-handshake` by session,
 * the others by the address of the client.
 */
export type PolicyName =
  | 'default'
  | 'unknown-key'
  | 'unknown-source'
  | 'unknown-session'
  | 'challenge'
  | 'verify'
  | 'handshake'
  | 'own-handshake'
  | 'webhook-test'
  | 'invite'
  | 'offer';

/** So many requests at once, and as many again spread over every window that follows. */
export interface Policy {
  readonly quota: number;
  readonly windowSeconds: number;
}
export type Policies = Readonly<Record<PolicyName, Policy>>;

/** What became of one question; times are whole seconds, rounded up. */
export interface Taken {
  readonly policy: Policy;
  /** False: nothing was charged, and the request is to be refused. */
  readonly allowed: boolean;
  /** How many requests of cost 1 would still be allowed now. */
  readonly remaining: number;
  /** Until everything is available again. */
  readonly fullInSeconds: number;
  /** Until this cost fits, if nobody else asks meanwhile; at least 1, and 0 when allowed. */
  readonly retryAfterSeconds: number;
}

export interface Limiter {
  readonly policies: Policies;
  /** Charges `cost` (default 1; never more than the quota) to whoever `key` is under this policy. Never throws and never waits long. */
  take(name: PolicyName, key: string, cost?: number): Promise<Taken>;
}

const MINUTE = 60;

/** The policies; `perMinute` is what a key may do (RATE_LIMIT_PER_MINUTE). Why these numbers: docs/decisions/0007-rate-limits.md. */
export function policiesOf(perMinute: number): Policies {
  const stranger = { quota: 600, windowSeconds: MINUTE };
  const signIn = { quota: 600, windowSeconds: 10 };
  const page = { quota: 1000, windowSeconds: 10 };
  return {
    default: { quota: perMinute, windowSeconds: MINUTE },
    'unknown-key': stranger,
    'unknown-source': stranger,
    'unknown-session': page,
    challenge: signIn,
    verify: signIn,
    handshake: page,
    'own-handshake': { quota: 300, windowSeconds: 10 },
    'webhook-test': { quota: 5, windowSeconds: MINUTE },
    invite: { quota: 20, windowSeconds: 60 * MINUTE },
    offer: { quota: 40, windowSeconds: 60 * MINUTE },
  };
}
