// The SQL statements of the intake: each handles a whole group of submissions, with its rows in one JSON parameter.
import { NIL } from 'uuid';
import type { BelowReview, ItemKind, ItemStatus, OnDeadline, RoutingRule } from '@countersign/shared/enums';
import type { SubmitterAction } from '@countersign/shared/review-actions';
import type { SkillRoute } from '../domain/skills/reservation.ts';
import type { Em } from './orm.ts';
import { planned } from './connection/planned.ts';
import { rawQuery } from './raw-query.ts';

/** The identity of an idempotency key (docs/spec/public-api.md#idempotency). */
export interface KeyId {
  projectId: string;
  /** `submit`, `batch` or `inbound:<source id>`. */
  operation: string;
  key: string;
}

/** Stands in the row of a key for an item that was refused (DL6): a repeat refuses the same ones at any later time. */
export const REFUSED = NIL;

export interface KeyRow extends KeyId {
  bodySha256: string | null;
  itemIds: string[];
}

export const keyIdText = ({ projectId, operation, key }: KeyId): string => `${projectId} ${operation} ${key}`;

const intakeLockOf = (id: string) => `hashtextextended('intake:' || ${id}, 0)`;

/** The intake locks first, in the given order: a transaction that holds a key waits for nothing else. */
const ENTER = planned(`
  select null as text, pg_advisory_xact_lock_shared(${intakeLockOf('id')}) is not null as locked
  from json_array_elements_text($1::json) as p(id)
  union all
  select text, pg_try_advisory_xact_lock(hashtextextended(text, 0)) from json_array_elements_text($2::json) as k(text)`);

/**
 * Takes the shared intake lock of these projects and locks the keys, until the transaction ends; returns the keys that
 * another transaction holds. It does not wait for keys, which would delay the other submissions of the group. It does
 * wait for an exclusive intake lock (`lockIntakeExclusive`). A later statement sees every committed row of the keys,
 * and everything committed under an exclusive lock.
 */
export async function lockIntakeShared(em: Em, projectIds: string[], keyIds: KeyId[]): Promise<Set<string>> {
  const values = [[...new Set(projectIds)].sort(), [...new Set(keyIds.map(keyIdText))]];
  const rows = await rawQuery<{ text: string | null; locked: boolean }>(
    em,
    ENTER,
    values.map((texts) => JSON.stringify(texts)),
  );
  return new Set(rows.flatMap(({ text, locked }) => (text === null || locked ? [] : text)));
}

/**
 * Takes the exclusive intake lock of a project until the transaction ends: waits for running submissions and blocks
 * later ones. Advisory locks are granted in order of request, whereas row locks go to any transaction that can share
 * them: overlapping groups of submissions could starve a waiting `for update`.
 */
export async function lockIntakeExclusive(em: Em, projectId: string): Promise<void> {
  await em.execute(`select pg_advisory_xact_lock(${intakeLockOf('?::text')})`, [projectId]);
}

// Not prepared: on a table that grows this fast, a plan from when it was small would scan all of it.
const FIND_KEYS = `select k.project_id, k.operation, k.key, k.body_sha256, array_to_string(k.item_ids, ',') as item_ids
  from json_to_recordset($1::json) as w(project_id uuid, operation text, key text)
  join idempotency_key k on k.project_id = w.project_id and k.operation = w.operation and k.key = w.key`;

/** The existing keys, by `keyIdText`. */
export async function findKeys(em: Em, keyIds: KeyId[]): Promise<Map<string, KeyRow>> {
  const wanted = keyIds.map(({ projectId, operation, key }) => ({ project_id: projectId, operation, key }));
  const rows = await rawQuery<{
    project_id: string;
    operation: string;
    key: string;
    body_sha256: string | null;
    item_ids: string;
  }>(em, FIND_KEYS, [JSON.stringify(wanted)]);
  const found = rows.map((row) => ({
    projectId: row.project_id,
    operation: row.operation,
    key: row.key,
    bodySha256: row.body_sha256,
    itemIds: row.item_ids.split(','),
  }));
  return new Map(found.map((row) => [keyIdText(row), row]));
}

