// Forgets the person behind a wallet, for the operator (KE6): ends their access and replaces their name by a pseudonym.
import { Refusal } from '@countersign/shared/errors';
import { DatabaseConflict, type Tx } from '../../db/database.ts';
import { Member } from '../../db/entities/member.ts';
import { User } from '../../db/entities/user.ts';
import { lockProject } from '../../db/lock-project.ts';
import type { Em } from '../../db/orm.ts';
import { type Forgotten, namesOf, renameElsewhere, renameInEvents } from '../../db/retention/pseudonymize-user.ts';
import { settledPosition } from '../../db/settled-position.ts';
import type { HeldClaim } from '../../claims/claim-lock.ts';
import { endAll, notifyClaimsEnded } from './operator-access.ts';
import { lockRole, OTHER_OWNER } from './membership.ts';
import { changeMembership } from './change-membership.ts';
import type { Services } from '../services.ts';

export interface Trace {
  userId: string;
  pseudonym: string;
  /** Their present counts. */
  sessions: number;
  decisions: number;
  /** Whether the operator blocked them (A20). */
  blocked: boolean;
  /** A run that forgets them has ended their access and was cut off. Somebody else may have signed in with the address since. */
  unfinished: boolean;
  projects: { id: string; name: string; role: string; onlyOwner: boolean }[];
}

/** The name of a forgotten person: the same in every project, and made unique by the end of the id that stays. */
const pseudonymOf = (userId: string): string => `Former member ${userId.replaceAll('-', '').slice(-8)}`;

/** What is stored of a wallet, of an unfinished run first; null when it was never here, or was forgotten. Changes nothing. */
export function findTrace({ db }: Services, address: string): Promise<Trace | null> {
  return db.read(async (em) => {
    const [user] = await em.execute<{ id: string; blocked: boolean; unfinished: boolean }[]>(
      `select id, blocked_at is not null as blocked, address <> ? as unfinished from app_user where address in (?, ?)
       order by unfinished desc limit 1`,
      [address, address, unfinished(address)],
    );
    if (user === undefined) return null;
    const [counts] = await em.execute<{ sessions: number; decisions: number }[]>(
      `select (select count(*)::int from session where user_id = ?) as sessions,
        (select count(*)::int from decision where reviewer_id = ?) as decisions`,
      [user.id, user.id],
    );
    const projects = await em.execute<Trace['projects']>(
      `select p.id, p.name, m.role, m.role = 'owner' and not ${OTHER_OWNER} as "onlyOwner"
       from member m join project p on p.id = m.project_id where m.user_id = ? order by p.id`,
      [user.id],
    );
    return {
      userId: user.id,
      pseudonym: pseudonymOf(user.id),
      sessions: 0,
      decisions: 0,
      ...counts,
      blocked: user.blocked,
      unfinished: user.unfinished,
      projects,
    };
  });
}

/**
 * Ends the wallet's access and replaces its name and address everywhere. Repeats the renaming of a run that was interrupted.
 * Errors: `forbidden` while the wallet is blocked (A20), or for the last owner of a project (PM1).
 */
export async function forgetWallet(services: Services, address: string, { userId, pseudonym }: Trace): Promise<void> {
  const who: Forgotten = { userId, address, pseudonym };
  if ((await services.db.read((em) => em.count(User, { id: userId, blockedAt: { $ne: null } }))) > 0) throw isBlocked();
  // Most renaming comes before anybody has to wait.
  const renamed = await renameEvents(services, who, 0);
  while (!(await endPerson(services, who)));
  // Renames also in events that were appended meanwhile.
  await renameEvents(services, who, renamed);
  // Last, because an interrupted run is resumed by it.
  const removed = [`forgotten:${userId}`, userId, unfinished(address)];
  await services.db.write(({ em }) =>
    em.execute('update app_user set address = ? where id = ? and address = ?', removed),
  );
}

/** The address of a person who is not forgotten completely yet: nobody signs in or is added by it. */
const unfinished = (address: string): string => `forgetting:${address}`;

/** The person joined a project meanwhile: the transaction is rolled back and runs again with that project. */
class JoinedMeanwhile extends Error {}

/**
 * Leaves every pool, then locks the person: projects before the person, the order of every transaction that adds people. A
 * sign-in or a membership at the same moment either came first and is seen here, or waits and finds nobody with this address.
 * Returns false when it has to be called again.
 */
async function endPerson(services: Services, who: Forgotten): Promise<boolean> {
  const { userId, address, pseudonym } = who;
  const work = async (tx: Tx) => {
    const ended = await leaveAll(services, tx, who);
    if (!(await lockUser(tx.em, who))) return true;
    const names = await namesOf(tx.em, who);
    await tx.em.execute('update app_user set name = ? where id = ?', [pseudonym, userId]);
    await notifyClaimsEnded(tx, ended);
    await endAll(tx, userId);
    // Actions of a session had to lock it: only from here on nobody can join any more.
    if ((await tx.em.count(Member, { userId })) > 0) throw new JoinedMeanwhile();
    await renameElsewhere(tx.em, who, names);
    await tx.em.execute('update app_user set address = ? where id = ?', [unfinished(address), userId]);
    return true;
  };
  return retryConflicts(() => services.db.write(work)).catch((error: unknown) => {
    if (error instanceof JoinedMeanwhile) return false;
    throw error;
  });
}

/** How often a transaction is run again that the database ended because of a deadlock. */
const MAX_CONFLICTS = 5;

/** A claim locks the person before their roles and items (LC4), so what the person does meanwhile can deadlock with their end. */
async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let conflicts = 1; ; conflicts += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseConflict) || conflicts > MAX_CONFLICTS) throw error;
    }
  }
}

/** Locks the person until the transaction ends. False when their access was ended before. Errors: `forbidden` (A20). */
async function lockUser(em: Em, { userId, address }: Forgotten): Promise<boolean> {
  const [row] = await em.execute<{ blocked: boolean }[]>(
    'select blocked_at is not null as blocked from app_user where id = ? and address = ? for update',
    [userId, address],
  );
  if (row?.blocked) throw isBlocked();
  return row !== undefined;
}

/** A20: the block belongs to the address, and would be lost with it. */
const isBlocked = () =>
  new Refusal(
    'forbidden',
    'This wallet is blocked, and erasing it would let it in again. Unblock it, erase it, and block the address again.',
  );

/** Renames in the events after `from`. Returns where the next call has to start, because events may be appended meanwhile. */
async function renameEvents(services: Services, who: Forgotten, from: number): Promise<number> {
  // Without a limit it waits until there is one.
  const settled = (await settledPosition(services.db)) ?? from;
  for (let at: number | null = from; at !== null;) {
    const start: number = at;
    at = await retryConflicts(() => services.db.write(({ em }) => renameInEvents(em, who, start)));
  }
  return settled;
}

/** Removes them from every pool, as if they had left (PM2). */
async function leaveAll(services: Services, tx: Tx, { userId, pseudonym }: Forgotten): Promise<HeldClaim[]> {
  const actor = {
    kind: 'member' as const,
    userId,
    name: pseudonym,
    address: '',
    sessionId: '',
    expiresAt: new Date(0),
  };
  const memberships = await tx.em.execute<{ project_id: string }[]>(
    'select project_id from member where user_id = ? order by project_id',
    [userId],
  );
  const ended: HeldClaim[] = [];
  for (const { project_id: projectId } of memberships) {
    await lockProject(tx.em, projectId);
    const from = await lockRole(tx.em, userId, projectId);
    if (from !== null)
      ended.push(...(await changeMembership(services, { tx, actor }, { projectId, userId, from, to: null })));
  }
  return ended;
}
