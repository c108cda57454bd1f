// The operator's commands for wallets (A20): block and unblock one, end its sessions, list those with access.
import type { HeldClaim } from '../../claims/claim-lock.ts';
import { CLAIMS_ENDED, SESSIONS_ENDED } from '../../db/connection/channels.ts';
import type { Tx } from '../../db/database.ts';
import { lockProject } from '../../db/lock-project.ts';
import { recordChange } from '../../db/record-change.ts';
import { displayName } from '../../domain/access/actor.ts';
import { findOrCreateUser } from './add-member.ts';
import { endOffers } from './end-offers.ts';
import { OTHER_OWNER } from './membership.ts';
import { revokeInvitesOf } from './change-membership.ts';
import { releaseClaims } from '../claims/release-claims.ts';
import type { Services } from '../services.ts';
import { IDLE_MS } from '../../db/live-session.ts';

/** The actor in change logs and events. */
const OPERATOR = { kind: 'system' as const, id: null, name: 'Operator' };
/** The maximum number of ids in one notification, whose payload is limited to 8000 bytes. */
const MAX_IDS_PER_NOTIFY = 50;

export interface Blocked {
  sessions: number;
  claims: number;
  projects: number;
  /** Projects without another owner: nobody can manage them meanwhile. */
  ownedAlone: { id: string; name: string }[];
}

/**
 * Blocks the wallet, known here or not: its sessions and sockets end at once, its claims are released, its open invites and
 * offers end. It stays a member of its projects. A repeated call completes an interrupted one.
 */
export async function blockWallet(services: Services, address: string): Promise<Blocked> {
  const { userId, sessions } = await services.db.write(async (tx) => {
    const user = await findOrCreateUser(services, tx, { address, name: undefined });
    await tx.em.execute('update app_user set blocked_at = coalesce(blocked_at, ?) where id = ?', [
      services.clock.now(),
      user.id,
    ]);
    return { userId: user.id, sessions: await endAll(tx, user.id) };
  });
  const projects = await projectsOf(services, userId);
  let claims = 0;
  for (const projectId of projects) claims += await suspend(services, { projectId, userId });
  return { sessions, claims, projects: projects.length, ownedAlone: await ownedAlone(services, userId) };
}

/** Lets the wallet sign in again. Returns false when it is not blocked. */
export async function unblockWallet(services: Services, address: string): Promise<boolean> {
  const unblocked = await services.db.write(({ em }) =>
    em.execute<{ id: string }[]>(
      'update app_user set blocked_at = null where address = ? and blocked_at is not null returning id',
      [address],
    ),
  );
  const userId = unblocked[0]?.id;
  if (userId === undefined) return false;
  for (const projectId of await projectsOf(services, userId))
    await services.db.write((tx) => logMemberAccess(services, tx, { projectId, userId, action: 'member.unblocked' }));
  return true;
}

/** Ends every session of the wallet. Returns how many there were; null for a wallet that never signed in. */
export async function endSessionsOf(services: Services, address: string): Promise<number | null> {
  return services.db.write(async (tx) => {
    const [user] = await tx.em.execute<{ id: string }[]>('select id from app_user where address = ?', [address]);
    return user === undefined ? null : endAll(tx, user.id);
  });
}

export interface Access {
  address: string;
  name: string | null;
  blockedAt: Date | null;
  sessions: number;
}

/** Wallets that are blocked or signed in, the blocked ones first. */
export async function listAccess({ db, clock }: Services): Promise<Access[]> {
  const now = clock.now();
  const rows = await db.read((em) =>
    em.execute<{ address: string; name: string | null; blocked_at: string | null; sessions: number }[]>(
      `select u.address, u.name, u.blocked_at, count(s.id)::int as sessions
       from app_user u left join session s on s.user_id = u.id and s.expires_at > ? and s.last_seen_at >= ?
       where u.blocked_at is not null or s.id is not null
       group by u.id order by u.blocked_at desc nulls last, u.address`,
      [now, new Date(now.getTime() - IDLE_MS)],
    ),
  );
  return rows.map(({ blocked_at: at, ...row }) => ({ ...row, blockedAt: at === null ? null : new Date(at) }));
}

