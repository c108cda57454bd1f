// The relay: gives recorded facts their place in the project's ledger, writes the deliveries they cause, and rings the sockets.
import { DECISION_ACTIONS } from '@countersign/shared/words';
import type { EntityDictionary } from '@mikro-orm/core';
import type { Event } from '../db/entities/event.ts';
import { Decision } from '../db/entities/decision.ts';
import type { Tx } from '../db/database.ts';
import { DUE, STAMPED, stampedText } from '../db/channels.ts';
import { planned } from '../db/planned.ts';
import { rawQuery } from '../db/raw-query.ts';
import type { Signals } from '../db/signals.ts';
import { countFacts, type Span } from '../analytics/count-facts.ts';
import type { Services } from '../usecases/services.ts';
import { deliveryOf, isToldOf, portionsOf, type Told } from '../webhooks/fan-out.ts';
import type { Next } from './loop.ts';

/** Any fixed number: one relay at a time among all processes on a database. */
const RELAY = 7_202_611_202;
const BATCH = 500;

/** Stamps up to one batch. Facts of one item keep their order: each was inserted under its item's row lock. `onStamped` is told of it when it is done. */
export async function relayOnce(
  services: Services,
  signals: Signals,
  onStamped: (facts: readonly Stamped[]) => void = () => undefined,
): Promise<Next> {
  if (!(await signals.lead(RELAY))) return {};
  const facts = await services.db.write(async (tx) => {
    const stamped = await stamp(tx);
    if (stamped.length === 0) return [];
    await countFacts(tx.em, spansOf(stamped));
    await fanOut(services, tx, stamped);
    return stamped;
  });
  onStamped(facts);
  return { again: facts.length === BATCH };
}

interface Stamped {
  projectId: string;
  seq: number;
  type: Event['type'];
  itemId: string | null;
  /** Of the item. */
  version: number | null;
  /** When it was stated, in ms since the epoch. */
  statedAt: number;
  /** Whether everything before it is in the rollups: then it goes there too, else a worker gets there. */
  counted: boolean;
  /** What is to be told of it, where its project has somewhere to send webhooks to; null of every other fact. */
  told: Told | null;
}

/** The decisions that webhooks tell of. */
const TOLD = DECISION_ACTIONS.filter(isToldOf);

/**
 * $1: `TOLD`. A ledger that is counted to its end goes on being so: what is stamped here is counted in this transaction. The row locks make a second relay, should leadership ever be in doubt, wait and find nothing: no number twice. Each
 * decision is looked up by its index: there are few of them in a batch, however many there are.
 */
const STAMP = `
  with unstamped as (
    select position, project_id, item_id, type, data ->> 'action' as action, (data ->> 'version')::int as version from event
    where seq is null order by position limit ${BATCH} for update
  ), batch as (
    select *, row_number() over (partition by project_id order by position) as n from unstamped
  ), heads as (
    update project p set event_seq = p.event_seq + c.n,
      rollup_seq = case when p.rollup_seq = p.event_seq then p.event_seq + c.n else p.rollup_seq end
    from (select project_id, count(*) as n from batch group by project_id) c
    where p.id = c.project_id returning p.id, p.event_seq - c.n as base, p.rollup_seq = p.event_seq as counted,
      p.webhook_url is not null as has_webhook
  )
  update event e set seq = h.base + b.n
  from batch b join heads h on h.id = b.project_id
  left join lateral (
    select d.* from decision d
    where h.has_webhook and b.type = 'item.finalized' and b.action = any($1) and d.item_id = b.item_id and not d.audit
      and d.action = b.action and d.final_at is not null
    limit 1
  ) d on true
  where e.position = b.position
  returning e.id as event_id, e.project_id as event_project, e.item_id as event_item, b.version as event_version,
    (extract(epoch from e.created_at) * 1000)::float8 as event_at, e.seq, e.type as event_type, h.counted, d.*`;

/** The decision's columns are null of a fact that is not told. */
type StampedRow = EntityDictionary<Decision> & {
  event_id: string;
  event_project: string;
  event_item: string | null;
  event_version: number | null;
  event_at: number;
  seq: string;
  event_type: Event['type'];
  counted: boolean;
};

async function stamp({ em }: Tx): Promise<Stamped[]> {
  const rows = await rawQuery<StampedRow>(em, STAMP, [TOLD]);
  return rows.map(({ event_id: eventId, event_project, event_item, event_version, event_at, event_type, ...row }) => {
    const { seq, counted, ...columns } = row;
    return {
      ...{ projectId: event_project, seq: Number(seq), type: event_type, counted },
      ...{ itemId: event_item, version: event_version, statedAt: event_at },
      told: columns.id ? { eventId, seq: Number(seq), decision: em.map(Decision, columns) } : null,
    };
  });
}

/** Where in which ledger they stand. */
function spansOf(stamped: readonly Stamped[]): Span[] {
  const counted = Map.groupBy(
    stamped.filter((fact) => fact.counted),
    (fact) => fact.projectId,
  );
  return [...counted].map(([projectId, facts]) => {
    const seqs = facts.map(({ seq }) => seq);
    return { projectId, after: Math.min(...seqs) - 1, through: Math.max(...seqs) };
  });
}

/** The rows as one JSON parameter, and the doorbells in the same round trip. */
const INSERT_DELIVERIES = planned(`
  with written as (
    insert into delivery (id, project_id, item_id, webhook_id, seq, body, status, attempt, next_attempt_at, created_at)
    select id, "projectId", "itemId", "webhookId", seq, body, status, attempt, "nextAttemptAt", "createdAt"
    from json_to_recordset($1::json) as r(id uuid, "projectId" uuid, "itemId" uuid, "webhookId" text, seq bigint, body text,
      status text, attempt int, "nextAttemptAt" timestamptz, "createdAt" timestamptz)
  )
  select pg_notify(channel, payload) from json_to_recordset($2::json) as r(channel text, payload text)`);

/** Writes the deliveries and rings, with the last of them: for the workers, and for every web process. */
async function fanOut(services: Services, { em }: Tx, stamped: Stamped[]): Promise<void> {
  const at = services.clock.now();
  const deliveries = stamped.flatMap(({ told }) => told ?? []).map((told) => deliveryOf(told, services.ids.uuid(), at));
  const portions = portionsOf(deliveries);
  const due = portions.length > 0 ? [{ channel: DUE, payload: '' }] : [];
  const rings = JSON.stringify([...due, ...stampedRings(stamped)]);
  const last = portions.pop() ?? [];
  for (const some of portions) await rawQuery(em, INSERT_DELIVERIES, [JSON.stringify(some), '[]']);
  await rawQuery(em, INSERT_DELIVERIES, [JSON.stringify(last), rings]);
}

/** So many ledgers stay within NOTIFY's 8000 bytes. */
const RUNG_TOGETHER = 100;

/** Tells every web process which ledgers grew, from where, and whether the project itself changed. */
function stampedRings(stamped: Stamped[]): { channel: string; payload: string }[] {
  const grown = [...Map.groupBy(stamped, (event) => event.projectId)].map(([projectId, events]) => {
    const seq = Math.min(...events.map((event) => event.seq));
    return stampedText({ projectId, seq, changed: events.some((event) => event.type === 'project.changed') });
  });
  const count = Math.ceil(grown.length / RUNG_TOGETHER);
  return Array.from({ length: count }, (_, n) => {
    const payload = grown.slice(n * RUNG_TOGETHER, (n + 1) * RUNG_TOGETHER).join(',');
    return { channel: STAMPED, payload };
  });
}
