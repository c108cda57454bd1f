// How nearly every attempt ends: well, at an endpoint without trouble. One statement writes all of it down, the fact with its place too.
import { RECORDED, STAMPED } from '../db/channels.ts';
import { factRow } from '../db/database.ts';
import { planned } from '../db/planned.ts';
import { rawQuery } from '../db/raw-query.ts';
import type { Services } from '../usecases/services.ts';
import {
  ATTEMPT_COLUMNS,
  ATTEMPT_RECORD,
  attemptRow,
  type Done,
  ENDED,
  endedFact,
  STILL_OURS,
  WELL,
} from './finish-rows.ts';
import type { Stamped } from './relay.ts';

/** So many ledgers stay within NOTIFY's 8000 bytes. */
export const MOST_PLAIN_ENDS = 128;

/** Whether it may be one: what failed changes more than its own delivery. */
export const isPlain = ({ next }: Done): boolean => next.kind === 'succeeded';

/**
 * $1: the attempts with their facts; $2: now; $3, $4: the type and the actor of all these facts. A fact gets its place in the ledger
 * here, beside the relay, where its project is not held by anybody else and no earlier fact of its item waits for one: it can overtake
 * none that it follows from. All others are left to the relay. Projects are held first and never waited for, so that nobody who holds
 * one waits for us in a circle; whoever has one is alone in numbering it, as the relay is. That an item has a fact that waits is asked
 * of the index of items, whatever the planner thinks of how many there are: `limit` keeps it from reading the table instead.
 */
const END = planned(`
  with r as materialized (
    select * from json_to_recordset($1::json) as r(id uuid, token uuid, fact_id uuid, project_id uuid, item_id uuid,
      data jsonb, ${ATTEMPT_RECORD})
  ), held as materialized (
    select id from project where id = any(array(select project_id from r)) order by id for no key update skip locked
  ), ended as (
    update delivery d set status = 'succeeded', next_attempt_at = null, claim_token = null, lease_until = null,
      http_status = r.http_status, error = null, completed_at = now()
    from r join webhook_endpoint e on e.project_id = r.project_id join project p on p.id = r.project_id
    where (select count(*) from held) >= 0 and ${STILL_OURS} and ${WELL}
    returning r.token
  ), done as materialized (
    select r.*, held.id is not null
      and (select true from event v where v.item_id = r.item_id and coalesce(v.seq, 0) = 0 limit 1) is null as numbered
    from ended join r on r.token = ended.token left join held on held.id = r.project_id
  ), written as (
    insert into attempt (delivery_id, ${ATTEMPT_COLUMNS}) select id, ${ATTEMPT_COLUMNS} from done
  ), heads as (
    update project p set event_seq = p.event_seq + g.n
    from (select project_id, count(*) as n from done where numbered group by project_id) g where p.id = g.project_id
    returning p.id, p.event_seq - g.n as base
  ), placed as materialized (
    select done.*, h.base + row_number() over (partition by project_id, numbered order by started_at, fact_id) as seq
    from done left join heads h on done.numbered and h.id = done.project_id
  ), stated as (
    insert into event (id, project_id, seq, type, item_id, actor, data, created_at)
    select fact_id, project_id, seq, $3, item_id, $4::jsonb, data, $2::timestamptz from placed
  ), grown as (
    select string_agg(project_id || ':' || seq, ',') as ledgers
    from (select project_id, min(seq) as seq from placed where numbered group by project_id) first
  ), rung as materialized (
    select pg_notify('${STAMPED}', ledgers) from grown where ledgers is not null
    union all
    select pg_notify('${RECORDED}', 'delivery.changed') where exists (select 1 from placed where not numbered)
  )
  select placed.token, placed.seq from placed, (select count(*) from rung) bells`);

/**
 * Writes down attempts that ended well: the delivery, the attempt and the fact of each whose lease held and whose endpoint has no
 * trouble. Answers of each, in order, whether it was written, and its fact where that got its place; what was not written has an end
 * of the other kind (`finishAll`), and nothing of it has changed.
 */
export async function endPlainly(
  { db, clock, ids }: Pick<Services, 'db' | 'clock' | 'ids'>,
  done: readonly Done[],
): Promise<PlainEnd[]> {
  const now = clock.now();
  const rows = done.map((each) => ({ ...attemptRow(each), ...factColumns(each, ids.uuid()) }));
  const values = [JSON.stringify(rows), now.toISOString(), ENDED.type, JSON.stringify(ENDED.actor)];
  const written = await db.statement((em) => rawQuery<{ token: string; seq: string | null }>(em, END, values));
  const seqs = new Map(written.map(({ token, seq }) => [token, seq]));
  return done.map(({ leased }) => {
    const seq = seqs.get(leased.claimToken);
    return { isWritten: seq !== undefined, facts: placedFact(leased, seq ?? null, now) };
  });
}

export interface PlainEnd {
  isWritten: boolean;
  facts: readonly Stamped[];
}

function factColumns(done: Done, factId: string) {
  const { project_id, item_id, data } = factRow(endedFact(done), factId);
  return { fact_id: factId, project_id, item_id, data };
}

function placedFact({ projectId, itemId }: Done['leased'], seq: string | null, now: Date): Stamped[] {
  if (seq === null) return [];
  const fact = { projectId, seq: Number(seq), type: ENDED.type, itemId };
  return [{ ...fact, version: null, statedAt: now.getTime(), told: null }];
}
