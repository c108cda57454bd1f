// Claims the next items of reviewers who ask at the same moment, in one transaction that waits for no lock.
import { type Tx, DatabaseGone } from '../../db/database.ts';
import type { Em } from '../../db/orm.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import { may } from '../../domain/access/permissions.ts';
import { mayHoldOneMore } from '../../domain/access/pool.ts';
import { LOCKED_ROLE, toLockedRole, type LockedRole, type LockedRoleRow } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { countClaimsOf, lockClaimants, uuidArray } from './claim-limit.ts';
import { freeAmong, grantPicked, pick, type Picked, type Taker } from './claim-pick.ts';

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
export function claimNextGrouped(services: Services, caller: Omit<Caller, 'sessionId'>): Promise<Picked | null> {
  const group = groups.get(services) ?? openGroup(services);
  return group.add({ ...caller, sessionId: services.db.session() });
}

function openGroup(services: Services): GroupCommit<Caller, Picked | null> {
  const group = new GroupCommit<Caller, Picked | null>({
    commit: async (callers) => {
      // Not bound to one session or caller: each caller's session is checked with its person (A21).
      const grant = () => services.db.forSession(null, () => grantNext(services, callers));
      const granted = await services.db.forOwner(null, grant);
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
