// Reads what a line of the delivery log shows beside its row: its item, what it reports, and its last attempt.
import type { DecisionAction, DeliveredEvent, ItemStatus } from '@countersign/shared/enums';
import { rawQuery } from '../../db/raw-query.ts';
import type { Em } from '../../db/orm.ts';
import { DELIVERED_EVENT_TYPES } from '../../domain/webhooks/delivered-events.ts';

export interface DeliveryExtras {
  /** Of the last attempt, in ms; null without one. */
  durationMs: number | null;
  /** Its body was deleted (KE2). */
  redacted: boolean;
  preview: string;
  /** Null where the event log has no such event. */
  reports: { event: DeliveredEvent; status: ItemStatus; action: DecisionAction | null } | null;
}

/** For a delivery that was deleted while the page was read (KE4). */
export const NO_EXTRAS: DeliveryExtras = { durationMs: null, redacted: true, preview: '', reports: null };

interface Row {
  id: string;
  redacted: boolean;
  total_ms: number | string | null;
  preview: string;
  type: (typeof DELIVERED_EVENT_TYPES)[number] | null;
  status: ItemStatus;
  action: DecisionAction | null;
}

/** $1: the deliveries; $2: the types of events. The event of a delivery has its `seq`. */
const EXTRAS = `select d.id, d.body = '' as redacted, last.total_ms, coalesce(i.title, i.preview) as preview, e.type, e.data ->> 'status' as status,
    e.data ->> 'action' as action
  from delivery d join item i on i.id = d.item_id
  left join event e on e.project_id = d.project_id and e.seq = d.seq and e.item_id = d.item_id and e.type = any($2::text[])
  left join lateral (select total_ms from attempt where delivery_id = d.id order by n desc limit 1) last on true
  where d.id = any($1::uuid[])`;

/** By the ID of the delivery. */
export async function extrasOf(em: Em, ids: readonly string[]): Promise<Map<string, DeliveryExtras>> {
  const rows = await rawQuery<Row>(em, EXTRAS, [`{${ids.join(',')}}`, `{${DELIVERED_EVENT_TYPES.join(',')}}`]);
  return new Map(rows.map((row) => [row.id, toExtras(row)]));
}

function toExtras({ redacted, total_ms: ms, preview, type, status, action }: Row): DeliveryExtras {
  const durationMs = ms === null ? null : Number(ms);
  if (type === null) return { durationMs, redacted, preview, reports: null };
  return { durationMs, redacted, preview, reports: { event: toDeliveredEvent(type), status, action } };
}

/** The name that webhooks give an event of the log. */
const toDeliveredEvent = (type: NonNullable<Row['type']>): DeliveredEvent =>
  type === 'item.finalized' ? 'item.decided' : type;
