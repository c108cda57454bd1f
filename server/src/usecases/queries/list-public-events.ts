// The catch-up feed: a project's final decisions in the order of its ledger, for consumers that were down.
import { Refusal } from '@countersign/shared/errors';
import { Decision } from '../../db/entities/decision.ts';
import { rawQuery } from '../../db/raw-query.ts';
import type { ApiKeyActor, Services } from '../services.ts';
import { fitting } from './cursor.ts';

export interface PublicEventsPage {
  rows: { eventId: string; decision: Decision }[];
  hasMore: boolean;
  /** Where to go on, also when nothing was new. */
  nextCursor: string;
}

/**
 * Errors: `invalid_cursor`. The cursor is a position in the ledger, which the relay hands out in order and without gaps:
 * nothing can turn up before it later.
 */
export function listPublicEvents(
  services: Services,
  actor: ApiKeyActor,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<PublicEventsPage> {
  const from = decodePosition(after);
  return services.db.read(async (em) => {
    const found = await rawQuery<{ id: string; seq: string; item_id: string; bytes: number }>(
      em,
      // That routing turned an item away is no decision: nothing is told of it. One that a person makes later has a fact of its own.
      `select e.id, e.seq, e.item_id, coalesce(octet_length(d.output), 0) as bytes
       from event e join decision d on d.item_id = e.item_id and d.final_at is not null
       where e.project_id = $1 and e.type = 'item.finalized' and e.data ->> 'action' is not null
         and e.seq > $2 order by e.seq limit $3`,
      [actor.projectId, from, limit + 1],
    );
    const page = found.slice(0, fitting(found, limit));
    const decisions = await em.find(Decision, { itemId: { $in: page.map((row) => row.item_id) } });
    const byItem = new Map(decisions.map((decision) => [decision.itemId, decision]));
    const rows = page.flatMap((row) => {
      const decision = byItem.get(row.item_id);
      return decision ? [{ eventId: row.id, decision }] : [];
    });
    const last = page.at(-1);
    return { rows, hasMore: found.length > page.length, nextCursor: encodePosition(last ? Number(last.seq) : from) };
  });
}

const encodePosition = (seq: number): string => Buffer.from(`seq:${seq}`).toString('base64url');

function decodePosition(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const seq = Number(/^seq:(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1] ?? NaN);
  if (Number.isSafeInteger(seq)) return seq;
  throw new Refusal('invalid_cursor', 'Send the cursor as the last page gave it, or leave it out to start again.');
}
