// Decides who may open a socket, at the upgrade, before anything is allocated or the database is queried.
import type { IncomingMessage } from 'node:http';
import { createTally } from '../../limits/tally.ts';
import type { Services } from '../../usecases/services.ts';
import { isWellFormedToken } from '../../usecases/credentials/sessions.ts';

/** Maximum sockets per address in one process: an office of hundreds, each with many tabs. */
const MAX_PER_ADDRESS = 4000;
/** Maximum sockets of one process; its remaining connections are for requests. */
const MAX_PER_PROCESS = 8000;

/** Why an upgrade is refused: the response status, and when to retry. */
export interface Refused {
  status: 401 | 403 | 429 | 503;
  retryAfter?: number;
}

/** Null when the upgrade may proceed; its socket is counted from then on until it closes. */
export type Admit = (request: IncomingMessage) => Promise<Refused | null>;

interface Options {
  /** The client address that a request counts for. */
  clientOf: (request: IncomingMessage) => string;
  most?: { ofAddress: number; ofProcess: number };
}

/** The path of sockets. */
export const PATH = '/socket.io';
/** The server is full; someone leaves every few seconds. */
const FULL: Refused = { status: 503, retryAfter: 5 };

/** Admits upgrades from our own page with a plausible session cookie, within the limits. */
export function createAdmission(
  { baseUrl, limiter, knownSessions, security }: Pick<Services, 'baseUrl' | 'limiter' | 'knownSessions' | 'security'>,
  { clientOf, most = { ofAddress: MAX_PER_ADDRESS, ofProcess: MAX_PER_PROCESS } }: Options,
): Admit {
  const { origin } = new URL(baseUrl);
  const open = createTally();
  /** Writes a line to the security log (LG1). */
  const note = (event: 'origin' | 'session', request: IncomingMessage) =>
    security.note(event, { address: clientOf(request), method: 'GET', path: PATH });

  return async (request) => {
    // CORS settings do not stop a cross-site WebSocket; an exact check of its Origin does (A7).
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
    // Counted before waiting for the limiter, so that concurrent upgrades count too.
    const leave = open.enter(client);
    request.socket.once('close', leave);
    // A recently valid session has a limit of its own: a flood from the same address does not affect it.
    const { allowed, retryAfterSeconds: retryAfter } = knownSessions.isKnown(token)
      ? await limiter.take('own-handshake', token.slice(0, token.indexOf('.')))
      : await limiter.take('handshake', client);
    return allowed ? null : { status: 429, retryAfter };
  };
}

/** The value of the session cookie of a handshake, valid or not. */
export function sessionToken({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  return /(?:^|;\s*)__Host-sid=([^;]+)/.exec(headers.cookie ?? '')?.[1];
}
