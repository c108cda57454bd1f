// Sign-In With Solana: creates the challenge, consumes it before any signature check, and then verifies.
import type { SignInInput } from '@countersign/shared/schemas/session';
import { Refusal } from '@countersign/shared/errors';
import { randomBase62, randomToken, sha256Hex } from '../../crypto/tokens.ts';
import { verifySignIn } from '../../crypto/verify-sign-in.ts';
import { CHALLENGE_SECONDS, isTimely, newSignInInput } from '../../domain/access/sign-in.ts';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { COUNT_LIMITS } from '../../limits/policies.ts';
import { AuthChallenge } from '../../db/entities/auth-challenge.ts';
import { User } from '../../db/entities/user.ts';
import { findOrCreateUser } from '../access/add-member.ts';
import { blockedRefusal } from '../access/blocked.ts';
import { signOut } from './end-sessions.ts';
import { lockDemoProjects, joinDemo } from '../projects/seed-demo.ts';
import { createSession, findSession, type NewSession } from './sessions.ts';
import { countOrRefuse } from '../count-or-refuse.ts';
import type { Services } from '../services.ts';

const NONCE_LENGTH = 24;
/** The only sign-in method, as the log names it. */
const METHOD = 'solana';

export interface Challenge {
  id: string;
  input: SignInInput;
  /** The value of the browser's pre-sign-in cookie (S4): the challenge is valid in this browser only. */
  binder: string;
}

/**
 * Creates a challenge (S1, S2). `from` is the address it is counted by: beyond the limit, the oldest unused challenges of the
 * address are deleted (RL7), so that no request is refused because of a neighbour.
 */
export async function startSignIn(services: Services, from = ''): Promise<Challenge> {
  const now = services.clock.now();
  const id = services.ids.uuid();
  const binder = randomToken();
  const input = newSignInInput({ baseUrl: services.baseUrl, nonce: randomBase62(NONCE_LENGTH), now });
  const expiresAt = new Date(now.getTime() + CHALLENGE_SECONDS * 1000);
  await services.db.write(async ({ em }) => {
    await lockAddress(em, from);
    await em.insert(AuthChallenge, {
      ...{ id, binderHash: sha256Hex(binder), input, expiresAt, consumedAt: null },
      askedFrom: from,
    });
    await rawQuery(em, DROP_OLDEST, [from, now, COUNT_LIMITS.challenges, new Date(expiresAt.getTime() - SPARED_MS)]);
  });
  return { id, input, binder };
}

/** Serializes challenges of one address, so that they count each other. */
const lockAddress = (em: Em, from: string) =>
  rawQuery(em, `select pg_advisory_xact_lock(hashtextextended('challenges:' || $1, 0))`, [from]);

/**
 * A person signs within this time, so younger challenges stay, even if a neighbour requests many. The rate limit bounds their number.
 */
const SPARED_MS = 60_000;
const DROP_OLDEST = `delete from auth_challenge where expires_at <= $4 and id in (select id from auth_challenge
  where asked_from = $1 and consumed_at is null and expires_at > $2 order by expires_at desc, id desc offset $3)`;

export interface SignedChallenge {
  challengeId: string;
  binder: string | undefined;
  address: string;
  signedMessage: string;
  signature: string;
  /** The user-agent of the browser. */
  userAgent: string | undefined;
  /** The network address of the request, for the log (LG1), and by which new accounts are counted. */
  client?: string;
  /** The session cookie that the browser still has, if any. */
  heldToken: string | undefined;
}

/**
 * Verifies a signed challenge and creates a session; the previous session of the browser ends (A4). Every failure is the same 401
 * (S13), a blocked wallet's valid signature a 403 (A20); a failed attempt consumes the challenge (S3).
 */
export async function signIn(
  services: Services,
  signed: SignedChallenge,
): Promise<{ session: NewSession; user: User }> {
  const input = await consume(services, signed);
  const now = services.clock.now();
  if (input === null || !isTimely(input, now) || !verifySignIn({ input, ...signed })) {
    const challenge = signed.challengeId.slice(0, 36);
    services.security.note('sign_in_refused', { address: signed.client, method: METHOD, challenge });
    throw new Refusal('signature_invalid', 'Request a new message and sign it.');
  }
  await limitSignIns(services, signed);
  const result = await services.db.write(async (tx) => {
    if (services.demo) await lockDemoProjects(tx);
    const user = await findOrCreateUser(services, tx, { address: signed.address, name: undefined });
    if (user.blockedAt) throw blockedRefusal();
    if (services.demo) await joinDemo(services, tx, user);
    return { user, session: await createSession(services, tx, { userId: user.id, userAgent: signed.userAgent }) };
  });
  services.knownSessions.remember(result.session.token);
  const held = await findSession(services, signed.heldToken);
  if (held !== null) await signOut(services, held);
  services.security.note('sign_in', { address: signed.client, method: METHOD, user: result.user.id });
  return result;
}

/**
 * Counted after the signature is verified, so nobody uses up the limit of another wallet; a new account also by `client`, the network
 * address, since wallets are free. Errors: `rate_limited`.
 */
async function limitSignIns(services: Services, { address, client }: SignedChallenge): Promise<void> {
  const wait = (reason: string) => () => `${reason}. Wait a little, then sign in again.`;
  await countOrRefuse(services, { policy: 'sign-in', key: address }, wait('Too many sign-ins with this wallet'));
  if (client === undefined || (await services.db.read((em) => em.count(User, { address }))) > 0) return;
  await countOrRefuse(
    services,
    { policy: 'new-account', key: client },
    wait('Too many new accounts from your network'),
  );
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function consume(services: Services, { challengeId, binder }: SignedChallenge): Promise<SignInInput | null> {
  if (!UUID.test(challengeId) || binder === undefined) return null;
  return services.db.write(async ({ em }) => {
    const rows = await em.execute(
      `update auth_challenge set consumed_at = ?
       where id = ? and binder_hash = ? and consumed_at is null and expires_at > ? returning id`,
      [services.clock.now(), challengeId, sha256Hex(binder), services.clock.now()],
    );
    return rows.length === 0 ? null : (await em.findOneOrFail(AuthChallenge, { id: challengeId })).input;
  });
}
