// Converts a validated submission into its rows and its event, by the settings of the moment (RT6).
import type { ActorRef, NewEvent } from '@countersign/shared/schemas/parts/events';
import { hashToUnit } from '../../crypto/hash-to-unit.ts';
import type { SubmitterAction } from '@countersign/shared/review-actions';
import type { ItemKind } from '@countersign/shared/enums';
import type { Ids } from '../../db/clock.ts';
import type { NewItem, RoutingRow } from '../../db/submit-batch.ts';
import { isDrawn } from '../../domain/audits/audit.ts';
import { newDeadline, type AskedDeadline } from '../../domain/items/deadline.ts';
import { dueAt, isOpen } from '../../domain/items/item.ts';
import { previewOf } from '../../domain/items/preview.ts';
import { toItemRow } from '../../domain/items/item-row.ts';
import { needsPerson, route } from '../../domain/items/routing.ts';
import { reservationOf } from '../../domain/skills/reservation.ts';
import type { AnswerSchema, SchemaCheck } from './answer-schemas.ts';

/** A validated submission. The raw members are the JSON text as received (I7). */
export interface SubmitInput {
  input: { value: unknown; raw: string };
  suggestion: { raw: string };
  metadata: { value: Record<string, unknown>; raw: string } | null;
  confidence: number;
  riskFlags: string[];
  /** Its own schema (TS); null switches that of the project off, which applies where it is omitted. */
  answerSchema?: AnswerSchema | null;
  /** The valid W3C `traceparent` of the request (WH9). */
  traceparent?: string | null;
  /** What the pipeline calls it. */
  title?: string;
  /** Omitted: `answer`. */
  kind?: ItemKind;
  /** Omitted: the default (LC7). */
  allowedActions?: SubmitterAction[];
  /** Omitted: the settings of the project (DL6). */
  deadline?: AskedDeadline & {
    /** Of the absolute time in the request. */
    pointer: string;
  };
}

/** TS5: whether there is something to approve. */
const hasSuggestion = ({ suggestion }: Pick<SubmitInput, 'suggestion'>): boolean => suggestion.raw !== 'null';

const approvableOf = (input: SubmitInput, check: SchemaCheck | null) => ({
  isInvalid: check !== null && check.faults !== null,
  hasSuggestion: hasSuggestion(input),
  allowedActions: input.allowedActions ?? null,
});

/**
 * Routes the submission and builds its row. `decisionId` is set when it is approved
 * automatically (RT2); an item drawn for an audit waits as well (AU1).
 */
export function toNewItem(
  input: SubmitInput,
  project: RoutingRow,
  made: { ids: Ids; now: Date; check?: SchemaCheck | null },
): NewItem {
  const check = made.check ?? null;
  const routing = {
    confidence: input.confidence,
    risk_flags: input.riskFlags,
    needs_person: needsPerson(approvableOf(input, check)),
  };
  const routed = route(routing, project);
  const id = made.ids.uuid();
  const ships = routed.status === 'auto_approved';
  const audit = ships && isDrawn(hashToUnit(`${project.audit_salt} ${id}`), project.audit_rate);
  const status = audit ? 'queued' : routed.status;
  const due = dueColumns(input, project, made.now);
  return {
    id,
    projectId: project.id,
    status,
    publicStatus: null,
    ...submittedColumns(input),
    answerSchema: check?.digest ?? null,
    suggestionFaults: check?.faults ?? null,
    audit,
    rule: routed.rule,
    autoThreshold: project.auto_threshold,
    reviewThreshold: project.review_threshold,
    matchedFlags: routed.matched_flags,
    settingsVersion: project.settings_version,
    version: 1,
    createdAt: made.now,
    ...due,
    ...reservedColumns(input, project, { status, deadline: due.deadline }),
    decidedAt: isOpen(status) ? null : made.now,
    decisionId: ships ? made.ids.uuid() : null,
  };
}

/** LC3, DL6: when it is due, and until when it can be decided. */
function dueColumns({ deadline: asked = { pointer: '' } }: SubmitInput, project: RoutingRow, now: Date) {
  const deadline = newDeadline(asked, project, new Date(project.clock));
  return {
    dueAt: dueAt(now, project.target_minutes, deadline?.at ?? null),
    deadline: deadline?.at ?? null,
    onDeadline: deadline?.onDeadline ?? null,
    deadlineSpan: deadline?.spanSeconds ?? null,
    deadlineExtended: false as const,
    expiredAt: null,
  };
}

/** SK3: an audit is reserved as any item that waits for reviewers, so that nothing distinguishes it (AU3). */
function reservedColumns(
  { riskFlags, metadata }: SubmitInput,
  { skill_routes: routes, clock }: RoutingRow,
  { status, deadline }: Pick<NewItem, 'status' | 'deadline'>,
) {
  if (routes === null || status !== 'queued') return { reservedFor: null, reservedUntil: null };
  const item = { riskFlags, metadata: metadata?.value ?? null };
  const reservation = reservationOf(item, routes, { now: new Date(clock), deadline });
  return { reservedFor: reservation?.skill ?? null, reservedUntil: reservation?.until ?? null };
}

/** The columns that the submission alone determines. */
function submittedColumns(input: SubmitInput) {
  return {
    input: input.input.raw,
    suggestion: input.suggestion.raw,
    metadata: input.metadata?.raw ?? null,
    confidence: input.confidence,
    riskFlags: input.riskFlags,
    title: input.title ?? null,
    kind: input.kind ?? 'answer',
    allowedActions: input.allowedActions ?? null,
    hasSuggestion: hasSuggestion(input),
    preview: previewOf(input.input.value),
    model: label(input.metadata?.value.model),
    source: label(input.metadata?.value.source),
    traceparent: input.traceparent ?? null,
  };
}

/** Model and source are read from metadata when they are short texts; anything else stays in metadata only. */
function label(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= 200 ? value : null;
}

/** The automatic decision of an auto-approved item: its suggestion, final at once (RT2). */
export function autoDecision(item: NewItem) {
  if (item.decisionId === null) return null;
  return {
    id: item.decisionId,
    itemId: item.id,
    projectId: item.projectId,
    status: 'approved' as const,
    action: 'auto_approve' as const,
    output: item.suggestion,
    edited: false,
    decidedAt: item.createdAt,
    finalAt: item.createdAt,
  };
}

/** The event of an arrival. For an audited item it is the approval, with the row that people see instead (AU3). */
export function arrivalOf(item: NewItem, actor: ActorRef): NewEvent {
  const event = { project_id: item.projectId, item_id: item.id, version: item.version, actor };
  if (item.decisionId !== null) {
    const approved = { status: 'auto_approved', action: 'auto_approve', reason: null } as const;
    return { type: 'item.finalized', ...event, ...approved, ...(item.audit ? { audited: toItemRow(item, null) } : {}) };
  }
  if (item.status === 'queued' || item.status === 'escalated')
    return { type: `item.${item.status}`, ...event, item: toItemRow(item, null), reason: null };
  return { type: 'item.finalized', ...event, status: item.status, action: null, reason: null };
}
