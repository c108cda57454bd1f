// Writes the deliveries of what ended an item, with their body, when its event gets its `seq` (I5, I7).
import { jsonText } from '@countersign/shared/json/json';
import type { DecisionAction } from '@countersign/shared/enums';
import { DUE } from '../db/connection/channels.ts';
import { endpointOf, GETS_DELIVERIES, storedEndpoint, URL_OF_ENDPOINT } from '../db/endpoint-columns.ts';
import { planned } from '../db/connection/planned.ts';
import type { Em } from '../db/orm.ts';
import { rawQuery } from '../db/raw-query.ts';
import { type Ending, webhookBodyOf, webhookIdOf } from '../domain/webhooks/delivered-events.ts';
import { secretsOf, type SecretsRow } from '../domain/webhooks/signing.ts';
import { FIRST_OF_ITEM, type Leased, LEASE_SECONDS, type ReadyToSend, SECRETS } from './lease.ts';

/** A sequenced event to deliver: `item.finalized` or `decision.revised` (RV2) with its decision, or an end without one (WD2, DL1). */
export interface Deliverable extends Ending {
  eventId: string;
  seq: number;
}

/**
 * Webhooks deliver reviewers' decisions; automatic ones were in the response to the pipeline
 * (docs/spec/webhooks.md#outbound).
 */
export const isDelivered = (action: DecisionAction): boolean => action !== 'auto_approve';

/**
 * The deliveries of one event, due immediately: one for each of these endpoints, with one body. `webhookId` derives from the
 * event, so a duplicate violates the unique index.
 */
export function deliveriesOf(
  deliverable: Deliverable,
  endpointIds: readonly string[],
  { newId, createdAt }: { newId: () => string; createdAt: Date },
) {
  const { eventId, seq, projectId, itemId } = deliverable;
  const event = { projectId, itemId, webhookId: webhookIdOf(eventId), seq, body: jsonText(webhookBodyOf(deliverable)) };
  return endpointIds.map((endpointId) => ({ ...event, id: newId(), endpointId, createdAt }));
}

/** UTF-16 units of bodies per batch: a full batch of the longest outputs would exceed the maximum string length. */
const MOST_TEXT = 16 * 1024 * 1024;

/** Batches of deliveries for the database, in order: limited in size, unless a single one is longer. */
export function batchesOf<T extends { body: string }>(deliveries: readonly T[], most = MOST_TEXT): T[][] {
  const batches: T[][] = [];
  let room = 0;
  for (const delivery of deliveries) {
    if (batches.length === 0 || delivery.body.length > room) {
      batches.push([]);
      room = most;
    }
    room -= delivery.body.length;
    batches.at(-1)?.push(delivery);
  }
  return batches;
}

export type NewDelivery = ReturnType<typeof deliveriesOf>[number];

/**
 * Direct sending: free permits of this process for deliveries that are being written, which are then sent right after
 * the commit, without a lease of their own.
 */
export interface SendCapacity {
  /** Reserves permits for these deliveries, as far as available. */
  reserve(fresh: readonly NewDelivery[]): ReservedCapacity;
}

export interface ReservedCapacity {
  /** The deliveries that have a permit. */
  ids: ReadonlySet<string>;
  /** Sends these deliveries, and releases the other permits. */
  use(ready: readonly ReadyToSend[]): void;
}

/** A notification to send with the rows. */
export interface ChannelNotification {
  channel: string;
  payload: string;
}

/**
 * $1: the rows; `reserved` where this process has reserved a permit. $2: the notifications; the one for due deliveries
 * is sent if a row is left to others. A row is inserted as leased if it has a permit, its endpoint has no trouble, and
 * nothing of its endpoint is overdue. It is due now by the clock of the database, rounded down to the precision of the column:
 * by any other clock it might wait. One whose endpoint was removed since it was read is not inserted. A deletion of the project
 * waits for this commit: no further check is needed before its POST (AR2).
 */
