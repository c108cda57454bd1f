// A snapshot of the queue: rows of one view, oldest due first (LC3), the counts of every view, and the ledger position it is as new as.
import { raw } from '@mikro-orm/core';
import type { QueueView } from '@countersign/shared/api/queue';
import type { Role } from '@countersign/shared/words';
import type { Em } from '../../db/orm.ts';
import { Item } from '../../db/entities/item.ts';
import { Member } from '../../db/entities/member.ts';
import { Project } from '../../db/entities/project.ts';
import { may } from '../../domain/permissions.ts';
import { nothingHere } from '../membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { claimsOf, type ClaimView } from './claims-of.ts';
import { decodeCursor, toPage } from './cursor.ts';

export interface QueueQuery {
  projectId: string | undefined;
  view: QueueView;
  after: string | undefined;
  limit: number;
}

export interface QueueSnapshot {
  items: Item[];
  claims: Map<string, ClaimView>;
  nextCursor: string | null;
  seqs: Map<string, number>;
  counts: Record<QueueView, number>;
}

/** Errors: `not_found` for a project that is not yours, `invalid_cursor`. */
export async function listQueue(services: Services, actor: MemberActor, query: QueueQuery): Promise<QueueSnapshot> {
  const snapshot = await services.db.read(async (em) => {
    const seats = await rolesOf(em, actor, query.projectId);
    // The position is read before the rows: they are at least as new, and what they already show is ignored by version.
    const open = { id: { $in: [...seats.keys()] }, archivedAt: null };
    const projects = await em.find(Project, open, { fields: ['eventSeq'] });
    const seqs = new Map(projects.map((project) => [project.id, project.eventSeq]));
    // An archived project hands nothing out (AR1): its items are in no view.
    const roles = new Map([...seats].filter(([id]) => seqs.has(id)));
    const scope = { all: [...roles.keys()], escalated: mayDecideEscalated(roles), userId: actor.userId };
    return { ...(await pageOf(em, scope, query)), seqs, counts: await countsOf(em, scope) };
  });
  return { ...snapshot, claims: await claimsOf(services, snapshot.items) };
}

async function rolesOf(em: Em, actor: MemberActor, projectId: string | undefined): Promise<Map<string, Role>> {
  const members = await em.find(Member, { userId: actor.userId, ...(projectId === undefined ? {} : { projectId }) });
  if (projectId !== undefined && members.length === 0) throw nothingHere();
  return new Map(members.map((member) => [member.projectId, member.role]));
}

const mayDecideEscalated = (roles: Map<string, Role>): string[] =>
  [...roles].filter(([, role]) => may(role, 'decide_escalated')).map(([id]) => id);

interface Scope {
  all: string[];
  /** Projects in which the actor may take escalated items. */
  escalated: string[];
  userId: string;
}

/** What each view holds, as ORM conditions; `free` rows have no live claim. */
function conditionOf(view: QueueView, { all, escalated, userId }: Scope) {
  const waiting = { projectId: { $in: all }, status: { $in: ['queued' as const, 'escalated' as const] } };
  const conditions = {
    available: {
      $or: [
        { projectId: { $in: all }, status: 'queued' as const },
        { projectId: { $in: escalated }, status: 'escalated' as const },
      ],
      claimExpiresAt: null,
    },
    mine: { ...waiting, claimedBy: userId, claimExpiresAt: { $ne: null } },
    escalated: { projectId: { $in: all }, status: 'escalated' as const },
    all: waiting,
  };
  return conditions[view];
}

async function pageOf(em: Em, scope: Scope, { view, after, limit }: QueueQuery) {
  const cursor = decodeCursor(after);
  const beyond = cursor === null ? {} : { [raw('(due_at, id)')]: { $gt: raw('(?, ?::uuid)', [cursor.at, cursor.id]) } };
  const where = { $and: [conditionOf(view, scope), beyond] };
  const rows = await em.find(Item, where, {
    orderBy: { dueAt: 'asc', id: 'asc' },
    limit: limit + 1,
    fields: ROW_FIELDS,
  });
  const page = toPage(rows as Item[], limit, (item) => ({ at: item.dueAt, id: item.id }));
  return { items: page.rows, nextCursor: page.nextCursor };
}

/** A row needs no payload; reading megabytes to show a list would make the page slow. */
const ROW_FIELDS = [
  'projectId',
  'status',
  'preview',
  'confidence',
  'riskFlags',
  'model',
  'source',
  'createdAt',
  'dueAt',
  'version',
  'claimedBy',
  'claimFence',
  'claimExpiresAt',
] as const;

async function countsOf(em: Em, { all, escalated, userId }: Scope): Promise<Record<QueueView, number>> {
  const rows = await em.execute<Record<QueueView, string>[]>(
    `select count(*) filter (where claim_expires_at is null and (status = 'queued' or project_id = any(?::uuid[]))) as available,
       count(*) filter (where claimed_by = ? and claim_expires_at is not null) as mine,
       count(*) filter (where status = 'escalated') as escalated, count(*) as "all"
     from item where project_id = any(?::uuid[]) and status in ('queued', 'escalated')`,
    [`{${escalated.join(',')}}`, userId, `{${all.join(',')}}`],
  );
  const row = rows[0];
  return {
    available: Number(row?.available ?? 0),
    mine: Number(row?.mine ?? 0),
    escalated: Number(row?.escalated ?? 0),
    all: Number(row?.all ?? 0),
  };
}
