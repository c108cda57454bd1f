// The decision object, the same for webhooks, the public API and people (docs/spec/items.md#decision).
import type { Decision } from '@countersign/shared/schemas/parts/decision';
import { RawJson, type Json } from '@countersign/shared/json/json';
import type { DecisionAction, DecisionStatus } from '@countersign/shared/enums';

/** The columns of a decision that the object is made of. */
export interface DecisionRow {
  id: string;
  status: DecisionStatus;
  action: DecisionAction;
  /** JSON text of the approved output; null unless approved. */
  output?: string | null;
  edited: boolean;
  reason?: string | null;
  note?: string | null;
  /** The answer in words; null for any other action. */
  response?: string | null;
  reviewerId?: string | null;
  decidedAt: Date;
  /** From 2 for a revision; 1 or absent for a first decision. */
  revision?: number;
  revises?: string | null;
}

/** Stored JSON text as a member of an answer: the JSON writer inserts it unchanged (I7), so its type is any JSON value. */
export const rawJson = <T = Json>(text: string): T => new RawJson(text) as T;

export function toDecision(decision: DecisionRow): Decision {
  return {
    id: decision.id,
    status: decision.status,
    action: decision.action,
    output: typeof decision.output === 'string' ? rawJson(decision.output) : null,
    edited: decision.edited,
    reason: decision.reason ?? null,
    note: decision.note ?? null,
    ...(typeof decision.response === 'string' && { response: decision.response }),
    reviewer_id: decision.reviewerId ?? null,
    decided_at: decision.decidedAt.toISOString(),
    ...(isRevision(decision) && { revision: decision.revision, revises: decision.revises ?? null }),
  };
}

/** Whether it is no first decision: only revisions say their place in the chain (RV2). */
const isRevision = ({ revision = 1 }: DecisionRow): boolean => revision > 1;

/** A final decision as webhooks and the catch-up feed send it (docs/spec/webhooks.md#outbound). */
function toDecided(row: StoredDecision) {
  const decision = toDecision(row);
  const told = {
    item_id: row.itemId,
    project_id: row.projectId,
    status: decision.status,
    decision,
    reviewer_id: decision.reviewer_id,
    decided_at: decision.decided_at,
  };
  if (!isRevision(row)) return { event: 'item.decided' as const, ...told };
  // Only people revise.
  return { event: 'decision.revised' as const, ...told, reviewer_id: told.reviewer_id as string };
}

/** An ending without a decision: a withdrawal (WD2), or a deadline (DL1) with the status that it gave. */
export type Undecided =
  | { event: 'item.withdrawn'; status: 'withdrawn'; at: Date }
  | { event: 'item.expired'; status: 'expired' | 'rejected'; at: Date };

/** The events of `Undecided`, as the event log holds them. */
export const UNDECIDED_EVENTS = ['item.withdrawn', 'item.expired'] as const satisfies Undecided['event'][];

/** The events of the log that end the wait of a pipeline. */
export const FINAL_EVENT_TYPES = ['item.finalized', ...UNDECIDED_EVENTS] as const;

/** The events of the log that webhook and feed carry. */
export const DELIVERED_EVENT_TYPES = [...FINAL_EVENT_TYPES, 'decision.revised'] as const;

/** From the columns of a statement: the event, the status that it gave, and when, in ms since the epoch. */
export const toUndecided = (event: string, status: string, at: number): Undecided =>
  ({ event, status, at: new Date(at) }) as Undecided;

/** As webhooks and the catch-up feed send it. */
const toUndecidedBody = (
  { itemId, projectId }: Pick<Ending, 'itemId' | 'projectId'>,
  { event, status, at }: Undecided,
) => {
  const without = { decision: null, reviewer_id: null, decided_at: at.toISOString() };
  const of = { item_id: itemId, project_id: projectId };
  return event === 'item.withdrawn' ? { event, ...of, status, ...without } : { event, ...of, status, ...without };
};

/** What ended an item: a final decision, first or revised, or something else. */
export interface Ending {
  projectId: string;
  itemId: string;
  of: { decision: StoredDecision } | { undecided: Undecided };
}

type StoredDecision = DecisionRow & { itemId: string; projectId: string };

/** The event as webhooks and the catch-up feed send it (docs/spec/webhooks.md#outbound). */
export const toEnded = ({ of, ...item }: Ending) =>
  'decision' in of ? toDecided(of.decision) : toUndecidedBody(item, of.undecided);

/** The `webhook-id` of the event, the same in every delivery and in the feed. */
export const webhookIdOf = (eventId: string): string => `evt_${eventId}`;