const INSERT = planned(`
  with r as materialized (
    select x.*, x.reserved and e.state = 'active' and ${GETS_DELIVERIES} and e.failures = 0 and e.open_until is null and ${FIRST_OF_ITEM} and not exists (
        select 1 from delivery w where ${endpointOf('w')} = e.id and w.status = 'pending' and w.next_attempt_at <= now()) as leased
    from json_to_recordset($1::json) as x(id uuid, project_id uuid, endpoint_id uuid, item_id uuid,
      webhook_id text, seq bigint, body text, created_at timestamptz, reserved boolean)
    join webhook_endpoint e on e.id = ${endpointOf('x')} and e.removed_at is null join project p on p.id = x.project_id
  ), written as (
    insert into delivery (id, project_id, endpoint_id, item_id, webhook_id, seq, body, status, attempt, claim_token, lease_until, next_attempt_at, created_at)
    select id, project_id, endpoint_id, item_id, webhook_id, seq, body, case when leased then 'sending' else 'pending' end, leased::int,
      case when leased then gen_random_uuid() end, case when leased then now() + interval '${LEASE_SECONDS} s' end,
      date_trunc('milliseconds', now()), created_at
    from r returning id, project_id, endpoint_id, item_id, claim_token
  ), notified as materialized (
    select pg_notify(channel, payload) from json_to_recordset($2::json) as notification(channel text, payload text)
    where channel <> '${DUE}' or exists (select 1 from r where not leased)
  )
  select w.id, w.claim_token, i.traceparent, ${URL_OF_ENDPOINT} as url, ${SECRETS}
  from (select count(*) from notified) sent left join (written w
    join item i on i.id = w.item_id join project p on p.id = w.project_id join webhook_endpoint e on e.id = ${endpointOf('w')}) on w.claim_token is not null`);

/** One row without an ID when nothing is leased: the statement must be read for the notifications to be sent. */
type Written = SecretsRow<string> & {
  id: string | null;
  claim_token: string;
  url: string;
  traceparent: string | null;
};

/**
 * Inserts deliveries, due immediately, and sends the notifications. `reserved`: the IDs with a reserved permit. Returns
 * the leased ones.
 */
export async function writeDeliveries(
  em: Em,
  {
    deliveries,
    reserved,
    notifications,
  }: {
    deliveries: readonly NewDelivery[];
    reserved: ReadonlySet<string>;
    notifications: readonly ChannelNotification[];
  },
): Promise<ReadyToSend[]> {
  const batches = batchesOf(deliveries);
  const last = batches.pop() ?? [];
  const ready: ReadyToSend[] = [];
  const due = deliveries.length > 0 ? [{ channel: DUE, payload: '' }] : [];
  for (const some of batches) ready.push(...(await insert(em, { some, reserved, notifications: due })));
  ready.push(...(await insert(em, { some: last, reserved, notifications: [...due, ...notifications] })));
  return ready;
}

async function insert(
  em: Em,
  {
    some,
    reserved,
    notifications,
  }: { some: readonly NewDelivery[]; reserved: ReadonlySet<string>; notifications: readonly ChannelNotification[] },
): Promise<ReadyToSend[]> {
  const rows = some.map((delivery) => toRow(delivery, reserved.has(delivery.id)));
  const written = await rawQuery<Written>(em, INSERT, [JSON.stringify(rows), JSON.stringify(notifications)]);
  const byId = new Map(some.map((delivery) => [delivery.id, delivery]));
  return written.flatMap(({ id, claim_token: claimToken, url, traceparent, ...secrets }): ReadyToSend[] => {
    const delivery = id === null ? undefined : byId.get(id);
    return delivery === undefined
      ? []
      : [[firstAttempt(delivery, { claimToken, url, traceparent }), secretsOf(secrets)]];
  });
}

const toRow = (
  { id, projectId, endpointId, itemId, webhookId, seq, body, createdAt }: NewDelivery,
  reserved: boolean,
) => ({
  ...{
    id,
    project_id: projectId,
    endpoint_id: storedEndpoint({ projectId, endpointId }),
    item_id: itemId,
    webhook_id: webhookId,
    seq,
    body,
    created_at: createdAt,
    reserved,
  },
});

function firstAttempt(delivery: NewDelivery, lease: Pick<Leased, 'claimToken' | 'url' | 'traceparent'>): Leased {
  const { id, projectId, endpointId, itemId, webhookId, body } = delivery;
  const first = { attempt: 1, scheduleFrom: 0, previousError: null, probe: false };
  return { id, projectId, endpointId, itemId, webhookId, body, ...first, ...lease };
}
