// Every rate limit in one table (docs/decisions/0007-rate-limits.md): how much, counted by whom, and why.

/** This many requests at once, and as many again spread over every following window. */
export interface Policy {
  readonly quota: number;
  readonly windowSeconds: number;
}

/** Whose requests are counted together. */
type CountedBy = 'key' | 'address' | 'person' | 'project' | 'wallet' | 'session';

interface Row extends Policy {
  readonly by: CountedBy;
  readonly why: string;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** The requests per minute of an API key unless RATE_LIMIT_PER_MINUTE is set. */
const PER_MINUTE = 60_000;

/** The rate limits. `by` is who is counted. */
export const POLICIES = {
  default: {
    ...{ quota: PER_MINUTE, windowSeconds: MINUTE, by: 'key' },
    why: 'What one process accepts with room to spare.',
  },
  'unknown-key': {
    ...{ quota: 600, windowSeconds: MINUTE, by: 'address' },
    why: 'A key has 190 bits: this protects our work, and a data centre has one address.',
  },
  'unknown-source': {
    ...{ quota: 600, windowSeconds: MINUTE, by: 'address' },
    why: 'As for keys: a signature cannot be guessed.',
  },
  'unknown-session': {
    ...{ quota: 1000, windowSeconds: 10, by: 'address' },
    why: 'A session cannot be guessed either, and the pages of an office may find theirs ended at one moment.',
  },
  challenge: {
    ...{ quota: 600, windowSeconds: 10, by: 'address' },
    why: 'An office of hundreds signs in at nine o’clock behind one address.',
  },
  verify: {
    ...{ quota: 600, windowSeconds: 10, by: 'address' },
    why: 'As challenges; a wallet is never locked by what others can send in its name.',
  },
  anonymous: {
    ...{ quota: 8000, windowSeconds: 10, by: 'address' },
    why: 'Pages, files and the description of the API. A page is 60 requests: a hundred people behind one address reload at once.',
  },
  connection: {
    ...{ quota: 6000, windowSeconds: 10, by: 'address' },
    why: 'New connections: six per browser, and a pipeline without keep-alive opens one per request. Not counted behind a proxy.',
  },
  'sign-in': {
    ...{ quota: 300, windowSeconds: HOUR, by: 'wallet' },
    why: 'Each is a row that stays for days. Counted after the signature: nobody can use up another’s quota.',
  },
  'new-account': {
    ...{ quota: 2000, windowSeconds: HOUR, by: 'address' },
    why: 'Each is a row that stays, and wallets are free. Counted after the signature, and only when the wallet is new.',
  },
  rename: {
    ...{ quota: 30, windowSeconds: HOUR, by: 'person' },
    why: 'Each is a line in the change log of every project of the person, which no owner can remove.',
  },
  handshake: {
    ...{ quota: 1000, windowSeconds: 10, by: 'address' },
    why: 'After a restart every tab of an office reconnects at once.',
  },
  'own-handshake': {
    ...{ quota: 300, windowSeconds: 10, by: 'session' },
    why: 'All tabs that a person may have, several times over.',
  },
  dashboard: {
    ...{ quota: 6000, windowSeconds: MINUTE, by: 'person' },
    why: 'A hundred a second: no person is that fast, with live pages in several tabs.',
  },
  'new-project': {
    ...{ quota: 100, windowSeconds: HOUR, by: 'person' },
    why: 'More than anyone sets up by hand, and a runaway script is stopped.',
  },
  'new-project-address': {
    ...{ quota: 1000, windowSeconds: HOUR, by: 'address' },
    why: 'Wallets are free: a person who creates one per project still has one address.',
  },
  'new-credential': {
    ...{ quota: 120, windowSeconds: HOUR, by: 'person' },
    why: 'Keys and inbound sources, of all projects of a person.',
  },
  'new-member': {
    ...{ quota: 300, windowSeconds: HOUR, by: 'person' },
    why: 'A whole office joins at once.',
  },
  offer: {
    ...{ quota: 200, windowSeconds: HOUR, by: 'project' },
    why: 'A whole office joins at once; each offer shows on the pages of someone who did not ask for it.',
  },
  'webhook-test': {
    ...{ quota: 5, windowSeconds: MINUTE, by: 'project' },
    why: 'It sends requests out of the service.',
  },
  media: {
    ...{ quota: 600, windowSeconds: MINUTE, by: 'person' },
    why: 'It sends requests out of the service: ten pictures a second, or a player that seeks.',
  },
  invite: { ...{ quota: 20, windowSeconds: HOUR, by: 'project' }, why: 'Each grants access.' },
} as const satisfies Record<string, Row>;

export type PolicyName = keyof typeof POLICIES;
export type Policies = Readonly<Record<PolicyName, Policy>>;
/** The policies counted this way. */
export type PolicyBy<B extends CountedBy> = {
  [N in PolicyName]: (typeof POLICIES)[N]['by'] extends B ? N : never;
}[PolicyName];

/** The policies; `perMinute` is the limit of an API key. */
export function policiesOf(perMinute: number = PER_MINUTE): Policies {
  return { ...POLICIES, default: { ...POLICIES.default, quota: perMinute } };
}

/**
 * How many requests of a kind run at the same time in one process; `waiting` of them are queued, and of one person
 * likewise.
 */
export interface ConcurrencyLimit {
  readonly perPerson: number;
  readonly perProcess: number;
  /** How many of all people behind one network address: wallets are free, addresses are not. Only where none waits. */
  readonly perAddress?: number;
  /** How many of a process are only for people who have none: a few people with many each do not stop the others. */
  readonly firstOnly?: number;
  readonly waitingPerPerson: number;
  readonly waiting: number;
  /** How long a request may wait, in milliseconds; without it, until its client disconnects. */
  readonly waitMs?: number;
  readonly why: string;
}

/** The concurrency limits. */
export const CONCURRENCY_LIMITS = {
  heavy: {
    ...{ perPerson: 4, perProcess: 12, waitingPerPerson: 24, waiting: 400 },
    why: 'What-if samples, figures over long windows, clusters, searches: of twenty connections some are left for decisions.',
  },
  list: {
    ...{ perPerson: 2, perProcess: 4, waitingPerPerson: 256, waiting: 2000 },
    why: 'Pages of lists, by key or session: up to 1.5 MiB each, 10 ms of the single thread. More at once would not be faster.',
  },
  export: {
    ...{ perPerson: 2, perAddress: 10, perProcess: 40, waitingPerPerson: 0, waiting: 0 },
    why: 'An export takes as long as its reader: slow ones of one address leave the others room.',
  },
  media: {
    ...{ perPerson: 6, perProcess: 48, waitingPerPerson: 60, waiting: 400 },
    why: 'A file takes as long as its host and its reader: as many at once as a browser has connections.',
  },
} as const satisfies Record<string, ConcurrencyLimit>;

export type ConcurrencyLimitName = keyof typeof CONCURRENCY_LIMITS;

const WAITING_CHANGES = { waitingPerPerson: 1000, waiting: 4000 };

/**
 * How many transactions of callers run at the same time in one process (RL11). For strangers `perPerson` counts by
 * network address. That of a claim waits for less time than its lock is provisional.
 */
export const TRANSACTION_LIMITS = {
  known: {
    ...{ perPerson: 4, perProcess: 13, firstOnly: 4, ...WAITING_CHANGES, waitMs: 5000 },
    why: 'One that waits for a lock has a connection meanwhile: of twenty, some are left for submissions and the worker.',
  },
  stranger: {
    ...{ perPerson: 2, perProcess: 3, firstOnly: 1, ...WAITING_CHANGES, waitMs: 10_000 },
    why: 'Challenges and sign-ins. An office that signs in at one moment waits for its turn.',
  },
} as const satisfies Record<string, ConcurrencyLimit>;

/** Maximum counts of stored objects. */
export const COUNT_LIMITS = {
  /** Per project, not revoked. */
  apiKeys: 200,
  /** Per project, not removed. */
  inboundSources: 200,
  /** Per address, unused and unexpired: beyond it the oldest is deleted. */
  challenges: 60,
} as const;
