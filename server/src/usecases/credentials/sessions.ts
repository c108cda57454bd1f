// Sessions: created at sign-in, found by cookie, listed, ended by idleness or age (A1, A3); see also end-sessions.ts.
import { randomToken, sameHex, sha256Hex } from '../../crypto/tokens.ts';
import type { Tx } from '../../db/database.ts';
import { Session } from '../../db/entities/session.ts';
import { User } from '../../db/entities/user.ts';
import { idleSince, noSession } from '../../db/live-session.ts';
import { deviceOf } from '../../domain/access/device.ts';
import type { MemberActor, Services } from '../services.ts';

/** A session ends after this time in any case; live-session.ts has the time without a request after which it ends. */
export const ABSOLUTE_MS = 12 * 60 * 60_000;
/** The last-seen time has a precision of a minute, so that reading does not always write. */
const SEEN_EVERY_MS = 60_000;

export interface NewSession {
  /** The cookie's value, `id.secret`; the secret is stored only as its hash. */
  token: string;
  expiresAt: Date;
}

/** The person of the session, and the user-agent of their browser. */
export interface SessionOf {
  userId: string;
  userAgent?: string | undefined;
}

/** Creates a session; of the user-agent only `deviceOf` is stored. */
export async function createSession(
  services: Services,
  { em }: Tx,
  { userId, userAgent }: SessionOf,
): Promise<NewSession> {
  const now = services.clock.now();
  const id = services.ids.uuid();
  const secret = randomToken();
  const expiresAt = new Date(now.getTime() + ABSOLUTE_MS);
  const device = deviceOf(userAgent);
  const times = { createdAt: now, lastSeenAt: now, expiresAt };
  await em.insert(Session, { id, userId, secretHash: sha256Hex(secret), device, ...times });
  return { token: `${id}.${secret}`, expiresAt };
}

const TOKEN = /^([0-9a-f-]{36})\.([A-Za-z0-9_-]{43})$/;

/** Whether this could be the value of a session cookie; anything else is refused without a lookup. */
export const isWellFormedToken = (token: string | undefined): token is string => TOKEN.test(token ?? '');

/**
 * Like `findSession`, for requests with a cookie. `beforeLookup` runs before the lookup of a cookie that was not valid lately,
 * and may refuse it; concurrent requests with the same cookie share one lookup.
 */
export async function checkSession(
  services: Services,
  token: string | undefined,
  beforeLookup: () => Promise<void>,
): Promise<MemberActor | null> {
  const { knownSessions } = services;
  if (!isWellFormedToken(token)) return null;
  const isGood = async () => {
    await beforeLookup();
    return (await findSession(services, token)) !== null;
  };
  if (!knownSessions.isKnown(token) && !(await knownSessions.tryOnce(token, isGood))) return null;
  // Each request checks the session itself: a shared result may be older than the end of the session (A4).
  const actor = await findSession(services, token);
  if (actor === null) knownSessions.forget(token);
  else knownSessions.remember(token);
  return actor;
}

/** The person of a session cookie, or null when it is unknown, idle too long, or expired. */
export async function findSession(services: Services, token: string | undefined): Promise<MemberActor | null> {
  const match = TOKEN.exec(token ?? '');
  if (match?.[1] === undefined || match[2] === undefined) return null;
  const [, id, secret] = match as unknown as [string, string, string];
  const now = services.clock.now();
  return services.db.read(async (em) => {
    const session = await em.findOne(Session, { id, ...alive(now) });
    if (session === null || !sameHex(session.secretHash, sha256Hex(secret))) return null;
    if (now.getTime() - session.lastSeenAt.getTime() > SEEN_EVERY_MS) {
      await em.nativeUpdate(Session, { id }, { lastSeenAt: now });
    }
    const user = await em.findOneOrFail(User, { id: session.userId });
    if (user.blockedAt) return null;
    const name = user.name ?? null;
    return {
      kind: 'member',
      userId: user.id,
      address: user.address,
      name,
      sessionId: id,
      expiresAt: session.expiresAt,
    };
  });
}

/** The same, refused when there is none. Errors: `session_missing`. */
export async function requireSession(services: Services, token: string | undefined): Promise<MemberActor> {
  const actor = await findSession(services, token);
  if (actor === null) throw noSession();
  return actor;
}

/** Which of these sessions are alive, by id: one query however many there are. */
export async function findLiveSessions(services: Services, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const going = { id: { $in: ids }, ...alive(services.clock.now()) };
  const sessions = await services.db.read((em) => em.find(Session, going, { fields: ['id'] }));
  return new Set(sessions.map(({ id }) => id));
}

/** A3 as a condition: the session has neither expired nor been idle too long. Requests, sockets and lists share it. */
const alive = (now: Date) => ({
  expiresAt: { $gt: now },
  lastSeenAt: { $gte: idleSince(now) },
});

/** More sessions than this are not listed; ending all others ends those too. */
const MOST = 100;

/** The actor's own live sessions (A3), the last seen first, at most 100. */
export function listSessions(services: Services, actor: MemberActor): Promise<Session[]> {
  const own = { userId: actor.userId, ...alive(services.clock.now()) };
  return services.db.read((em) => em.find(Session, own, { orderBy: { lastSeenAt: 'desc', id: 'desc' }, limit: MOST }));
}