const INSERT_KEYS = planned(`insert into idempotency_key (project_id, operation, key, body_sha256, item_ids, created_at)
  select project_id, operation, key, body_sha256, item_ids, $2::timestamptz
  from json_to_recordset($1::json) as r(project_id uuid, operation text, key text, body_sha256 text, item_ids uuid[])
  on conflict do nothing`);

/** Inserts keys; existing ones stay unchanged. */
export async function insertKeys(em: Em, keys: KeyRow[], createdAt: Date): Promise<void> {
  await rawQuery(em, INSERT_KEYS, [
    JSON.stringify(
      keys.map((row) => ({
        project_id: row.projectId,
        operation: row.operation,
        key: row.key,
        body_sha256: row.bodySha256,
        item_ids: row.itemIds,
      })),
    ),
    createdAt.toISOString(),
  ]);
}

/** The settings of a project that routing needs (RT5), as in its row. */
export interface RoutingRow {
  id: string;
  auto_threshold: number;
  review_threshold: number;
  below_review: BelowReview;
  escalate_flags: string[];
  settings_version: number;
  target_minutes: number;
  /** The deadline of items that bring none (DL6); null: none. */
  deadline_minutes: number | null;
  on_deadline: OnDeadline;
  /** The clock of the database, by which deadlines pass; in ms since the epoch. */
  clock: number;
  /** The share of automatic approvals that is sampled for an audit (AU1), from 0 to 1. */
  audit_rate: number;
  /** The salt of sampling, in addition to the item ID. */
  audit_salt: string;
  /** Reviewers decide everything (RT7). */
  stopped: boolean;
  /** Who gets which items first (SK); null: there are no such entries. */
  skill_routes: SkillRoute[] | null;
}

/** A project of the submissions. */
export interface SubmissionProject extends RoutingRow {
  /** It accepts no submissions (AR1). */
  archived: boolean;
  /** The digest of its answer schema (TS); null: none. */
  answer_schema_digest: string | null;
}

const READ_ROUTING =
  planned(`select id, auto_threshold, review_threshold, below_review, array_to_json(escalate_flags)::text as escalate_flags,
    settings_version, target_minutes, audit_rate, audit_salt, stopped_at is not null as stopped, archived_at is not null as archived,
    answer_schema_digest, skill_routes::text as skill_routes, deadline_minutes, on_deadline, (extract(epoch from deadline_clock()) * 1000)::float8 as clock
  from project where id in (select text::uuid from json_array_elements_text($1::json) as k(text)) and deleted_at is null
  for key share of project`);

/**
 * The settings of these projects; deleted ones are omitted (AR2). Each row is locked as the foreign keys of the items
 * lock it, before it is read: a stop by a process of the previous version, which has no intake lock, then waits for
 * submissions that have not seen it (RT7).
 */
export async function readRouting(em: Em, projectIds: string[]): Promise<Map<string, SubmissionProject>> {
  type Row = Omit<SubmissionProject, 'escalate_flags' | 'skill_routes'> & {
    escalate_flags: string;
    skill_routes: string | null;
  };
  const rows = await rawQuery<Row>(em, READ_ROUTING, [JSON.stringify([...new Set(projectIds)])]);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        ...row,
        escalate_flags: JSON.parse(row.escalate_flags) as string[],
        skill_routes: row.skill_routes === null ? null : (JSON.parse(row.skill_routes) as SkillRoute[]),
      },
    ]),
  );
}

/** A routed submission as its row will be. Payloads are JSON text. */
export interface NewItem {
  id: string;
  projectId: string;
  status: ItemStatus;
  publicStatus: null;
  input: string;
  suggestion: string;
  metadata: string | null;
  /** The digest of the schema for its suggestion and output; null: none. */
  answerSchema: string | null;
  /** JSON text; null where the suggestion satisfies it. */
  suggestionFaults: string | null;
  confidence: number;
  riskFlags: string[];
  title: string | null;
  kind: ItemKind;
  allowedActions: SubmitterAction[] | null;
  hasSuggestion: boolean;
  preview: string;
  model: string | null;
  source: string | null;
  /** The W3C `traceparent` of the submission (WH9). */
  traceparent: string | null;
  /** Sampled for an audit (AU1). */
  audit: boolean;
  rule: RoutingRule;
  autoThreshold: number;
  reviewThreshold: number;
  matchedFlags: string[];
  settingsVersion: number;
  version: number;
  createdAt: Date;
  dueAt: Date;
  deadline: Date | null;
  onDeadline: OnDeadline | null;
  deadlineSpan: number | null;
  deadlineExtended: false;
  expiredAt: null;
  /** Who gets it first (SK3), and until when. */
  reservedFor: string | null;
  reservedUntil: Date | null;
  decidedAt: Date | null;
  /** The ID of its automatic decision (RT2), or null. */
  decisionId: string | null;
}

