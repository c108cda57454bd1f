// Claims the next item for a reviewer: escalated, then reserved for them (SK4), then by due time (LC3), then oldest.
import { type Tx, DatabaseGone } from '../../db/database.ts';
import type { Em } from '../../db/orm.ts';
import { Member } from '../../db/entities/member.ts';
import { confirmFreshLock } from './claim-store.ts';
import {
  lockClaimant,
  refuseOverClaimLimit,
  withinLimit,
  countClaimsOf,
  lockClaimants,
  uuidArray,
} from './claim-limit.ts';
import { freeAmong, grantPicked, pick, type Picked, type Taker } from './claim-pick.ts';
import {
  LOCKED_ROLE,
  lockRoles,
  notFound,
  refuseArchived,
  toLockedRole,
  type LockedRole,
  type LockedRoleRow,
} from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { may } from '../../domain/access/permissions.ts';
import { mayHoldOneMore } from '../../domain/access/pool.ts';
import { planned } from '../../db/connection/planned.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { GroupCommit } from '../../db/group-commit.ts';

/** Leases that are known to have ended: anybody's, and the actor's own. */
interface Known {
  free: readonly string[];
  mine: readonly string[];
}

/**
 * Claims the next waiting item of one project or of all the actor's projects; null when none is free. Archived projects are
 * skipped (AR1). Exact under contention: two concurrent callers get two items (SKIP LOCKED), or one gets none. Errors:
 * `not_found`, `forbidden` where the one project is archived, and `too_many_claims` (LC4), whether or not an item waits.
 */
export async function claimNext(
  services: Services,
  actor: MemberActor,
  { projectId }: { projectId?: string | undefined },
): Promise<Picked | null> {
  // First in a group with concurrent callers; alone when the group gives no result.
  const granted =
    (await claimNextGrouped(services, { actor, projectId })) ?? (await nextAlone(services, actor, projectId));
  if (granted === null) return null;
  // The database has granted the claim; the lock follows.
  const { item, fence, seconds } = granted;
  await confirmFreshLock(services, { itemId: item.id, userId: actor.userId, fence, ms: seconds * 1000 });
  return granted;
}

async function nextAlone(
  services: Services,
  actor: MemberActor,
  projectId: string | undefined,
): Promise<Picked | null> {
  const projectIds = await services.db.read((em) => projectsOf(em, actor.userId, projectId));
  if (projectId !== undefined) {
    if (projectIds.length === 0) throw notFound();
    await services.db.read((em) => refuseArchived(em, projectId));
  }
  const free = await freeAmong(services, projectIds);
  const attempt = (awaited?: string) =>
    withinLimit(services, actor, (tx, mine) => take(tx, actor, { projectIds, free, mine, awaited }));
  const granted = await attempt();
  if (granted !== null) return granted;
  for (let round = 0; round < WAITING_ROUNDS; round += 1) {
    const locked = await lockedItems(services, actor.userId, { projectIds, free });
    if (locked.length === 0) return null;
    for (const id of locked) {
      const awaited = await attempt(id);
      if (awaited !== null) return awaited;
    }
  }
  // An item may have arrived during the last wait.
  return attempt();
}

/** How often a caller waits for what others have locked, until the answer is that no item is free. */
const WAITING_ROUNDS = 2;
/** For how many items a caller waits in a round, one after the other. */
const MOST_AWAITED = 10;

/** The first free items, after an attempt that passed over what others have locked. */
async function lockedItems(
  services: Services,
  userId: string,
  { projectIds, free }: Pick<Known, 'free'> & { projectIds: string[] },
): Promise<string[]> {
  const roles = await inStatement(services, (em) => lockRoles(em, userId, projectIds));
  return inStatement(services, (em) => pick(em, { roles, free, lock: false, most: MOST_AWAITED }));
}

/**
 * As strong as the lock that a pick takes: a weaker one would not wait for everything that a pick passes over. It says whether the
 * item may be free now.
 */
const WAIT_FOR_ITEM =
  planned(`select status in ('queued', 'escalated') and (claim_expires_at is null or claim_expires_at <= now()) as free
  from item where id = $1 for update`);

