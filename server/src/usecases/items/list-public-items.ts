// Lists the items of a project as its pipeline may see them, newest first, by keyset.
import type { ItemStatus } from '@countersign/shared/enums';
import { Decision } from '../../db/entities/decision.ts';
import { Item } from '../../db/entities/item.ts';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { publicStatusOf } from '../../domain/items/item.ts';
import type { ApiKeyActor, Services } from '../services.ts';
import { decodeCursor, fitting, textBytes, toPage } from '../cursor.ts';

export interface PublicItemsQuery {
  /** The public status (LC2). */
  status: ItemStatus | undefined;
  /** Created at this time or later. */
  since: Date | undefined;
  /** Created before this time. */
  until: Date | undefined;
  after: string | undefined;
  limit: number;
}

export interface PublicItemsPage {
  rows: { item: Item; decision: Decision | null }[];
  nextCursor: string | null;
}

/** Errors: `invalid_cursor`. A provisional decision is not shown (LC2). */
export function listPublicItems(
  services: Services,
  actor: ApiKeyActor,
  query: PublicItemsQuery,
): Promise<PublicItemsPage> {
  return services.db.read(async (em) => {
    const found = await find(em, actor.projectId, query);
    const page = toPage(found, fitting(found, query.limit), (row) => ({ at: new Date(row.created_at), id: row.id }));
    const ids = page.rows.map((row) => row.id);
    const items = await em.find(Item, { id: { $in: ids } });
    const decisions = await em.find(Decision, {
      itemId: { $in: ids },
      audit: false,
      finalAt: { $ne: null },
      supersededAt: null,
    });
    const byId = new Map(items.map((item) => [item.id, item]));
    const byItem = new Map(decisions.map((decision) => [decision.itemId, decision]));
    const rows = ids.flatMap((id) => {
      const item = byId.get(id);
      // An item that was decided between the two queries no longer matches the filter.
      const left = query.status !== undefined && item && query.status !== publicStatusOf(item);
      return item && !left ? [{ item, decision: byItem.get(id) ?? null }] : [];
    });
    return { rows, nextCursor: page.nextCursor };
  });
}

/** `publicStatusOf` in SQL, in the form that its index has. */
const PUBLIC_STATUS = `case when audit and status not in ('approved', 'rejected') then 'auto_approved' else coalesce(public_status, status) end`;

/** Of the decision of an item; null without one. An answer in words is counted as JSON writes it. */
const DECIDED_BYTES = `
  select coalesce(octet_length(d.output), 0) + ${textBytes('d.response')} from decision d
  where d.item_id = item.id and not d.audit and d.superseded_at is null`;

/**
 * Reads one extra row to know whether there is another page. Only the requested conditions are included, so that an index serves
 * each. A suggestion counts twice: most are approved unchanged, and a page shows both. A decision that is longer counts instead.
 */
function find(em: Em, projectId: string, { status, since, until, after, limit }: PublicItemsQuery) {
  const cursor = decodeCursor(after);
  const values: unknown[] = [projectId];
  const value = (of: unknown): string => `$${values.push(of)}`;
  const conditions = [
    'project_id = $1',
    ...(status ? [`${PUBLIC_STATUS} = ${value(status)}`] : []),
    ...(since ? [`created_at >= ${value(momentText(since))}::timestamptz`] : []),
    ...(until ? [`created_at < ${value(momentText(until))}::timestamptz`] : []),
    ...(cursor
      ? [`(created_at, id) < (${value(cursor.at.toISOString())}::timestamptz, ${value(cursor.id)}::uuid)`]
      : []),
  ];
  return rawQuery<{ id: string; created_at: string | Date; bytes: number }>(
    em,
    `select id, created_at, octet_length(input) + octet_length(suggestion) + coalesce(octet_length(metadata), 0)
       + coalesce(octet_length(suggestion_faults), 0) + greatest(octet_length(suggestion), (${DECIDED_BYTES})) as bytes
     from item where ${conditions.join(' and ')}
     order by created_at desc, id desc limit ${value(limit + 1)}`,
    values,
  );
}

/** The years that every database accepts; no item is outside them. */
const FIRST = Date.UTC(2000, 0);
const LAST = Date.UTC(9999, 0);

const momentText = (moment: Date): string => new Date(Math.min(Math.max(moment.getTime(), FIRST), LAST)).toISOString();
