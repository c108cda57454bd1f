// The reminders of a project for its owners: the log with attempts, and sending one again (NO6).
import { raw } from '@mikro-orm/core';
import { targetKey } from '@countersign/shared/formats/target-key';
import { Refusal } from '@countersign/shared/errors';
import { NotificationAttempt } from '../../db/entities/notification-attempt.ts';
import { NotificationMessage } from '../../db/entities/notification-message.ts';
import { NotificationTarget } from '../../db/entities/notification-target.ts';
import { Project } from '../../db/entities/project.ts';
import { lockProject } from '../../db/lock-project.ts';
import { notFound, requireChange, requirePermission } from '../access/membership.ts';
import { decodeCursor, toPage, type PageQuery } from '../cursor.ts';
import type { MemberActor, Services } from '../services.ts';

export interface NotificationMessageView {
  message: NotificationMessage;
  /** Newest first. */
  attempts: NotificationAttempt[];
  circuitOpenUntil: Date | null;
  /** Its target is still one of the notifications of an active project. */
  reachable: boolean;
}

/** Errors: `not_found`, `forbidden`, `invalid_cursor`. */
export function listNotificationMessages(
  services: Services,
  actor: MemberActor,
  { projectId, after, limit }: PageQuery,
): Promise<{ views: NotificationMessageView[]; nextCursor: string | null }> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_webhook');
    const cursor = decodeCursor(after);
    const before =
      cursor === null ? {} : { [raw('(created_at, id)')]: { $lt: raw('(?, ?::uuid)', [cursor.at, cursor.id]) } };
    const found = await em.find(
      NotificationMessage,
      { $and: [{ projectId }, before] },
      { orderBy: { createdAt: 'desc', id: 'desc' }, limit: limit + 1 },
    );
    const { rows, nextCursor } = toPage(found, limit, (row) => ({ at: row.createdAt, id: row.id }));
    const ids = rows.map(({ id }) => id);
    const attempts = await em.find(NotificationAttempt, { messageId: ids }, { orderBy: { n: 'desc' } });
    const open = await em.find(NotificationTarget, { projectId, openUntil: { $ne: null } });
    const project = await em.findOneOrFail(Project, { id: projectId });
    const views = rows.map((message) => ({
      message,
      attempts: attempts.filter(({ messageId }) => messageId === message.id),
      circuitOpenUntil: open.find(({ target }) => target === message.target)?.openUntil ?? null,
      reachable: isReachable(project, message),
    }));
    return { views, nextCursor };
  });
}

const isReachable = ({ notifications, archivedAt }: Project, message: NotificationMessage): boolean =>
  !archivedAt && notifications.some((one) => targetKey(one) === targetKey(message));

/** An open circuit lets it through at once. */
const WAKE = `update notification_target set open_until = now() where project_id = ? and target = ? and open_until > now()`;
/** One that has ended gets a new schedule. One that waits keeps its own. */
const RESEND = `
  update notification_message set next_attempt_at = date_trunc('milliseconds', now()),
    schedule_from = case when status = 'pending' then schedule_from else attempt end,
    error = case when status = 'pending' then error end, status = 'pending', completed_at = null
  where id = ? and status <> 'sending' returning 1`;

/**
 * Makes a reminder due now. Errors: `not_found`, `forbidden`, `delivery_under_way` for one that is being sent,
 * `validation_failed` where its target is no longer in the notifications.
 */
export async function resendNotificationMessage(services: Services, actor: MemberActor, id: string): Promise<void> {
  await services.db.write(async ({ em }) => {
    const message = await em.findOne(NotificationMessage, { id });
    if (message === null) throw notFound();
    const { projectId } = message;
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_webhook');
    await requireChange(em, { userId: actor.userId, projectId }, 'manage_webhook');
    await lockProject(em, projectId);
    const project = await em.findOneOrFail(Project, { id: projectId }, { refresh: true });
    if (!isReachable(project, message))
      throw new Refusal('validation_failed', 'This target is no longer in the notifications. Add it again first.');
    // The message before its target, as the record of an attempt locks them: the other way round the two would deadlock.
    const [resent] = await em.execute<object[]>(RESEND, [id]);
    if (resent === undefined)
      throw new Refusal('delivery_under_way', 'This message is being sent. Wait for its result.');
    await em.execute(WAKE, [projectId, message.target]);
  });
}
