// The relay: gives recorded facts their place in the project's ledger, writes the deliveries they cause, and rings the sockets.
import { DECISION_ACTIONS } from '@countersign/shared/words';
import type { EntityDictionary } from '@mikro-orm/core';
import type { Event } from '../db/entities/event.ts';
import { Decision } from '../db/entities/decision.ts';
import type { Tx } from '../db/database.ts';
import { STAMPED, stampedText } from '../db/channels.ts';
import { rawQuery } from '../db/raw-query.ts';
import type { Signals } from '../db/signals.ts';
import { Turns } from '../db/turns.ts';
import type { Services } from '../usecases/services.ts';
import { deliveryOf, isToldOf, type Told } from '../webhooks/fan-out.ts';
import type { ReadyToSend } from './delivery-rows.ts';
import type { Next } from './loop.ts';
import { type Doorbell, type NewDelivery, writeDeliveries } from './write-deliveries.ts';

/** Any fixed number: one relay at a time among all processes on a database. */
const RELAY = 7_202_611_202;
const BATCH = 500;

/** Free slots of this process for deliveries that are being written. */
export interface FreeSlots {
  /** Keeps slots for these, as far as there are any. */
  keep(fresh: readonly NewDelivery[]): KeptSlots;
}

export interface KeptSlots {
  /** Of the deliveries that have one. */
  ids: ReadonlySet<string>;
  /** Sends these in them, and gives the others back. */
  use(ready: readonly ReadyToSend[]): void;
}

interface Relaying {
  /** Is told of a batch when it is done. */
  onStamped?: (facts: readonly Stamped[]) => void;
  /** Without any every delivery waits for a worker. */
  slots?: FreeSlots;
  /** Those of whoever else numbers facts in this process. */
  turns?: Turns;
}

const NO_SLOTS: FreeSlots = { keep: () => ({ ids: new Set(), use: () => undefined }) };

/** Stamps up to one batch. Facts of one item keep their order: each was inserted under its item's row lock. */
export async function relayOnce(
  services: Services,
  signals: Signals,
  { onStamped = () => undefined, slots = NO_SLOTS, turns = new Turns() }: Relaying = {},
): Promise<Next> {
  if (!(await signals.lead(RELAY))) return {};
  let kept = NO_SLOTS.keep([]);
  let sent: readonly ReadyToSend[] = [];
  try {
    const write = async (tx: Tx) => {
      const stamped = await stamp(tx);
      if (stamped.length === 0) return { stamped, ready: [] };
      const deliveries = newDeliveries(services, stamped);
      kept = slots.keep(deliveries);
      const ready = await writeDeliveries(tx.em, { deliveries, kept: kept.ids, bells: stampedBells(stamped) });
      return { stamped, ready };
    };
    const { stamped, ready } = await turns.take(() => services.db.write(write));
    sent = ready;
    onStamped(stamped);
    return { again: stamped.length === BATCH };
  } finally {
    kept.use(sent);
  }
}

/** A fact that has its place. */
export interface Stamped {
  projectId: string;
  seq: number;
  type: Event['type'];
  itemId: string | null;
  /** Of the item. */
  version: number | null;
  /** When it was stated, in ms since the epoch. */
  statedAt: number;
  /** What is to be told of it, where its project has somewhere to send webhooks to; null of every other fact. */
  told: Told | null;
}

/** The decisions that webhooks tell of. */
const TOLD = DECISION_ACTIONS.filter(isToldOf);

/**
 * $1: `TOLD`. The row locks make a second relay, should leadership ever be in doubt, wait and find nothing: no number twice. Projects
 * are held in the order of their ids, as whoever counts holds them. Each decision is looked up by its index: there are few of them in a
 * batch, however many there are.
 */
const STAMP = `
  with unstamped as (
    select position, project_id, item_id, type, data ->> 'action' as action, (data ->> 'version')::int as version from event
    where seq is null order by position limit ${BATCH} for update
  ), batch as (
    select *, row_number() over (partition by project_id order by position) as n from unstamped
  ), grown as (
    select project_id, count(*) as n from batch group by project_id
  ), held as (
    select id from project where id in (select project_id from grown) order by id for no key update
  ), heads as (
    update project p set event_seq = p.event_seq + g.n from grown g join held on held.id = g.project_id
    where p.id = held.id returning p.id, p.event_seq - g.n as base, p.webhook_url is not null as has_webhook
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
    (extract(epoch from e.created_at) * 1000)::float8 as event_at, e.seq, e.type as event_type, d.*`;

/** The decision's columns are null of a fact that is not told. */
type StampedRow = EntityDictionary<Decision> & {
  event_id: string;
  event_project: string;
  event_item: string | null;
  event_version: number | null;
  event_at: number;
  seq: string;
  event_type: Event['type'];
};

async function stamp({ em }: Tx): Promise<Stamped[]> {
  const rows = await rawQuery<StampedRow>(em, STAMP, [TOLD]);
  return rows.map(({ event_id: eventId, event_project, event_item, event_version, event_at, event_type, ...row }) => {
    const { seq, ...columns } = row;
    return {
      ...{ projectId: event_project, seq: Number(seq), type: event_type },
      ...{ itemId: event_item, version: event_version, statedAt: event_at },
      told: columns.id ? { eventId, seq: Number(seq), decision: em.map(Decision, columns) } : null,
    };
  });
}

function newDeliveries(services: Services, stamped: readonly Stamped[]): NewDelivery[] {
  const at = services.clock.now();
  return stamped.flatMap(({ told }) => told ?? []).map((told) => deliveryOf(told, services.ids.uuid(), at));
}

/** So many ledgers stay within NOTIFY's 8000 bytes. */
const RUNG_TOGETHER = 100;

/** Tells every web process which ledgers grew, from where, and whether the project itself changed. */
function stampedBells(stamped: readonly Stamped[]): Doorbell[] {
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
