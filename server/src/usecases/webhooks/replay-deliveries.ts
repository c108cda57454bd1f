// A supervisor has deliveries sent again: the same id and bytes, numbered on, with the whole schedule before them once more (WH1, I5).
import type { REPLAYABLE } from '@countersign/shared/api/deliveries';
import { Refusal } from '@countersign/shared/errors';
import type { DeliveryStatus } from '@countersign/shared/enums';
import { displayName, memberRef } from '../../domain/access/actor.ts';
import { DUE } from '../../db/connection/channels.ts';
import type { Tx } from '../../db/database.ts';
import { makeDue, wakeEndpoint } from '../../db/make-due.ts';
import { Replay } from '../../db/entities/replay.ts';
import { notFound, refuseUnless, requirePermission } from '../access/membership.ts';
import { findDelivery, targetOf } from './read-delivery.ts';
import type { MemberActor, Services } from '../services.ts';

/**
 * Makes one delivery due at once. Errors: `not_found`, `forbidden`, `delivery_under_way` for one that has not come to an end,
 * `validation_failed` for one that was called off, has nowhere to go, or no bytes any more (KE2).
 */
export async function replayDelivery(services: Services, actor: MemberActor, id: string): Promise<void> {
  await services.db.write(async (tx) => {
    const projectId = await readyToSend(tx, actor, id);
    // The UPDATE says whether it has come to an end: what was read may be over by now.
    const due = { projectId, ids: [id], by: memberRef(actor) };
    if ((await makeDue(tx, due)) === 0) throw notEnded(await statusOf(tx, id));
  });
}

/**
 * Of a delivery that a supervisor wants sent, and can have sent: its project, whose endpoint is awake now. Errors: `not_found`,
 * `forbidden`, `validation_failed` where there is nothing to send or nowhere to send it to.
 */
export async function readyToSend(tx: Tx, actor: MemberActor, id: string): Promise<string> {
  const { delivery, role } = await findDelivery(tx.em, actor, id);
  refuseUnless(role, 'replay_deliveries');
  if (delivery.body === '') throw redacted();
  await refuseNowhere(tx, delivery.projectId);
  // Before the delivery, as the workers hold them: the other way round two would wait for each other.
  await wakeEndpoint(tx, delivery.projectId);
  return delivery.projectId;
}

export interface ReplayFilter {
  projectId: string;
  status: (typeof REPLAYABLE)[number];
  /** The window in which they were made, both ends included; without an end it ends now. */
  from: Date | null;
  to: Date | null;
}

/**
 * Has all that match sent again in the background (`worker/deliveries/replay.ts`). One with the same filter that is under way is answered
 * instead: a second click sends nothing twice.
 * Errors: `not_found`, `forbidden`, `validation_failed` when there is nowhere to send.
 */
export async function startReplay(services: Services, actor: MemberActor, filter: ReplayFilter): Promise<Replay> {
  const { projectId, status, from } = filter;
  const at = services.clock.now();
  const to = filter.to ?? at;
  return services.db.write(async (tx) => {
    await requirePermission(tx.em, { userId: actor.userId, projectId }, 'replay_deliveries');
    await refuseNowhere(tx, projectId);
    // Counted before anybody has to wait for us.
    const [{ n = 0 } = {}] = await tx.em.execute<{ n: number }[]>(
      `select count(*)::int as n from delivery where project_id = ? and status = ? and body <> ''
         and created_at >= coalesce(?::timestamptz, '-infinity') and created_at <= ?::timestamptz`,
      [projectId, status, from, to],
    );
    const running = await findRunning(tx, filter);
    if (running !== null) return running;
    await wakeEndpoint(tx, projectId);
    const over = n === 0;
    const replay = tx.em.create(Replay, {
      id: services.ids.uuid(),
      projectId,
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
    return replay;
  });
}

/** Holds the endpoint, so that of two who ask at once one begins. */
async function findRunning({ em }: Tx, { projectId, status, from, to }: ReplayFilter): Promise<Replay | null> {
  await em.execute('select 1 from webhook_endpoint where project_id = ? for update', [projectId]);
  const sameEnd = to === null ? {} : { toAt: to };
  return em.findOne(Replay, { projectId, status, fromAt: from, state: 'running', ...sameEnd });
}

/** Stops one that is running; one that has ended stays as it is. Errors: `not_found`, `forbidden`. */
export async function cancelReplay(services: Services, actor: MemberActor, id: string): Promise<Replay> {
  return services.db.write(async (tx) => {
    const found = await tx.em.findOne(Replay, { id });
    if (found === null) throw notFound();
    await requirePermission(tx.em, { userId: actor.userId, projectId: found.projectId }, 'replay_deliveries');
    // Waits for the portion under way, and none begins after it.
    await tx.em.execute(`update replay set state = 'cancelled', ended_at = ? where id = ? and state = 'running'`, [
      services.clock.now(),
      id,
    ]);
    return tx.em.findOneOrFail(Replay, { id }, { refresh: true });
  });
}

/** There is a URL, and its endpoint is not paused. Errors: `validation_failed`. */
async function refuseNowhere({ em }: Tx, projectId: string): Promise<void> {
  const { url, reachable } = await targetOf(em, projectId);
  if (url === null)
    throw new Refusal('validation_failed', 'The project has no webhook URL: there is nowhere to send to.');
  if (!reachable)
    throw new Refusal('validation_failed', 'The endpoint is paused. Let it resume first, then send again.');
}

/** As it is now, its row held. */
export async function statusOf({ em }: Tx, id: string): Promise<DeliveryStatus | null> {
  const [row] = await em.execute<{ status: DeliveryStatus }[]>('select status from delivery where id = ? for update', [
    id,
  ]);
  return row?.status ?? null;
}

export const beingSent = () =>
  new Refusal('delivery_under_way', 'It is being sent at this moment. Wait for what comes of it.');

function notEnded(status: DeliveryStatus | null): Refusal {
  if (status === 'sending') return beingSent();
  if (status === 'pending')
    return new Refusal('delivery_under_way', 'It has attempts before it. Send it now, or wait for them.');
  return new Refusal('validation_failed', 'Only a delivery that came to an end can be sent again; this one did not.');
}

const redacted = () =>
  new Refusal(
    'validation_failed',
    'Its content was deleted at the end of the project’s retention period: there is nothing to send again.',
  );
