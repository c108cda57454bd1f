// A submitted item, its status and its claim. Payloads are JSON text, stored as submitted (invariant I7).
import { defineEntity, type EntityDictionary, p } from '@mikro-orm/core';
import { ITEM_KINDS, ITEM_STATUSES, ON_DEADLINE, OPEN_STATUSES, ROUTING_RULES } from '@countersign/shared/enums';
import type { SubmitterAction } from '@countersign/shared/review-actions';
import { Project } from './project.ts';
import { TextArray } from './text-array.ts';
import { User } from './user.ts';

const ItemSchema = defineEntity({
  name: 'Item',
  tableName: 'item',
  properties: {
    id: p.uuid().primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id'),
    status: p.enum(ITEM_STATUSES),
    /** While a decision is provisional (LC2): the status that the public API still shows. */
    publicStatus: p.enum(OPEN_STATUSES).nullable(),
    input: p.text(),
    suggestion: p.text(),
    metadata: p.text().nullable(),
    confidence: p.double().$type<number>(),
    riskFlags: p.type(TextArray).$type<string[]>(),
    /** The digest of the schema that suggestion and output must satisfy (TS); null: none. */
    answerSchema: p.text().nullable(),
    /** Why the suggestion does not satisfy it, as JSON text (TS1); null where it does. */
    suggestionFaults: p.text().nullable(),
    /** Of a redacted item: whether it had such faults (AN23). Null before, and where an older version redacted it. */
    wasInvalid: p.boolean().nullable(),
    /** What the pipeline calls it. */
    title: p.text().nullable(),
    kind: p.enum(ITEM_KINDS).default('answer'),
    /** What reviewers may do, as submitted (LC7); null: the default. */
    allowedActions: p.type(TextArray).$type<SubmitterAction[]>().nullable(),
    /** False: the suggestion was submitted as null, and a person writes the answer (TS5). */
    hasSuggestion: p.boolean().default(true),
    preview: p.text(),
    model: p.text().nullable(),
    source: p.text().nullable(),
    /** The W3C `traceparent` that the submission had (WH9). */
    traceparent: p.text().nullable(),
    /** Auto-approved and sampled for an audit (AU1): open for reviewers, unchanged for the pipeline. */
    audit: p.boolean().default(false),
    rule: p.enum(ROUTING_RULES),
    autoThreshold: p.double().$type<number>(),
    reviewThreshold: p.double().$type<number>(),
    matchedFlags: p.type(TextArray).$type<string[]>(),
    settingsVersion: p.integer(),
    version: p.integer(),
    claimedBy: () => p.manyToOne(User).mapToPk().fieldName('claimed_by').nullable(),
    /** Increases with every claim and never decreases (invariant I3). */
    claimFence: p.integer().default(0),
    /** Set while a claim is active; null once it is released, expired or used. */
    claimExpiresAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    dueAt: p.datetime(3),
    /** Until when it can be decided (DL), by the clock of the database; null: no deadline. */
    deadline: p.datetime(3).nullable(),
    onDeadline: p.enum(ON_DEADLINE).nullable(),
    /** From its arrival to its first deadline, in seconds. */
    deadlineSpan: p.integer().nullable(),
    deadlineExtended: p.boolean().default(false),
    /** By how many seconds the present deadline was extended; null: not at all, or by an older version. */
    deadlineExtension: p.integer().nullable(),
    /** When its deadline ended it (DL1). */
    expiredAt: p.datetime(3).nullable(),
    /** The entry whose people get it first (SK3), as `skillOf` names it; null: it is for everybody. */
    reservedFor: p.text().nullable(),
    /** Until when, by the clock of the database. */
    reservedUntil: p.datetime(3).nullable(),
    decidedAt: p.datetime(3).nullable(),
    /** When its payload was redacted (KE2): from then on its texts are empty. */
    redactedAt: p.datetime(3).fieldName('emptied_at').nullable(),
  },
  indexes: [
    {
      name: 'item_waiting_by_due',
      expression: `create index "item_waiting_by_due" on "item" ("project_id", "status", "due_at", "id", "reserved_for") where "status" in ('queued', 'escalated')`,
    },
    {
      name: 'item_waiting_for_all',
      expression: `create index "item_waiting_for_all" on "item" ("project_id", "due_at", "id") where "status" = 'queued' and "reserved_for" is null`,
    },
    {
      name: 'item_waiting_reserved',
      expression: `create index "item_waiting_reserved" on "item" ("project_id", "reserved_for", "due_at", "id", "reserved_until") where "status" = 'queued' and "reserved_for" is not null`,
    },
    {
      name: 'item_waiting_newest',
      expression: `create index "item_waiting_newest" on "item" ("project_id", "status", "created_at", "id") where "status" in ('queued', 'escalated')`,
    },
    {
      name: 'item_waiting_confidence',
      expression: `create index "item_waiting_confidence" on "item" ("project_id", "status", "confidence", "due_at", "id") where "status" in ('queued', 'escalated')`,
    },
    {
      name: 'item_waiting_flag',
      expression: `create index "item_waiting_flag" on "item" ("project_id", "status", (coalesce('0' || "risk_flags"[1], '1') collate "C"), "due_at", "id") where "status" in ('queued', 'escalated')`,
    },
    {
      name: 'item_held',
      expression: 'create index "item_held" on "item" ("project_id") where "claimed_by" is not null',
    },
    {
      name: 'item_claimed',
      expression: `create index "item_claimed" on "item" ("claim_expires_at") where "claim_expires_at" is not null`,
    },
    {
      name: 'item_deadline',
      expression: `create index "item_deadline" on "item" ("deadline") where "deadline" is not null and "status" in ('queued', 'escalated')`,
    },
    {
      name: 'item_expired',
      expression: `create index "item_expired" on "item" ("project_id", "expired_at") where "expired_at" is not null`,
    },
    {
      name: 'item_answer_schema',
      expression:
        'create index "item_answer_schema" on "item" ("project_id", "answer_schema") where "answer_schema" is not null',
    },
    { name: 'item_newest', properties: ['projectId', 'createdAt', 'id'] },
    {
      name: 'item_newest_by_shown_status',
      expression: `create index "item_newest_by_shown_status" on "item" ("project_id", (case when "audit" and "status" not in ('approved', 'rejected') then 'auto_approved' else coalesce("public_status", "status") end), "created_at", "id")`,
    },
    {
      name: 'item_audit',
      expression: 'create index "item_audit" on "item" ("project_id", "created_at") where "audit"',
    },
    {
      name: 'item_audit_model',
      expression: `create index "item_audit_model" on "item" ("project_id", (coalesce("model", '')), "created_at") where "audit"`,
    },
    {
      name: 'item_audit_waiting',
      expression: `create index "item_audit_waiting" on "item" ("project_id") where "audit" and ("status" in ('queued', 'escalated') or "public_status" is not null)`,
    },
  ],
});
export class Item extends ItemSchema.class {}
ItemSchema.setClass(Item);

/** A row of the table as the database returns it; `entityFromRow` turns it into an item. */
export type ItemColumns = EntityDictionary<Item>;

const toColumn = (property: string): string => property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const COLUMNS = Object.entries(ItemSchema.meta.properties).map(([property, options]) =>
  'fieldName' in options && typeof options.fieldName === 'string' ? options.fieldName : toColumn(property),
);

/** All columns of `ItemColumns` by name, which a prepared statement needs (`planned`). `of`: the table's alias. */
export const itemColumns = (of: string): string => COLUMNS.map((column) => `${of}.${column}`).join(', ');