/** One statement for all items and their automatic decisions (RT2 ships the suggestion unchanged). */
const INSERT_ITEMS = planned(`
  with arrived as (
    select * from json_to_recordset($1::json) as r(
      id uuid, "projectId" uuid, status text, input text, suggestion text, metadata text, "answerSchema" text,
      "suggestionFaults" text, confidence float8,
      "riskFlags" text[], title text, kind text, "allowedActions" text[], "hasSuggestion" boolean, preview text, model text, source text, traceparent text, audit boolean, rule text, "autoThreshold" float8,
      "reviewThreshold" float8, "matchedFlags" text[], "settingsVersion" int, version int,
      "createdAt" timestamptz, "dueAt" timestamptz, deadline timestamptz, "onDeadline" text, "deadlineSpan" int,
      "reservedFor" text, "reservedUntil" timestamptz, "decidedAt" timestamptz, "decisionId" uuid)
  ), stored as (
    insert into item (id, project_id, status, input, suggestion, metadata, answer_schema, suggestion_faults, confidence, risk_flags,
      title, kind, allowed_actions, has_suggestion, preview, model, source, traceparent,
      audit, rule, auto_threshold, review_threshold, matched_flags, settings_version, version, created_at, due_at, deadline, on_deadline, deadline_span,
      reserved_for, reserved_until, decided_at)
    select id, "projectId", status, input, suggestion, metadata, "answerSchema", "suggestionFaults", confidence, "riskFlags",
      title, kind, "allowedActions", "hasSuggestion", preview, model, source, traceparent,
      audit, rule, "autoThreshold", "reviewThreshold", "matchedFlags", "settingsVersion", version, "createdAt", "dueAt",
      deadline, "onDeadline", "deadlineSpan", "reservedFor", "reservedUntil", "decidedAt"
    from arrived
  )
  insert into decision (id, item_id, project_id, status, action, output, edited, decided_at, final_at)
  select "decisionId", id, "projectId", 'approved', 'auto_approve', suggestion, false, "createdAt", "createdAt"
  from arrived where "decisionId" is not null`);

export async function insertItems(em: Em, items: NewItem[]): Promise<void> {
  await rawQuery(em, INSERT_ITEMS, [JSON.stringify(items)]);
}

/** A schema as it was sent, by the digest of its text. */
export interface SchemaText {
  projectId: string;
  digest: string;
  text: string;
}

const INSERT_SCHEMAS = `insert into answer_schema (project_id, digest, text, created_at)
  select project_id, digest, text, $2::timestamptz from json_to_recordset($1::json) as r(project_id uuid, digest text, text text)
  on conflict do nothing`;

/** Stores each schema once per project. */
export async function insertSchemas(em: Em, schemas: SchemaText[], createdAt: Date): Promise<void> {
  const rows = schemas.map(({ projectId, digest, text }) => ({ project_id: projectId, digest, text }));
  await rawQuery(em, INSERT_SCHEMAS, [JSON.stringify(rows), createdAt.toISOString()]);
}

/** The text of a schema; null when none is stored under this digest: retention removed it with the last item that named it. */
export async function readSchemaText(em: Em, { projectId, digest }: Omit<SchemaText, 'text'>): Promise<string | null> {
  const [row] = await rawQuery<{ text: string }>(
    em,
    'select text from answer_schema where project_id = $1 and digest = $2',
    [projectId, digest],
  );
  return row?.text ?? null;
}
