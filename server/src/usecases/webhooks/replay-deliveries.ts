// Replays deliveries: same ID and body, attempt numbers continue, the retry schedule of ended ones restarts (WH1, I5).
import type { REPLAYED_STATUSES, DeliveryStatus } from '@countersign/shared/enums';
import { Refusal } from '@countersign/shared/errors';
import { displayName, memberRef } from '../../domain/access/actor.ts';
import { DUE } from '../../db/connection/channels.ts';
import type { Tx } from '../../db/database.ts';
import { endpointOf, GETS_DELIVERIES } from '../../db/endpoint-columns.ts';
import { makeDue, wakeEndpoints } from '../../db/make-due.ts';
import { Replay } from '../../db/entities/replay.ts';
import { notFound, refuseUnless, requirePermission } from '../access/membership.ts';
import { recordChange } from '../../db/record-change.ts';
import { endpointIdOf, findDelivery, type Target, targetsOf } from './read-delivery.ts';
import type { MemberActor, Services } from '../services.ts';

/**
 * Makes one delivery due at once. Errors: `not_found`, `forbidden`, `delivery_under_way` for one that has not ended,
 * `validation_failed` for one that was cancelled, has no target, or whose body was redacted (KE2).
 */
export async function replayDelivery(services: Services, actor: MemberActor, id: string): Promise<void> {
  await services.db.write(async (tx) => {
    const projectId = await readyToSend(tx, actor, id);
    // The UPDATE checks whether it has ended: the state may have changed since it was read.
    const due = { projectId, ids: [id], by: memberRef(actor) };
    if ((await makeDue(tx, due)) === 0) throw notEnded(await statusOf(tx, id));
  });
}

/**
 * Checks that a supervisor may send this delivery and that it can be sent, and wakes its endpoint. Returns its project. Errors:
 * `not_found`, `forbidden`, `validation_failed` where there is nothing to send or no target.
 */
export async function readyToSend(tx: Tx, actor: MemberActor, id: string): Promise<string> {
  const { delivery, role } = await findDelivery(tx.em, actor, id);
  refuseUnless(role, 'replay_deliveries');
  if (delivery.body === '') throw redacted();
  const endpointId = endpointIdOf(delivery);
  await requireTarget(tx, delivery.projectId, endpointId);
  // The endpoint before the delivery, as the workers lock them: the opposite order could deadlock.
  await wakeEndpoints(tx, { projectId: delivery.projectId, endpointId });
  return delivery.projectId;
}

export interface ReplayFilter {
  projectId: string;
  /** Deliveries of this endpoint only; otherwise of all that are reachable. */
  endpointId?: string | null;
  status: (typeof REPLAYED_STATUSES)[number];
  /** The window in which they were created, both ends included; without an end it ends now. */
  from: Date | null;
  to: Date | null;
}

/**
 * Replays all matching deliveries in the background (`worker/replay.ts`); pending ones are only made due now, as by
 * `sendDeliveryNow` (WH8). A running replay with the same filter is returned instead, so that a second click sends nothing
 * twice. One that finds something is recorded in the change log.
 * Errors: `not_found`, `forbidden`, `validation_failed` without a target.
 */
export async function startReplay(services: Services, actor: MemberActor, filter: ReplayFilter): Promise<Replay> {
  const { projectId, endpointId = null, status, from } = filter;
  const at = services.clock.now();
  const to = filter.to ?? at;
  return services.db.write(async (tx) => {
    await requirePermission(tx.em, { userId: actor.userId, projectId }, 'replay_deliveries');
    if (endpointId !== null && !(await targetsOf(tx.em, projectId)).has(endpointId)) throw notFound();
    await requireTarget(tx, projectId, endpointId);
    // Counted before the lock, so that no other transaction waits for it.
    const n = await countOf(tx, { projectId, endpointId, status, from, to });
    const running = await findRunning(tx, filter);
    if (running !== null) return running;
    await wakeEndpoints(tx, { projectId, endpointId });
    const over = n === 0;
    const replay = tx.em.create(Replay, {
      id: services.ids.uuid(),
      projectId,
      endpointId,
      status,
      fromAt: from,
      toAt: to,
      state: over ? 'done' : 'running',
      total: n,
      replayed: 0,
      cursorAt: null,
      cursorId: null,
      startedBy: actor.userId,
      startedByName: displayName(actor),
      createdAt: at,
      endedAt: over ? at : null,
    });
    await tx.em.flush();
    await tx.em.execute('select pg_notify(?, ?)', [DUE, '']);
    if (!over) await recordResent(services, { tx, actor }, { filter, count: n });
    return replay;
  });
}