/** Ends a person's sessions; with the commit every process closes their sockets. Returns how many there were. */
export async function endAll({ em }: Pick<Tx, 'em'>, userId: string): Promise<number> {
  const ended = await em.execute<{ id: string }[]>('delete from session where user_id = ? returning id', [userId]);
  await notifyInChunks(
    em,
    SESSIONS_ENDED,
    ended.map(({ id }) => id),
  );
  return ended.length;
}

async function projectsOf({ db }: Services, userId: string): Promise<string[]> {
  const rows = await db.read((em) =>
    em.execute<{ project_id: string }[]>('select project_id from member where user_id = ? order by project_id', [
      userId,
    ]),
  );
  return rows.map(({ project_id: id }) => id);
}

interface Of {
  projectId: string;
  userId: string;
}

/** Ends the person's claims, invites and offers in one project. Returns how many claims were released. */
async function suspend(services: Services, { projectId, userId }: Of): Promise<number> {
  return services.db.write(async (tx) => {
    await lockProject(tx.em, projectId);
    const invites = await revokeInvitesOf(tx, { projectId, userId });
    const offers = (await endOffers(tx, projectId, { madeBy: userId })).length;
    await logMemberAccess(services, tx, { projectId, userId, action: 'member.blocked', invites, offers });
    const held = await releaseClaims(tx, OPERATOR, { projectId, userId, role: null });
    await notifyClaimsEnded(tx, held);
    return held.length;
  });
}

/** Adds one line to the project's change log, unless the last line about this member says the same. */
async function logMemberAccess(
  services: Services,
  tx: Tx,
  {
    projectId,
    userId,
    action,
    invites = 0,
    offers = 0,
  }: Of & { action: 'member.blocked' | 'member.unblocked'; invites?: number; offers?: number },
): Promise<void> {
  const [last] = await tx.em.execute<{ action: string }[]>(
    `select action from project_change where project_id = ? and subject_id = ? and action in ('member.blocked', 'member.unblocked')
     order by position desc limit 1`,
    [projectId, userId],
  );
  if (last?.action === action || (last === undefined && action === 'member.unblocked')) return;
  const [user] = await tx.em.execute<{ name: string | null; address: string }[]>(
    'select name, address from app_user where id = ?',
    [userId],
  );
  const ends = { ...(invites > 0 && { invites_revoked: invites }), ...(offers > 0 && { offers_revoked: offers }) };
  const change = { projectId, action, subject: user ? displayName(user) : null, subjectId: userId };
  const after = Object.keys(ends).length === 0 ? null : ends;
  await recordChange(services, { tx, by: OPERATOR }, { ...change, changed: ['members', 'invites', 'offers'], after });
}

function ownedAlone({ db }: Services, userId: string): Promise<{ id: string; name: string }[]> {
  return db.read((em) =>
    em.execute(
      `select p.id, p.name from project p join member m on m.project_id = p.id
       where m.user_id = ? and m.role = 'owner' and p.deleted_at is null and not ${OTHER_OWNER}
       order by p.name, p.id`,
      [userId],
    ),
  );
}

/** With the commit every process releases the locks of these claims: the command itself has no lock store. */
export const notifyClaimsEnded = ({ em }: Pick<Tx, 'em'>, held: readonly HeldClaim[]): Promise<void> =>
  notifyInChunks(em, CLAIMS_ENDED, held.map(formatClaim));

async function notifyInChunks(em: Tx['em'], channel: string, entries: readonly string[]): Promise<void> {
  for (let from = 0; from < entries.length; from += MAX_IDS_PER_NOTIFY)
    await em.execute('select pg_notify(?, ?)', [channel, entries.slice(from, from + MAX_IDS_PER_NOTIFY).join(',')]);
}

const formatClaim = ({ itemId, userId, fence }: HeldClaim): string => `${itemId}:${userId}:${fence}`;
