// The relay: gives recorded facts their place in the project's ledger, writes the deliveries they cause, and rings the sockets.
import type { DecisionAction } from '@countersign/shared/words';
import type { Event } from '../db/entities/event.ts';
import { Decision } from '../db/entities/decision.ts';
import type { Tx } from '../db/database.ts';
import { DUE, STAMPED, stampedText } from '../db/channels.ts';
import { planned } from '../db/planned.ts';
import { rawQuery } from '../db/raw-query.ts';
import type { Signals } from '../db/signals.ts';
import type { Services } from '../usecases/services.ts';
import { deliveryOf, isToldOf, portionsOf, type Finalized } from '../webhooks/fan-out.ts';
import type { Next } from './loop.ts';

/** Any fixed number: one relay at a time among all processes on a database. */
const RELAY = 7_202_611_202;
const BATCH = 500;

/** Stamps up to one batch. Facts of one item keep their order: each was inserted under its item's row lock. */
export async function relayOnce(services: Services, signals: Signals): Promise<Next> {
  if (!(await signals.lead(RELAY))) return {};
  const count = await services.db.write(async (tx) => {
    const stamped = await stamp(tx);
    if (stamped.length === 0) return 0;
    await fanOut(services, tx, stamped.filter(isTold));
    await ring(tx, stamped);
    return stamped.length;
  });
  return { again: count === BATCH };
}

interface Stamped extends Omit<Finalized, 'itemId'> {
  itemId: string | null;
  type: Event['type'];
  /** What finalized the item; null for every other fact. */
  action: DecisionAction | null;
  /** Its project has somewhere to send webhooks to. */
  hasWebhook: boolean;
}

const isTold = (event: Stamped): event is Stamped & Finalized =>
  event.hasWebhook && event.type === 'item.finalized' && event.itemId !== null && isToldOf(event.action);

async function stamp({ em }: Tx): Promise<Stamped[]> {
  const rows = await em.execute<
    {
      id: string;
      project_id: string;
      seq: string;
      item_id: string | null;
      type: Event['type'];
      action: DecisionAction | null;
      has_webhook: boolean;
    }[]
  >(
    // The row locks make a second relay, should leadership ever be in doubt, wait and find nothing: no number twice.
    `with unstamped as (
       select position, project_id from event where seq is null order by position limit ${BATCH} for update
     ), batch as (
       select position, project_id, row_number() over (partition by project_id order by position) as n from unstamped
     ), heads as (
       update project p set event_seq = p.event_seq + c.n
       from (select project_id, count(*) as n from batch group by project_id) c
       where p.id = c.project_id returning p.id, p.event_seq - c.n as base, p.webhook_url is not null as has_webhook
     )
     update event e set seq = h.base + b.n from batch b join heads h on h.id = b.project_id
     where e.position = b.position returning e.id, e.project_id, e.seq, e.item_id, e.type, e.data ->> 'action' as action, h.has_webhook`,
  );
  return rows.map((row) => ({
    id: row.id,
    projectId: row.project_id,
    seq: Number(row.seq),
    itemId: row.item_id,
    type: row.type,
    action: row.action,
    hasWebhook: row.has_webhook,
  }));
}

/** The rows as one JSON parameter, and the doorbell in the same round trip. */
const INSERT_DELIVERIES = planned(`
  with written as (
    insert into delivery (id, project_id, item_id, webhook_id, seq, body, status, attempt, next_attempt_at, created_at)
    select id, "projectId", "itemId", "webhookId", seq, body, status, attempt, "nextAttemptAt", "createdAt"
    from json_to_recordset($1::json) as r(id uuid, "projectId" uuid, "itemId" uuid, "webhookId" text, seq bigint, body text,
      status text, attempt int, "nextAttemptAt" timestamptz, "createdAt" timestamptz)
  )
  select pg_notify($2, '')`);

async function fanOut(services: Services, { em }: Tx, events: Finalized[]): Promise<void> {
  if (events.length === 0) return;
  const decisions = await em.find(Decision, {
    itemId: { $in: events.map((event) => event.itemId) },
    finalAt: { $ne: null },
  });
  const byItem = new Map(decisions.map((decision) => [decision.itemId, decision]));
  const at = services.clock.now();
  const deliveries = events.flatMap((event) => {
    const decision = byItem.get(event.itemId);
    return decision ? [deliveryOf(event, decision, { id: services.ids.uuid(), at })] : [];
  });
  for (const some of portionsOf(deliveries)) await rawQuery(em, INSERT_DELIVERIES, [JSON.stringify(some), DUE]);
}

/** Tells every web process which ledgers grew, from where, and whether the project itself changed, within NOTIFY's 8000 bytes. */
async function ring({ em }: Tx, stamped: Stamped[]): Promise<void> {
  const grown = [...Map.groupBy(stamped, (event) => event.projectId)].map(([projectId, events]) => {
    const seq = Math.min(...events.map((event) => event.seq));
    return stampedText({ projectId, seq, changed: events.some((event) => event.type === 'project.changed') });
  });
  for (let start = 0; start < grown.length; start += 100) {
    await em.execute('select pg_notify(?, ?)', [STAMPED, grown.slice(start, start + 100).join(',')]);
  }
}
