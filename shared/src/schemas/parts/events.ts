// Every event of the system, and its shape on the socket (docs/spec/live-events.md).
import { z } from 'zod';
import { timestamp, uuid } from './ids.ts';
import { deadline, itemRow } from './item.ts';
import { alertKind, decisionAction, deliveryStatus, itemStatus } from './enums.ts';

export const actorRef = z.object({
  kind: z.enum(['member', 'api_key', 'inbound', 'system']),
  id: uuid.nullable(),
  name: z.string(),
});
export type ActorRef = z.infer<typeof actorRef>;

const sequenced = { seq: z.number().int(), project_id: uuid, server_time: timestamp, actor: actorRef };
const ofItem = { ...sequenced, item_id: uuid, version: z.number().int() };
const withItemRow = { ...ofItem, item: itemRow };

/** A move between reviewers. Events from before notes were recorded have none. */
const moved = { reason: z.string().nullable(), note: z.string().nullable().optional() };

const decided = {
  ...ofItem,
  status: itemStatus,
  action: decisionAction.nullable(),
  reason: z.string().nullable(),
};

/** How an item waited until it ended without a decision: pages that have not loaded it keep their counts by this. */
const was = z.object({ status: itemStatus, claimed: z.boolean() });

/** Who had claimed the item before it was taken over. */
const holder = z.object({ user_id: uuid, name: z.string() });

/**
 * `undo_until` is null when the decision was final immediately (undo window 0). The event log stores these; LogOnly
 * adds what only the log has, and server/src/domain/stored-names.ts has the one type that is stored under another name.
 */
export const domainEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('item.queued'), ...withItemRow, ...moved }),
    z.object({
      type: z.literal('item.escalated'),
      ...withItemRow,
      ...moved,
      /** Its deadline passed (DL1); whether somebody held it until then. */
      by_deadline: z.object({ claimed: z.boolean() }).optional(),
    }),
    z.object({ type: z.literal('item.undone'), ...withItemRow }),
    z.object({ type: z.literal('item.claimed'), ...ofItem, expires_at: timestamp, taken_from: holder.optional() }),
    z.object({ type: z.literal('claim.released'), ...ofItem }),
    z.object({ type: z.literal('claim.expired'), ...ofItem }),
    z.object({ type: z.literal('item.decided'), ...decided, undo_until: timestamp.nullable() }),
    z.object({ type: z.literal('item.finalized'), ...decided }),
    z.object({
      type: z.literal('item.withdrawn'),
      ...ofItem,
      status: itemStatus,
      reason: z.string().nullable(),
      was,
    }),
    /** Its deadline ended it (DL1): `status` is what it is since. */
    z.object({ type: z.literal('item.expired'), ...ofItem, status: itemStatus, was }),
    /** A later deadline: a supervisor extended it (DL5), or supervisors get the span again (DL1). A claim stays. */
    z.object({ type: z.literal('item.extended'), ...ofItem, deadline, due_at: timestamp }),
    z.object({
      type: z.literal('decision.revised'),
      ...decided,
      /** The place of the new decision in the chain, from 2, and how the item was decided before (RV1). */
      revision: z.number().int(),
      was: z.object({ status: itemStatus, action: decisionAction.nullable() }),
    }),
    z.object({
      type: z.literal('delivery.changed'),
      ...sequenced,
      delivery_id: uuid,
      item_id: uuid,
      status: deliveryStatus,
      attempt: z.number().int(),
      http_status: z.number().int().nullable(),
      error: z.string().nullable(),
      next_attempt_at: timestamp.nullable(),
      /** The alert that this caused for the owners (WH6). */
      alert: alertKind.optional(),
    }),
    z.object({
      type: z.literal('project.changed'),
      ...sequenced,
      settings_version: z.number().int(),
      changed: z.array(
        z.enum([
          ...['created', 'archived', 'stop', 'settings', 'members', 'invites', 'keys', 'sources', 'webhook'],
          ...['offers', 'clusters', 'audits', 'learnings', 'regressions', 'mistakes', 'samples'],
        ] as const),
      ),
      /** A learning that was excluded or included: exports up to this position reflect it (LX5). */
      learning: z.object({ id: uuid, excluded: z.boolean() }).optional(),
      /** The clusters whose reasons change here (LX6). */
      reshaped: z.array(uuid).optional(),
      /**
       * Where a reason was assigned to a cluster later (CT4): exports that end before this position lack the
       * assignment.
       */
      placed_from: z.number().int().optional(),
    }),
  ])
  .meta({ id: 'DomainEvent' });

/** An event as the event log and the sockets carry it. */
export type DomainEvent = z.infer<typeof domainEvent>;
export type DomainEventType = DomainEvent['type'];
export type DomainEventOf<T extends DomainEventType> = Extract<DomainEvent, { type: T }>;

/** An event as a use case creates it: the event log adds `seq` and `server_time`. */
export type NewEvent = {
  [T in DomainEventType]: Omit<DomainEventOf<T>, 'seq' | 'server_time'> & LogOnly<T>;
}[DomainEventType];

/** `audited`: an auto-approved item also waits for an audit, as this row; members see this row instead (AU3). */
type LogOnly<T extends DomainEventType> = T extends 'item.finalized' ? { audited?: z.infer<typeof itemRow> } : object;
