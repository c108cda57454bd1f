// Reads a snapshot of the queue: rows of one view in the order of a sort, all counts, and the event log position.
import { type QueueView, type Role, OPEN_STATUSES, type OpenStatus } from '@countersign/shared/enums';
import { COUNT_LIMIT } from '@countersign/shared/limits';
import type { QueueFilter } from '@countersign/shared/schemas/parts/queue-filter';
import { isUnfiltered } from '@countersign/shared/filters/queue-filter';
import type { Em } from '../../db/orm.ts';
import { Item, type ItemColumns } from '../../db/entities/item.ts';
import { Member } from '../../db/entities/member.ts';
import { Project } from '../../db/entities/project.ts';
import { may } from '../../domain/access/permissions.ts';
import { notFound } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { blindOf } from '../projects/audited-projects.ts';
import { readClaims, type ClaimView } from '../claims/read-claims.ts';
import { entityFromRow } from '../../db/entity-from-row.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { ROW_COLUMNS } from '../../db/row-columns.ts';
import { rowFor, toItemRow } from '../../domain/items/item-row.ts';
import type { QueuePlace, QueueSort } from '@countersign/shared/filters/queue-order';
import {
  decodeQueueCursor,
  encodeQueueCursor,
  keysOf,
  lanesOf,
  mergedOrder,
  Values,
  type KeyValues,
  type Lane,
} from './queue-order.ts';

export interface QueueQuery {
  projectId: string | undefined;
  view: QueueView;
  /** Oldest due first (LC3) unless given. */
  sort?: QueueSort;
  /** Narrows the rows; the counts stay those of the whole views. */
  filter?: QueueFilter;
  after: string | undefined;
  limit: number;
}

export interface QueueSnapshot {
  items: Item[];
  claims: Map<string, ClaimView>;
  /** The position up to which these rows are complete, when more may follow; the next page starts there. */
  end: QueuePlace | null;
  nextCursor: string | null;
  seqs: Map<string, number>;
  /** Projects whose waiting items the actor sees without their confidence (AU3). */
  blind: Set<string>;
  counts: Record<QueueView, number>;
}

/** Errors: `not_found` for a project that is not yours, `invalid_cursor`. */
export async function listQueue(services: Services, actor: MemberActor, query: QueueQuery): Promise<QueueSnapshot> {
  const sort = query.sort ?? 'due';
  const after = decodeQueueCursor(sort, query.after);
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
      ...(await readQueueRows(em, scope, { filter: {}, ...query, sort, after })),
      seqs,
      blind,
      counts: await countsOf(em, scope),
    };
  });
  const nextCursor = snapshot.end === null ? null : encodeQueueCursor(sort, snapshot.end);
  return { ...snapshot, nextCursor, claims: await readClaims(services, snapshot.items) };
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

interface QueueScope {
  /** The requested projects. */
  all: string[];
  /** Those in which the actor may claim escalated items. */
  escalated: string[];
  /**
   * Those in which the confidence of waiting items is hidden from the actor: a filter by it finds nothing there, and a sort by it
   * puts them last, in due order (AU3).
   */
  blind: ReadonlySet<string>;
  userId: string;
}

interface QueueRequest {
  view: QueueView;
  sort: QueueSort;
  filter: QueueFilter;
  after: KeyValues | null;
  limit: number;
}

interface QueueRows {
  items: Item[];
  /** The position up to which these rows are complete; null when nothing that matches follows. */
  end: QueuePlace | null;
}

/**
 * How many waiting items of each status one page examines for a filter. A filter with few matches would otherwise read the whole
 * queue, so its page may be short or empty and still have a next one.
 */
const MAX_EXAMINED = 20_000;

const ROW = `${ROW_COLUMNS}, claimed_by, claim_fence, claim_expires_at`;

/** A range of the index: one project and status, in order. */
interface Part {
  project: string;
  status: OpenStatus;
}

const partsOf = (projects: string[], statuses: readonly OpenStatus[]): Part[] =>
  projects.flatMap((project) => statuses.map((status) => ({ project, status })));

/** The ranges that each view reads. */
const PARTS: Record<QueueView, (scope: QueueScope) => Part[]> = {
  available: ({ all, escalated }) => [...partsOf(all, ['queued']), ...partsOf(escalated, ['escalated'])],
  mine: ({ all }) => partsOf(all, OPEN_STATUSES),
  escalated: ({ all }) => partsOf(all, ['escalated']),
  all: ({ all }) => partsOf(all, OPEN_STATUSES),
};

/** The condition of each view on those. Free items have no live claim. */
const CONDITIONS: Record<QueueView, (scope: QueueScope, values: Values) => string> = {
  available: () => 'claim_expires_at is null',
  mine: ({ userId }, values) => `claimed_by = ${values.add(userId, 'uuid')} and claim_expires_at is not null`,
  escalated: () => '',
  all: () => '',
};

/** One row per range: `p` its project, `s` its status. */
const fromParts = (parts: readonly Part[], values: Values): string => {
  const projects = parts.map(({ project }) => project);
  const statuses = parts.map(({ status }) => status);
  return `unnest(${values.add(projects, 'uuid[]')}, ${values.add(statuses, 'text[]')}) as part (p, s)`;
};

