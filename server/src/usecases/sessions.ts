// Sessions: made at sign-in, found by cookie, ended by idleness, age or the person (security A1, A3, A4).
import { randomToken, sameHex, sha256Hex } from '../crypto/tokens.ts';
import type { Tx } from '../db/database.ts';
import { Session } from '../db/entities/session.ts';
import { User } from '../db/entities/user.ts';
import type { MemberActor, Services } from './services.ts';

/** A session ends after this long without a request, and after this long whatever happens. */
export const IDLE_MS = 60 * 60_000;
export const ABSOLUTE_MS = 12 * 60 * 60_000;
/** The last-seen time is kept to the minute, so that reading does not mean writing. */
const SEEN_EVERY_MS = 60_000;

export interface NewSession {
  /** The cookie's value, `id.secret`; the secret is stored only as its hash. */
  token: string;
  expiresAt: Date;
}

export async function createSession(services: Services, { em }: Tx, userId: string): Promise<NewSession> {
  const now = services.clock.now();
  const id = services.ids.uuid();
  const secret = randomToken();
  const expiresAt = new Date(now.getTime() + ABSOLUTE_MS);
  await em.insert(Session, { id, userId, secretHash: sha256Hex(secret), createdAt: now, lastSeenAt: now, expiresAt });
  return { token: `${id}.${secret}`, expiresAt };
}

/** The person behind a session cookie, or null when it is unknown, idle too long, or over. */
export async function findSession(services: Services, token: string | undefined): Promise<MemberActor | null> {
  const match = /^([0-9a-f-]{36})\.([A-Za-z0-9_-]{43})$/.exec(token ?? '');
  if (match?.[1] === undefined || match[2] === undefined) return null;
  const [, id, secret] = match as unknown as [string, string, string];
  const now = services.clock.now();
  return services.db.read(async (em) => {
    const session = await em.findOne(Session, { id });
    if (session === null || !sameHex(session.secretHash, sha256Hex(secret)) || isOver(session, now)) return null;
    if (now.getTime() - session.lastSeenAt.getTime() > SEEN_EVERY_MS) {
      await em.nativeUpdate(Session, { id }, { lastSeenAt: now });
    }
    const user = await em.findOneOrFail(User, { id: session.userId });
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

function isOver(session: Session, now: Date): boolean {
  return session.expiresAt <= now || now.getTime() - session.lastSeenAt.getTime() > IDLE_MS;
}

/** Signs out: the row is gone; the sockets of the session are closed by the caller. */
export async function endSession(services: Services, sessionId: string): Promise<void> {
  await services.db.read((em) => em.nativeDelete(Session, { id: sessionId }));
}
