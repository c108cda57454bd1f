// An item as a member sees it: as a list row, and in full.
import { z } from 'zod';
import { decision, routing } from './decision.ts';
import { timestamp, uuid } from './ids.ts';
import { answerFault, json } from './json.ts';
import { abilities, itemKind, itemStatus, onDeadline, submitterAction } from './enums.ts';

export const claim = z.object({ user_id: uuid, name: z.string(), expires_at: timestamp });
export type Claim = z.infer<typeof claim>;

/** Until when an open item can be decided, and what happens then (DL1). */
export const deadline = z
  .object({
    at: timestamp,
    on_deadline: onDeadline,
    /** The whole time to this deadline, in seconds, with its extension: pages warn when a fifth of it is left. */
    span_seconds: z.number().int(),
    /** A supervisor extended it, which is possible once (DL5). */
    extended: z.boolean(),
  })
  .meta({ id: 'Deadline' });
export type Deadline = z.infer<typeof deadline>;

/** Who gets an item first, and until when (SK3). */
export const reservation = z
  .object({
    /** The entry of the project's `skills`, as `skillOf` names it. */
    skill: z.string(),
    /** Everybody gets it from then on. */
    until: timestamp,
  })
  .meta({ id: 'Reservation' });
export type Reservation = z.infer<typeof reservation>;

/** One row of the queue. Carries no payload: the preview is at most 140 characters of the input. */
export const itemRow = z
  .object({
    id: uuid,
    project_id: uuid,
    status: itemStatus,
    preview: z.string(),
    /** What the pipeline calls the item; lists show it instead of the preview. */
    title: z.string().nullable(),
    kind: itemKind,
    /** What reviewers may do, besides the moves and withholding that are always possible (LC7). */
    allowed_actions: z.array(submitterAction),
    /** False: the suggestion is null, so that there is nothing to approve, and a person writes the answer (TS5). */
    has_suggestion: z.boolean(),
    /** The suggestion does not satisfy its schema, and cannot be approved (TS2). */
    invalid: z.boolean(),
    /** Null while it is hidden from the member: in a project with audits, until the decision is final (AU3). */
    confidence: z.number().nullable(),
    risk_flags: z.array(z.string()),
    model: z.string().nullable(),
    source: z.string().nullable(),
    created_at: timestamp,
    /** By its target (LC3), or its deadline if that is earlier. */
    due_at: timestamp,
    /** Null: it waits as long as it takes. */
    deadline: deadline.nullable(),
    /** Absent where it is for everybody. It ends by itself: when the time passes, or when nobody of its entry is a member. */
    reserved: reservation.optional(),
    /** Increases with every change of this item; an event that is not newer is ignored. */
    version: z.number().int(),
    claim: claim.nullable(),
  })
  .meta({ id: 'ItemRow' });
export type ItemRow = z.infer<typeof itemRow>;

/** The item in the editor. `undo_until` is set while the decision is provisional (LC2). */
export const itemDetail = itemRow
  .extend({
    input: json,
    suggestion: json,
    metadata: z.record(z.string(), json).nullable(),
    /** The schema that applies to suggestion and output (TS); null: none. */
    answer_schema: json.nullable(),
    /** Why the suggestion does not satisfy it; null where it does. */
    suggestion_faults: z.array(answerFault).nullable(),
    /** Null when the confidence is (AU3). */
    routing: routing.nullable(),
    /**
     * A reviewer audited it after it was auto-approved: the shipped decision is unchanged (AU2). Shown once it is
     * decided.
     */
    audited: z.boolean(),
    decision: decision.nullable(),
    decided_by: z.string().nullable(),
    /** The decisions that were revised and who made them, the newest first, at most ten (RV1). */
    earlier_decisions: z.array(z.object({ decision, decided_by: z.string().nullable() })),
    undo_until: timestamp.nullable(),
    /** When its deadline ended it (DL1). */
    expired_at: timestamp.nullable(),
    /** When its payload was redacted (KE2): from then on those fields are null or empty. */
    emptied_at: timestamp.nullable(),
    abilities,
  })
  .meta({ id: 'ItemDetail' });
export type ItemDetail = z.infer<typeof itemDetail>;
