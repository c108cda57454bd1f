// The dependencies of use cases, and the actors. Every use case takes `(services, actor, input)`.
import type { Logger } from 'pino';
import type { Scope } from '@countersign/shared/enums';
import type { ClaimLock } from '../claims/claim-lock.ts';
import type { KeyRing } from '../crypto/key-ring.ts';
import type { Clock, Ids } from '../db/clock.ts';
import type { Database } from '../db/database.ts';
import type { MediaAnswer, MediaRequest } from '../domain/media/media-answer.ts';
import type { Dispatch, Outcome } from '../domain/webhooks/retry.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Memory } from '../limits/memory-limits.ts';
import type { ExpectedWaits } from './items/expected-waits.ts';
import type { Intake } from './items/intake.ts';
import type { SecurityLog } from './credentials/security-log.ts';
import type { Waiters } from './items/waiters.ts';
import type { KeyCache } from './credentials/key-cache.ts';
import type { KnownSessions } from './credentials/known-sessions.ts';

export interface Services {
  db: Database;
  /** Stores submissions durably. */
  intake: Intake;
  /** Requests of this process that wait for a decision. */
  waiters: Waiters;
  /** How long submissions are expected to wait (EW). */
  expectedWaits: ExpectedWaits;
  claims: ClaimLock;
  limiter: Limiter;
  /** The memory budgets for client requests. */
  memory: Memory;
  keys: KeyCache<KnownKey>;
  /** Session cookies that were valid lately. */
  knownSessions: KnownSessions;
  clock: Clock;
  ids: Ids;
  keyRing: KeyRing;
  log: Logger;
  /** Logs refusals and sign-ins (LG1). */
  security: SecurityLog;
  /** The public address of this service, only from PUBLIC_BASE_URL; no trailing slash. */
  baseUrl: string;
  demo: boolean;
  /** Who may create projects: anyone, or these wallets (PROJECT_CREATORS, PM7). */
  projectCreators: 'anyone' | ReadonlySet<string>;
  /**
   * The SSRF guard, which resolves names: null, or one sentence that says what to
   * change. Uses the network: never call it inside a transaction.
   */
  refuseWebhookUrl: (url: string) => Promise<string | null>;
  /** Signs and posts one webhook, in the same way as deliveries. Uses the network: never call it inside a transaction. */
  dispatchWebhook: (dispatch: Dispatch) => Promise<Outcome>;
  /**
   * Fetches media of an allowed host behind the SSRF guard (MP). Uses the network: never call it inside a transaction.
   * Errors: `MediaRefused`.
   */
  fetchMedia: (request: MediaRequest) => Promise<MediaAnswer>;
  /** Closes sockets at once, in every process. */
  kick: { session(sessionId: string): void };
}

/** A signed-in person. The role depends on the project and is looked up there. */
export interface MemberActor {
  kind: 'member';
  userId: string;
  address: string;
  name: string | null;
  sessionId: string;
  expiresAt: Date;
}

/** A key as it was looked up, with its scopes and expiry (K8, K9). */
export interface KnownKey extends ApiKeyActor {
  scopes: readonly Scope[];
  expiresAt: Date | null;
}

/** A pipeline, identified by its key. */
export interface ApiKeyActor {
  kind: 'api_key';
  keyId: string;
  projectId: string;
  /** The person whose limits its keys count for: the author of the key, or else the owner who has been a member longest. */
  ownerId: string;
  name: string;
}