/** How many there are to send; of pending ones, those that wait for a later attempt. */
async function countOf({ em }: Tx, { projectId, endpointId = null, status, from, to }: ReplayFilter): Promise<number> {
  const [{ n = 0 } = {}] = await em.execute<{ n: number }[]>(
    `select count(*)::int as n from delivery d where project_id = ? and status = ? and body <> ''
       and ${endpointOf('d')} in (${REACHABLE}) and created_at >= coalesce(?::timestamptz, '-infinity') and created_at <= ?::timestamptz
       ${status === 'pending' ? 'and next_attempt_at > now()' : ''}`,
    [projectId, status, projectId, endpointId, from, to],
  );
  return n;
}

/** Locks the endpoints, so that only one of two concurrent requests starts a replay. */
async function findRunning(
  { em }: Tx,
  { projectId, endpointId = null, status, from, to }: ReplayFilter,
): Promise<Replay | null> {
  await em.execute('select 1 from webhook_endpoint where project_id = ? order by id for update', [projectId]);
  const sameEnd = to === null ? {} : { toAt: to };
  return em.findOne(Replay, { projectId, endpointId, status, fromAt: from, state: 'running', ...sameEnd });
}

/** Cancels a running replay; an ended one is not changed. Errors: `not_found`, `forbidden`. */
export async function cancelReplay(services: Services, actor: MemberActor, id: string): Promise<Replay> {
  return services.db.write(async (tx) => {
    const found = await tx.em.findOne(Replay, { id });
    if (found === null) throw notFound();
    await requirePermission(tx.em, { userId: actor.userId, projectId: found.projectId }, 'replay_deliveries');
    // Waits for the batch in progress, and no other starts after it.
    await tx.em.execute(`update replay set state = 'cancelled', ended_at = ? where id = ? and state = 'running'`, [
      services.clock.now(),
      id,
    ]);
    return tx.em.findOneOrFail(Replay, { id }, { refresh: true });
  });
}

/** SQL for the endpoints of the project `?` that are reachable, or `?` alone where that is not null. */
const REACHABLE = `select e.id from webhook_endpoint e join project p on p.id = e.project_id
  where e.project_id = ? and e.id = coalesce(?::uuid, e.id) and ${GETS_DELIVERIES} and e.state = 'active'`;

/** Refuses unless this endpoint, or any, gets deliveries and is not paused. Errors: `validation_failed`. */
async function requireTarget({ em }: Tx, projectId: string, endpointId: string | null): Promise<void> {
  const all = await targetsOf(em, projectId);
  const targets: Target[] = endpointId === null ? [...all.values()] : [all.get(endpointId) ?? []].flat();
  if (targets.some(({ reachable }) => reachable)) return;
  throw new Refusal('validation_failed', whyUnreachable(targets));
}

/** One line of the change log, with the endpoint where only one was meant. */
async function recordResent(
  services: Services,
  who: { tx: Tx; actor: MemberActor },
  { filter, count }: { filter: ReplayFilter; count: number },
): Promise<void> {
  const { projectId, endpointId = null, status, from } = filter;
  const isNamed = endpointId !== null && endpointId !== projectId;
  const of = isNamed ? { subject: await nameOf(who.tx, filter), subjectId: endpointId } : {};
  const after = { deliveries: status, count, created_since: from?.toISOString() ?? null };
  await recordChange(
    services,
    { tx: who.tx, by: memberRef(who.actor) },
    { projectId, changed: ['webhook'], ...of, action: 'webhook.resent', after },
  );
}

async function nameOf({ em }: Tx, { projectId, endpointId }: ReplayFilter): Promise<string | null> {
  return (await targetsOf(em, projectId)).get(endpointId ?? projectId)?.name ?? null;
}

function whyUnreachable(targets: readonly Target[]): string {
  if (targets.length === 0) return 'This endpoint was removed. There is nowhere to send to.';
  if (targets.every(({ url }) => url === null)) return 'The project has no webhook URL. Set one first.';
  return targets.some(({ gets }) => gets)
    ? 'The endpoint is paused. Resume it first, then send again.'
    : 'The endpoint is disabled. Enable it first, then send again.';
}

/** The present status, with the row locked. */
export async function statusOf({ em }: Tx, id: string): Promise<DeliveryStatus | null> {
  const [row] = await em.execute<{ status: DeliveryStatus }[]>('select status from delivery where id = ? for update', [
    id,
  ]);
  return row?.status ?? null;
}

export const beingSent = () =>
  new Refusal('delivery_under_way', 'The delivery is being sent right now. Wait for the result.');

function notEnded(status: DeliveryStatus | null): Refusal {
  if (status === 'sending') return beingSent();
  if (status === 'pending')
    return new Refusal('delivery_under_way', 'The delivery has attempts left. Send it now, or wait for them.');
  return new Refusal('validation_failed', 'Only a finished delivery can be sent again; this one is not finished.');
}

const redacted = () =>
  new Refusal(
    'validation_failed',
    'The content was deleted under the retention policy: there is nothing to send again.',
  );
