// Reads a snapshot of the queue: rows of one view by due time (LC3), the counts of every view, and the event log position.
import { type QueueView, COUNT_LIMIT } from '@countersign/shared/api/queue';
import type { QueueFilter } from '@countersign/shared/filters/queue-filter';
import type { Role } from '@countersign/shared/enums';
import type { Em } from '../../db/orm.ts';
import type { Item } from '../../db/entities/item.ts';
import { Member } from '../../db/entities/member.ts';
import { Project } from '../../db/entities/project.ts';
import { may } from '../../domain/access/permissions.ts';
import { notFound } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { blindOf } from '../projects/audited-projects.ts';
import { claimsOf, type ClaimView } from '../claims/claims-of.ts';
import { decodeCursor, encodeCursor, type Cursor } from '../cursor.ts';
import { readQueueRows, type QueueScope } from './queue-rows.ts';
import { rawQuery } from '../../db/raw-query.ts';

export interface QueueQuery {
  projectId: string | undefined;
  view: QueueView;
  /** Narrows the rows; the counts stay those of the whole views. */
  filter?: QueueFilter;
  after: string | undefined;
  limit: number;
}

export interface QueueSnapshot {
  items: Item[];
  claims: Map<string, ClaimView>;
  /** The position up to which these rows are complete, when more may follow; the next page starts there. */
  end: Cursor | null;
  nextCursor: string | null;
  seqs: Map<string, number>;
  /** Projects whose waiting items the actor sees without their confidence (AU3). */
  blind: Set<string>;
  counts: Record<QueueView, number>;
}

/** Errors: `not_found` for a project that is not yours, `invalid_cursor`. */
export async function listQueue(services: Services, actor: MemberActor, query: QueueQuery): Promise<QueueSnapshot> {
  const after = decodeCursor(query.after);
  const snapshot = await services.db.read(async (em) => {
    const memberships = await rolesOf(em, actor, query.projectId);
    // The position is read before the rows: the rows are at least as new, and pages ignore events they already show by version.
    const projects = await em.find(
      Project,
      { id: { $in: [...memberships.keys()] } },
      { fields: ['eventSeq', 'archivedAt'] },
    );
    // Includes archived projects: members still receive their events, and a missing position would count as a gap.
    const seqs = new Map(projects.map((project) => [project.id, project.eventSeq]));
    // Items of an archived project are in no view (AR1).
    const open = new Set(projects.filter(({ archivedAt }) => archivedAt === null).map(({ id }) => id));
    const roles = new Map([...memberships].filter(([id]) => open.has(id)));
    const blind = await blindOf(em, roles);
    const scope = { all: [...roles.keys()], escalated: mayDecideEscalated(roles), userId: actor.userId, blind };
    return {
      ...(await readQueueRows(em, scope, { filter: {}, ...query, after })),
      seqs,
      blind,
      counts: await countsOf(em, scope),
    };
  });
  const nextCursor = snapshot.end === null ? null : encodeCursor(snapshot.end);
  return { ...snapshot, nextCursor, claims: await claimsOf(services, snapshot.items) };
}

async function rolesOf(em: Em, actor: MemberActor, projectId: string | undefined): Promise<Map<string, Role>> {
  const members = await em.find(Member, { userId: actor.userId, ...(projectId === undefined ? {} : { projectId }) });
  if (projectId !== undefined && members.length === 0) throw notFound();
  return new Map(members.map((member) => [member.projectId, member.role]));
}

const mayDecideEscalated = (roles: Map<string, Role>): string[] =>
  [...roles].filter(([, role]) => may(role, 'decide_escalated')).map(([id]) => id);

/**
 * Each status is searched separately, so that the index skips no rows: escalated
 * items cost nothing for people who may not claim them.
 */
const counted = (most: string, escalated: string): string => `
  (select count(*) from (
    (select 1 from item where project_id = any($1::uuid[]) and status = 'queued' limit ${most})
    union all (select 1 from item where project_id = any(${escalated}::uuid[]) and status = 'escalated' limit ${most})
    limit ${most}) w)`;

/**
 * Each count stops one beyond `COUNT_LIMIT`, so that the length of the queue does not matter. Held items are few and all counted;
 * they are subtracted from what could be claimed, so that no other row has to be visited.
 */
const COUNTS = `
  with held as (
    select count(*) filter (where status = 'queued' or project_id = any($2::uuid[])) as reachable,
      count(*) filter (where claimed_by = $3::uuid) as mine
    from item where claim_expires_at is not null and project_id = any($1::uuid[]) and status in ('queued', 'escalated'))
  select held.mine,
    ${counted('$4::int + held.reachable', '$2')} - held.reachable as available,
    (select count(*) from (select 1 from item where project_id = any($1::uuid[]) and status = 'escalated' limit $4::int) w) as escalated,
    ${counted('$4::int', '$1')} as "all"
  from held`;

/** The number in each view; one more than `COUNT_LIMIT` means: more than that. */
async function countsOf(em: Em, { all, escalated, userId }: QueueScope): Promise<Record<QueueView, number>> {
  const [row] = await rawQuery<Record<QueueView, string | number>>(em, COUNTS, [
    all,
    escalated,
    userId,
    COUNT_LIMIT + 1,
  ]);
  const number = (view: QueueView) => Math.min(COUNT_LIMIT + 1, Number(row?.[view] ?? 0));
  return { available: number('available'), mine: number('mine'), escalated: number('escalated'), all: number('all') };
}
