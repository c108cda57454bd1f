// The catch-up feed: a project's final decisions in the order of its event log, for consumers that were down.
import { Decision } from '../../db/entities/decision.ts';
import { rawQuery } from '../../db/raw-query.ts';
import type { ApiKeyActor, Services } from '../services.ts';
import { decodeSeq, encodeSeq, fitting } from '../cursor.ts';

export interface PublicEventsPage {
  rows: { eventId: string; decision: Decision }[];
  hasMore: boolean;
  /** The cursor of the next page, also when there was nothing new. */
  nextCursor: string;
}

/**
 * Errors: `invalid_cursor`. The cursor is a position in the event log, which is sequenced
 * in order and without gaps, so nothing can appear before it later.
 */
export function listPublicEvents(
  services: Services,
  actor: ApiKeyActor,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<PublicEventsPage> {
  const from = decodeSeq(after) ?? 0;
  return services.db.read(async (em) => {
    const found = await rawQuery<{ id: string; seq: string; item_id: string; bytes: number; redacted: boolean }>(
      em,
      // An item that routing rejected has no decision and is not in the feed. A later decision by a person has its own event.
      // Verdicts on audited items are not in the feed either (AU2).
      `select e.id, e.seq, e.item_id, coalesce(octet_length(d.output), 0) as bytes, i.emptied_at is not null as redacted
       from event e join decision d on d.item_id = e.item_id and not d.audit and d.action = e.data ->> 'action' and d.final_at is not null
         join item i on i.id = e.item_id
       where e.project_id = $1 and e.type = 'item.finalized' and e.data ->> 'action' is not null
         and e.seq > $2 order by e.seq limit $3`,
      [actor.projectId, from, limit + 1],
    );
    const page = found.slice(0, fitting(found, limit));
    // A decision whose output was redacted (KE2) would look like another one, so the cursor skips it.
    const visible = page.filter(({ redacted }) => !redacted);
    const decisions = await em.find(Decision, { itemId: { $in: visible.map((row) => row.item_id) }, audit: false });
    const byItem = new Map(decisions.map((decision) => [decision.itemId, decision]));
    const rows = visible.flatMap((row) => {
      const decision = byItem.get(row.item_id);
      return decision ? [{ eventId: row.id, decision }] : [];
    });
    const last = page.at(-1);
    return { rows, hasMore: found.length > page.length, nextCursor: encodeSeq(last ? Number(last.seq) : from) };
  });
}