/** Its locks end with it. The attempt that follows checks the session (A21). */
const inStatement = <T>(services: Services, work: (em: Em) => Promise<T>): Promise<T> =>
  services.db.forSession(null, () => services.db.statement(work));

async function projectsOf(em: Em, userId: string, projectId: string | undefined): Promise<string[]> {
  const members = await em.find(Member, { userId, ...(projectId === undefined ? {} : { projectId }) });
  return members.map((member) => member.projectId);
}

async function take(
  tx: Tx,
  actor: MemberActor,
  { projectIds, free, mine, awaited }: Known & { projectIds: string[]; awaited: string | undefined },
): Promise<Picked | null> {
  await lockClaimant(tx.em, actor.userId);
  await refuseOverClaimLimit(tx.em, actor.userId, { ended: mine });
  // Roles before items, the order in which a role is removed: the opposite order could deadlock.
  const roles = await lockRoles(tx.em, actor.userId, projectIds);
  // Only one, and before any other item: PostgreSQL keeps the lock of a row that is passed over because it changed, and two
  // transactions that hold items and wait for others could wait for each other.
  if (awaited !== undefined) {
    const [item] = await rawQuery<{ free: boolean }>(tx.em, WAIT_FOR_ITEM, [awaited]);
    if (item?.free !== true) return null;
  }
  const [id] = await pick(tx.em, { roles, free, lock: true, most: 1 });
  if (id === undefined) return null;
  const [granted] = await grantPicked(tx, [{ id, taker: { actor, roles } }]);
  return granted ?? null;
}

/** A request for the next item, of one project or of all the actor's projects. */
interface Caller {
  actor: MemberActor;
  /** The session of the request; null when none is needed. */
  sessionId: string | null;
  projectId: string | undefined;
}

/** Small enough that a pick examines more items than the groups of other processes can hold at the same time. */
const MAX_ENTRIES = 50;
/** The next group is prepared while one waits for the disk. */
const MAX_CONCURRENT_GROUPS = 2;
/** Never used in practice: a caller without a grant continues alone at once. */
const LATER_MS = 20;

const groups = new WeakMap<Services, GroupCommit<Caller, Picked | null>>();

/**
 * Grants the next item in one transaction together with concurrent callers, under the same rules.
 * Null means no result: the claim limit may be reached, no item may be free, or the caller's roles
 * may be locked. The caller then claims alone, and waits for locks.
 */
function claimNextGrouped(services: Services, caller: Omit<Caller, 'sessionId'>): Promise<Picked | null> {
  const group = groups.get(services) ?? openGroup(services);
  return group.add({ ...caller, sessionId: services.db.session() });
}

function openGroup(services: Services): GroupCommit<Caller, Picked | null> {
  const group = new GroupCommit<Caller, Picked | null>({
    commit: async (callers) => {
      // Not bound to one session: each caller's session is checked with its person (A21).
      const granted = await services.db.forSession(null, () => grantNext(services, callers));
      return callers.map((caller) => ({ result: granted.get(caller) ?? null }));
    },
    meetsAll: (error) => error instanceof DatabaseGone,
    weigh: () => 1,
    maxWeight: MAX_ENTRIES,
    maxEntries: MAX_ENTRIES,
    concurrency: MAX_CONCURRENT_GROUPS,
    laterMs: LATER_MS,
  });
  groups.set(services, group);
  return group;
}

/** A caller, and the projects they want an item from. */
interface ClaimRequest extends Caller {
  caller: Caller;
  projectIds: string[];
}

async function grantNext(services: Services, callers: readonly Caller[]): Promise<Map<Caller, Picked>> {
  const requests = await services.db.read((em) => requestsOf(em, callers));
  if (requests.length === 0) return new Map();
  const free = await freeAmong(services, [...new Set(requests.flatMap(({ projectIds }) => projectIds))]);
  return services.db.write((tx) => takeForAll(tx, { requests, free, now: services.clock.now() }));
}

