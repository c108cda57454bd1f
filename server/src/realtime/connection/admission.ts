// Who may open a socket at all: asked at the upgrade, before anything is kept and before the database is.
import type { IncomingMessage } from 'node:http';
import { createTally } from '../../limits/tally.ts';
import type { Services } from '../../usecases/services.ts';
import { isWellFormedToken } from '../../usecases/credentials/sessions.ts';

/** Sockets of one address in one process: an office of hundreds, each with many tabs. */
const MAX_PER_ADDRESS = 4000;
/** Sockets of one process; the rest of its connections is left for requests. */
const MAX_PER_PROCESS = 8000;

/** Why an upgrade is refused: the status of the answer, and when to come back. */
export interface Refused {
  status: 401 | 403 | 429 | 503;
  retryAfter?: number;
}

/** Null when the upgrade may go on; its socket is counted from then on until it is closed. */
export type Admit = (request: IncomingMessage) => Promise<Refused | null>;

interface Options {
  /** Whom a request counts as. */
  clientOf: (request: IncomingMessage) => string;
  most?: { ofAddress: number; ofProcess: number };
}

/** Where sockets are opened. */
export const PATH = '/socket.io';
/** Full now; somebody leaves every few seconds. */
const FULL: Refused = { status: 503, retryAfter: 5 };

/** Admits upgrades from our own page with what could be a session, as many as the limits allow. */
export function createAdmission(
  { baseUrl, limiter, knownSessions, security }: Pick<Services, 'baseUrl' | 'limiter' | 'knownSessions' | 'security'>,
  { clientOf, most = { ofAddress: MAX_PER_ADDRESS, ofProcess: MAX_PER_PROCESS } }: Options,
): Admit {
  const { origin } = new URL(baseUrl);
  const open = createTally();
  /** Leaves a line of the security log (LG1). */
  const note = (event: 'origin' | 'session', request: IncomingMessage) =>
    security.note(event, { address: clientOf(request), method: 'GET', path: PATH });

  return async (request) => {
    // CORS settings do not stop a cross-site WebSocket; the Origin of its handshake does, compared exactly (A7).
    if (request.headers.origin !== origin) {
      note('origin', request);
      return { status: 403 };
    }
    const token = sessionToken(request);
    if (!isWellFormedToken(token)) {
      note('session', request);
      return { status: 401 };
    }
    const client = clientOf(request);
    if (open.total() >= most.ofProcess || open.of(client) >= most.ofAddress) return FULL;
    // Before the limiter is waited for: those who come at the same time count too.
    const leave = open.enter(client);
    request.socket.once('close', leave);
    // A session that was good lately is counted for itself: its neighbours' floods are not its own.
    const { allowed, retryAfterSeconds: retryAfter } = knownSessions.isKnown(token)
      ? await limiter.take('own-handshake', token.slice(0, token.indexOf('.')))
      : await limiter.take('handshake', client);
    return allowed ? null : { status: 429, retryAfter };
  };
}

/** The value of the session cookie of a handshake, whatever it is. */
export function sessionToken({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  return /(?:^|;\s*)__Host-sid=([^;]+)/.exec(headers.cookie ?? '')?.[1];
}