/** The list of statuses tells the planner that the index of waiting items applies. */
const OF_PART = `project_id = p and status = s and status in ('queued', 'escalated')`;

/** Reads one page. The rows of each range come in order from an index and are merged. */
export async function readQueueRows(em: Em, scope: QueueScope, asked: QueueRequest): Promise<QueueRows> {
  const { limit, view, filter, sort } = asked;
  const horizon = view === 'mine' || isUnfiltered(filter) ? null : await horizonOf(em, scope, asked);
  const values = new Values();
  const end = horizon && keysOf(sort, horizon);
  const where = [CONDITIONS[view](scope, values), ...filtered(filter, scope.blind, values)];
  const most = `limit ${values.add(limit + 1, 'int')}`;
  const items = await readLanes(em, asked, {
    lanes: lanesOf(sort, PARTS[view](scope), scope.blind),
    values,
    conditions: (lane) => [...where, lane.beyond(asked.after, values), lane.upTo(end, values)],
    span: most,
    most,
  });
  const page = items.slice(0, limit);
  const last = page.at(-1);
  return { items: page, end: items.length > limit && last !== undefined ? placeOf(last, scope) : horizon };
}

/** The position up to which this page examined every range. Null when it reached the end of all of them. */
async function horizonOf(em: Em, scope: QueueScope, asked: QueueRequest): Promise<QueuePlace | null> {
  const each = Math.max(asked.limit, Math.floor(MAX_EXAMINED / Math.max(1, scope.all.length)));
  const values = new Values();
  const [first] = await readLanes(em, asked, {
    lanes: lanesOf(asked.sort, PARTS[asked.view](scope), scope.blind),
    values,
    conditions: (lane) => [lane.beyond(asked.after, values)],
    span: `offset ${values.add(each, 'int')} limit 1`,
    most: 'limit 1',
  });
  return first === undefined ? null : placeOf(first, scope);
}

interface Reading {
  lanes: readonly Lane<Part>[];
  values: Values;
  /** Those of the rows of a lane: '' for none, null where no row of it is wanted. */
  conditions: (lane: Lane<Part>) => readonly (string | null)[];
  /** The part of each range, and how many of the merged rows. */
  span: string;
  most: string;
}

/** Reads the same part of each range, and of those rows the first ones. */
async function readLanes(em: Em, { sort }: QueueRequest, { lanes, values, ...reading }: Reading): Promise<Item[]> {
  const selects = lanes.flatMap((lane) => {
    const where = [OF_PART, ...reading.conditions(lane)];
    if (lane.parts.length === 0 || where.includes(null)) return [];
    return `select w.* from ${fromParts(lane.parts, values)} cross join lateral (
      select ${ROW}, ${lane.columns} from item where ${where.filter(Boolean).join(' and ')}
      order by ${lane.order} ${reading.span}) as w`;
  });
  if (selects.length === 0) return [];
  const text = `select ${ROW} from (${selects.join(' union all ')}) as w order by ${mergedOrder(sort)} ${reading.most}`;
  const rows = await rawQuery<ItemColumns>(em, text, values.list);
  return rows.map((row) => entityFromRow(em, Item, row));
}

/** The position of an item, as far as the actor may know it: of its flags only the one that is compared. */
function placeOf(item: Item, { blind }: QueueScope): QueuePlace {
  const { id, due_at, created_at, confidence, risk_flags } = rowFor(blind.has(item.projectId), toItemRow(item, null));
  return { id, due_at, created_at, confidence, risk_flags: risk_flags.slice(0, 1) };
}

/** The same conditions as `answers()`: only A to Z are case-insensitive, and every other character matches itself. */
function filtered(filter: QueueFilter, blind: ReadonlySet<string>, values: Values): string[] {
  const { flag, model, source, min_confidence, max_confidence, text } = filter;
  const conditions = [];
  if (flag !== undefined) conditions.push(`risk_flags @> array[${values.add(flag, 'text')}]`);
  if (model !== undefined) conditions.push(`model = ${values.add(model, 'text')}`);
  if (source !== undefined) conditions.push(`source = ${values.add(source, 'text')}`);
  if (min_confidence !== undefined) conditions.push(`confidence >= ${values.add(min_confidence, 'float8')}`);
  if (max_confidence !== undefined) conditions.push(`confidence <= ${values.add(max_confidence, 'float8')}`);
  if ((min_confidence ?? max_confidence) !== undefined && blind.size > 0)
    conditions.push(`p <> all(${values.add([...blind], 'uuid[]')})`);
  if (text !== undefined) conditions.push(textCondition(folded(values.add(text, 'text'))));
  return conditions;
}

/** In the title or in the preview. */
const textCondition = (text: string): string =>
  `(strpos(${folded('preview')}, ${text}) > 0 or strpos(${folded("coalesce(title, '')")}, ${text}) > 0)`;

/** In the collation C only A to Z have a lower case; in others it depends on the locale of the database. */
const folded = (what: string): string => `lower(${what} collate "C")`;