/** One request of each person: a second concurrent one continues alone. People without a project have none. */
async function requestsOf(em: Em, callers: readonly Caller[]): Promise<ClaimRequest[]> {
  const firsts = new Map<string, Caller>();
  for (const caller of callers) if (!firsts.has(caller.actor.userId)) firsts.set(caller.actor.userId, caller);
  const memberships = await em.execute<{ user_id: string; project_id: string }[]>(
    'select user_id, project_id from member where user_id = any(?::uuid[])',
    [uuidArray([...firsts.keys()])],
  );
  const theirs = Map.groupBy(memberships, ({ user_id }) => user_id);
  return [...firsts].flatMap(([userId, caller]) => {
    const ids = (theirs.get(userId) ?? []).map(({ project_id }) => project_id);
    const projectIds = ids.filter((id) => caller.projectId === undefined || id === caller.projectId);
    return projectIds.length === 0 ? [] : [{ ...caller, caller, projectIds }];
  });
}

/** A taker with the scope of their roles; takers of the same scope can be given any of the same items. */
interface Ready extends Taker {
  caller: Caller;
  scope: string;
}

async function takeForAll(
  tx: Tx,
  { requests, free, now }: { requests: readonly ClaimRequest[]; free: readonly string[]; now: Date },
): Promise<Map<Caller, Picked>> {
  const granted = new Map<Caller, Picked>();
  const scopes = Map.groupBy(await readyOf(tx.em, requests, now), ({ scope }) => scope);
  for (const takers of scopes.values()) {
    const [{ roles } = { roles: [] }] = takers;
    const ids = await pick(tx.em, { roles, free, lock: true, most: takers.length });
    // The earlier caller gets the item that is due earlier.
    const pairs = takers.slice(0, ids.length).map((taker, place) => ({ id: ids[place] as string, taker }));
    for (const [place, picked] of (await grantPicked(tx, pairs)).entries()) {
      const taker = takers[place];
      if (taker !== undefined) granted.set(taker.caller, picked);
    }
  }
  return granted;
}

/**
 * The people who may get one more item, locked together with their roles: people, then roles, then (later)
 * items, as every claim does, but without waiting. Claims are counted after the person is locked, as LC4
 * requires: an earlier snapshot would miss a claim that was just made.
 */
async function readyOf(em: Em, requests: readonly ClaimRequest[], now: Date): Promise<Ready[]> {
  const claimants = requests.map(({ actor, sessionId }) => ({ userId: actor.userId, sessionId }));
  const held = await lockClaimants(em, claimants, now);
  const claimCounts = await countClaimsOf(em, held);
  const able = requests.filter(
    ({ actor }) => held.includes(actor.userId) && mayHoldOneMore(claimCounts.get(actor.userId) ?? 0),
  );
  const memberships = await lockMemberships(em, able);
  return able.flatMap(({ actor, caller, projectIds }) => {
    const roles = (memberships.get(actor.userId) ?? []).filter(({ projectId }) => projectIds.includes(projectId));
    // One of the roles is being changed: the caller waits for that alone.
    if (roles.length < projectIds.length) return [];
    return [{ actor, caller, roles, scope: scopeOf(roles) }];
  });
}

/** The projects that these roles give access to, in which of them escalated items are included, and what is reserved. */
const scopeOf = (roles: readonly LockedRole[]) =>
  JSON.stringify(roles.map(({ projectId, role, skills }) => [projectId, may(role, 'decide_escalated'), skills]));

/** The roles that are not locked elsewhere, locked until the transaction ends (PM2), by person. */
async function lockMemberships(em: Em, requests: readonly ClaimRequest[]): Promise<Map<string, LockedRole[]>> {
  const rows = await em.execute<(LockedRoleRow & { user_id: string })[]>(
    `select m.user_id, ${LOCKED_ROLE} from member m where m.user_id = any(?::uuid[]) and m.project_id = any(?::uuid[])
     order by m.project_id, m.user_id for share of m skip locked`,
    [
      uuidArray(requests.map(({ actor }) => actor.userId)),
      uuidArray([...new Set(requests.flatMap(({ projectIds }) => projectIds))]),
    ],
  );
  const memberships = Map.groupBy(rows, ({ user_id }) => user_id);
  return new Map([...memberships].map(([userId, own]) => [userId, own.map(toLockedRole)]));
}
