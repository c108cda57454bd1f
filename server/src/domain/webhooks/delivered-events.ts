// What webhooks and the catch-up feed tell of an item's end: which events of the log, their ID and their body.
import { type DecisionRow, isRevision, toDecision } from '../items/decision.ts';

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

/** What ended an item: a final decision, first or revised, or something else. */
export interface Ending {
  projectId: string;
  itemId: string;
  outcome: { decision: StoredDecision } | { undecided: Undecided };
}

type StoredDecision = DecisionRow & { itemId: string; projectId: string };

/** A final decision as webhooks and the catch-up feed send it (docs/spec/webhooks.md#outbound). */
function decidedBody(row: StoredDecision) {
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

/** As webhooks and the catch-up feed send it. */
const undecidedBody = (
  { itemId, projectId }: Pick<Ending, 'itemId' | 'projectId'>,
  { event, status, at }: Undecided,
) => {
  const without = { decision: null, reviewer_id: null, decided_at: at.toISOString() };
  const of = { item_id: itemId, project_id: projectId };
  return event === 'item.withdrawn' ? { event, ...of, status, ...without } : { event, ...of, status, ...without };
};

/** The event as webhooks and the catch-up feed send it (docs/spec/webhooks.md#outbound). */
export const webhookBodyOf = ({ outcome, ...item }: Ending) =>
  'decision' in outcome ? decidedBody(outcome.decision) : undecidedBody(item, outcome.undecided);

/** The `webhook-id` of the event, the same in every delivery and in the feed. */
export const webhookIdOf = (eventId: string): string => `evt_${eventId}`;
