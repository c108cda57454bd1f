// Deletes or redacts data of completed items past their retention period (KE2 to KE4).
import type { RetentionKind } from '../../domain/items/retention.ts';
import type { Em } from '../orm.ts';
import { rawQuery } from '../raw-query.ts';

/** `$1`: the items. Referring rows are deleted first; cases of regression runs are deleted with their learnings. */
const ATTEMPTS = 'delete from attempt where delivery_id in (select id from delivery where item_id = any($1::uuid[]))';
const LEARNINGS = 'delete from learning where item_id = any($1::uuid[])';

/** IDs, times, statuses, reasons and numbers stay: figures, history and the delivery log continue to work. */
const REDACT = [
  // An exclusion of its learning revisits the item when it is deleted itself: by then the learning no longer names its
  // item.
  `update event e set data = jsonb_set(e.data, '{learning,item_id}', to_jsonb(l.item_id)) from learning l
   where l.item_id = any($1::uuid[]) and e.type = 'project.changed' and e.data -> 'learning' is not null and e.data -> 'learning' ->> 'id' = l.id::text`,
  LEARNINGS,
  'update decision set output = null, note = null where item_id = any($1::uuid[])',
  `update delivery set body = '' where item_id = any($1::uuid[])`,
  `update attempt set response_text = null, response_headers = null
   where delivery_id in (select id from delivery where item_id = any($1::uuid[]))`,
  // A queue row shows the beginning of the input, and so does the event that carried it.
  `update event set data = jsonb_set(jsonb_set(jsonb_set(data, '{item,preview}', '""', false), '{audited,preview}', '""', false), '{note}', 'null', false)
   where item_id = any($1::uuid[]) and (data -> 'item' is not null or data -> 'audited' is not null or data ->> 'note' is not null)`,
];

/** `$2`: when. */
const REDACT_ITEMS = `
  update item set input = 'null', suggestion = 'null', metadata = null, preview = '', emptied_at = $2 where id = any($1::uuid[])`;

const REMOVE = [
  LEARNINGS,
  ATTEMPTS,
  'delete from delivery where item_id = any($1::uuid[])',
  'delete from decision where item_id = any($1::uuid[])',
  'delete from item where id = any($1::uuid[])',
];

const DELETE_EVENTS = `
  with gone as (delete from event where item_id = any($1::uuid[]) returning created_at)
  select count(*)::int as n, max(created_at) as until from gone`;

/** How many events were deleted, and when the newest of them was appended. */
export interface DeletedEvents {
  events: number;
  until: Date | null;
}

const NOTHING_DELETED: DeletedEvents = { events: 0, until: null };

/**
 * Deletes this kind of data of items that the transaction of `em` has locked. `now` is when their content was redacted.
 */
export async function deleteExpired(
  em: Em,
  kind: RetentionKind,
  { ids, now }: { ids: string[]; now: Date },
): Promise<DeletedEvents> {
  if (ids.length === 0) return NOTHING_DELETED;
  const items = `{${ids.join(',')}}`;
  const run = async (texts: readonly string[]) => {
    for (const text of texts) await rawQuery(em, text, [items]);
  };
  if (kind === 'attempts') await run([ATTEMPTS]);
  if (kind === 'payloads') {
    await run(REDACT);
    await rawQuery(em, REDACT_ITEMS, [items, now]);
  }
  if (kind !== 'ledger') return NOTHING_DELETED;
  await run(REMOVE);
  const [row] = await rawQuery<{ n: number; until: string | Date | null }>(em, DELETE_EVENTS, [items]);
  const until = row?.until ?? null;
  return { events: row?.n ?? 0, until: until === null ? null : new Date(until) };
}
