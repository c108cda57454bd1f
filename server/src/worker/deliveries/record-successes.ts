// Records successful attempts at endpoints without trouble, which is nearly all of them (fast path): one statement
// writes everything, including the event with its sequence number.
import { EVENTS_APPENDED, EVENTS_SEQUENCED } from '../../db/connection/channels.ts';
import { toEventRow } from '../../db/database.ts';
import { planned } from '../../db/connection/planned.ts';
import { rawQuery } from '../../db/raw-query.ts';
import type { Services } from '../../usecases/services.ts';
import {
  ATTEMPT_COLUMNS,
  ATTEMPT_RECORD,
  attemptRow,
  type Done,
  ATTEMPT_EVENT,
  attemptEvent,
  STILL_LEASED_BY_US,
  WELL,
} from './attempt-rows.ts';
import type { SequencedEvent } from '../relay.ts';

/** The notifications for this many event logs fit into NOTIFY's 8000 bytes. */
export const MAX_SUCCESS_BATCH = 128;

/** Whether the fast path may apply: a failure changes more than its own delivery. */
export const isSuccess = ({ next }: Done): boolean => next.kind === 'succeeded';

/**
 * $1: the attempts with their events; $2: now; $3, $4: the type and the actor of all these events. An event gets its
 * sequence number here, next to the relay, if no other session has locked its project and no earlier event of its item
 * waits for one: it can never overtake an event that precedes it. All others are left to the relay. Projects are locked
 * first and without waiting, so that no deadlock can occur; the lock holder alone assigns numbers, as the relay does.
 * Whether an item has a waiting event is read from the index of items, regardless of the planner estimates: `limit` prevents
 * a table scan.
 */
const END = planned(`
  with r as materialized (
    select * from json_to_recordset($1::json) as r(id uuid, token uuid, event_id uuid, project_id uuid, item_id uuid,
      data jsonb, ${ATTEMPT_RECORD})
  ), held as materialized (
    select id from project where id = any(array(select project_id from r)) order by id for no key update skip locked
  ), ended as (
    update delivery d set status = 'succeeded', next_attempt_at = null, claim_token = null, lease_until = null,
      http_status = r.http_status, error = null, completed_at = now()
    from r join webhook_endpoint e on e.project_id = r.project_id join project p on p.id = r.project_id
    where (select count(*) from held) >= 0 and ${STILL_LEASED_BY_US} and ${WELL}
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
    select done.*, h.base + row_number() over (partition by project_id, numbered order by started_at, event_id) as seq
    from done left join heads h on done.numbered and h.id = done.project_id
  ), appended as (
    insert into event (id, project_id, seq, type, item_id, actor, data, created_at)
    select event_id, project_id, seq, $3, item_id, $4::jsonb, data, $2::timestamptz from placed
  ), grown as (
    select string_agg(project_id || ':' || seq, ',') as ledgers
    from (select project_id, min(seq) as seq from placed where numbered group by project_id) first
  ), notified as materialized (
    select pg_notify('${EVENTS_SEQUENCED}', ledgers) from grown where ledgers is not null
    union all
    select pg_notify('${EVENTS_APPENDED}', 'delivery.changed') where exists (select 1 from placed where not numbered)
  )
  select placed.token, placed.seq from placed, (select count(*) from notified) sent`);

/**
 * Records successful attempts: the delivery, the attempt and the event of each whose lease is held and whose endpoint
 * has no trouble. Returns for each, in order, whether it was recorded, and its event if that got its number; one that
 * was not recorded takes the slow path (`finishAll`), and nothing of it has changed.
 */
export async function recordSuccesses(
  { db, clock, ids }: Pick<Services, 'db' | 'clock' | 'ids'>,
  done: readonly Done[],
): Promise<RecordedSuccess[]> {
  const now = clock.now();
  const rows = done.map((each) => ({ ...attemptRow(each), ...eventColumns(each, ids.uuid()) }));
  const values = [JSON.stringify(rows), now.toISOString(), ATTEMPT_EVENT.type, JSON.stringify(ATTEMPT_EVENT.actor)];
  const written = await db.statement((em) => rawQuery<{ token: string; seq: string | null }>(em, END, values));
  const seqs = new Map(written.map(({ token, seq }) => [token, seq]));
  return done.map(({ leased }) => {
    const seq = seqs.get(leased.claimToken);
    return { isWritten: seq !== undefined, events: sequencedEvent(leased, seq ?? null, now) };
  });
}

export interface RecordedSuccess {
  isWritten: boolean;
  events: readonly SequencedEvent[];
}

function eventColumns(done: Done, eventId: string) {
  const { project_id, item_id, data } = toEventRow(attemptEvent(done), eventId);
  return { event_id: eventId, project_id, item_id, data };
}

function sequencedEvent({ projectId, itemId }: Done['leased'], seq: string | null, now: Date): SequencedEvent[] {
  if (seq === null) return [];
  const event = { projectId, seq: Number(seq), type: ATTEMPT_EVENT.type, itemId };
  return [{ ...event, version: null, appendedAt: now.getTime(), deliverable: null }];
}
