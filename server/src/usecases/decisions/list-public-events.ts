// The catch-up feed: what ended items or revised decisions, in event log order, for consumers that were down.
import { Decision } from '../../db/entities/decision.ts';
import { Project } from '../../db/entities/project.ts';
import { type Ending, toUndecided, UNDECIDED_EVENTS } from '../../domain/webhooks/delivered-events.ts';
import { rawQuery } from '../../db/raw-query.ts';
import type { ApiKeyActor, Services } from '../services.ts';
import { decodeSeq, encodeSeq, fitting, invalidCursor, textBytes } from '../cursor.ts';

export interface PublicEventsPage {
  rows: PublicEventRow[];
  hasMore: boolean;
  /** The cursor of the next page, also when there was nothing new. */
  nextCursor: string;
}

interface FoundEvent {
  id: string;
  seq: string;
  item_id: string;
  /** Of the decision, from 1. */
  revision: number;
  bytes: number;
  redacted: boolean;
  /** Of an ending without a decision; null for a decision. In ms since the epoch. */
  ended_at: number | null;
  event: string;
  status: string;
}

export interface PublicEventRow extends Ending {
  eventId: string;
}

/** The endings without a decision, each kind by its own index. The item of an audit was approved before (AU2). */
const UNDECIDED = UNDECIDED_EVENTS.map(
  (type) => `
      union all
      (select e.id, e.seq, e.item_id, 1, 0, false, (extract(epoch from coalesce(i.expired_at, i.decided_at)) * 1000)::float8,
         e.type, e.data ->> 'status'
       from event e join item i on i.id = e.item_id and not i.audit
       where e.project_id = $1 and e.type = '${type}' and e.seq > $2
         and e.type = any((select webhook_events from project where id = $1)::text[]) order by e.seq limit $3)`,
).join('');

/**
 * $1: the project; events after position $2, at most $3. An item that routing rejected has no decision and is not in the feed; a later
 * decision by a person has its own event. Verdicts on audited items are not in the feed either (AU2). Each part reads its own index,
 * at most a page of it.
 */
const FOUND = `(select e.id, e.seq, e.item_id, d.revision, coalesce(octet_length(d.output), 0) + ${textBytes('d.response')} as bytes, i.emptied_at is not null as redacted, 
    null::float8 as ended_at, e.type as event, e.data ->> 'status' as status
  from event e join decision d on d.item_id = e.item_id and not d.audit and d.revision = 1 and d.action = e.data ->> 'action'
    and d.final_at is not null
    join item i on i.id = e.item_id
  where e.project_id = $1 and e.type = 'item.finalized' and e.data ->> 'action' is not null
    and e.seq > $2 order by e.seq limit $3)
  union all
  (select e.id, e.seq, e.item_id, d.revision, coalesce(octet_length(d.output), 0), i.emptied_at is not null, null, e.type, e.data ->> 'status'
  from event e join decision d on d.item_id = e.item_id and not d.audit and d.revision = (e.data ->> 'revision')::int
    join item i on i.id = e.item_id
  where e.project_id = $1 and e.type = 'decision.revised' and e.seq > $2
    and e.type = any((select webhook_events from project where id = $1)::text[]) order by e.seq limit $3)
  ${UNDECIDED}
  order by seq limit $3`;

/**
 * Errors: `invalid_cursor`, also beyond the last event. The cursor is a position in the event log, which is sequenced
 * in order and without gaps, so nothing can appear before it later. Events that the project leaves out at the time of
 * reading are skipped (WE2).
 */
export function listPublicEvents(
  services: Services,
  actor: ApiKeyActor,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<PublicEventsPage> {
  const from = decodeSeq(after) ?? 0;
  return services.db.read(async (em) => {
    const { eventSeq } = await em.findOneOrFail(Project, { id: actor.projectId }, { fields: ['eventSeq'] });
    // A cursor of another project: the events up to it would never be listed.
    if (from > eventSeq) throw invalidCursor();
    const found = await rawQuery<FoundEvent>(em, FOUND, [actor.projectId, from, limit + 1]);
    const page = found.slice(0, fitting(found, limit));
    // A decision whose output was redacted (KE2) would look like another one, so the cursor skips it.
    const visible = page.filter(({ redacted }) => !redacted);
    const decisions = await em.find(Decision, { itemId: { $in: visible.map((row) => row.item_id) }, audit: false });
    const byRevision = new Map(decisions.map((decision) => [`${decision.itemId} ${decision.revision}`, decision]));
    const rows = visible.flatMap((row): PublicEventRow[] => {
      const { id: eventId, item_id: itemId, ended_at: at, event, status } = row;
      const decision = byRevision.get(`${itemId} ${row.revision}`);
      const outcome = at === null ? decision && { decision } : { undecided: toUndecided(event, status, at) };
      return outcome ? [{ eventId, projectId: actor.projectId, itemId, outcome }] : [];
    });
    const last = page.at(-1);
    return { rows, hasMore: found.length > page.length, nextCursor: encodeSeq(last ? Number(last.seq) : from) };
  });
}
