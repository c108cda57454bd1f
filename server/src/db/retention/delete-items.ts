// Deletes items completely, with their decisions, deliveries and events (KE4).
import type { Em } from '../orm.ts';
import { rawQuery } from '../raw-query.ts';

/** `$1`: the items. Referring rows are deleted first; cases of regression runs are deleted with their learnings. */
export const ATTEMPTS =
  'delete from attempt where delivery_id in (select id from delivery where item_id = any($1::uuid[]))';
export const LEARNINGS = 'delete from learning where item_id = any($1::uuid[])';

const REMOVE = [
  LEARNINGS,
  'delete from mistake_report where item_id = any($1::uuid[])',
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

export const NOTHING_DELETED: DeletedEvents = { events: 0, until: null };

/** Deletes these items, which the transaction of `em` has locked together with their deliveries. */
export async function deleteItems(em: Em, ids: readonly string[]): Promise<DeletedEvents> {
  if (ids.length === 0) return NOTHING_DELETED;
  const items = `{${ids.join(',')}}`;
  for (const text of REMOVE) await rawQuery(em, text, [items]);
  const [row] = await rawQuery<{ n: number; until: string | Date | null }>(em, DELETE_EVENTS, [items]);
  const until = row?.until ?? null;
  return { events: row?.n ?? 0, until: until === null ? null : new Date(until) };
}
