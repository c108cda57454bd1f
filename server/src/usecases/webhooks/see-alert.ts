// Marks an alert as seen by an owner: neither it nor earlier ones of its topic are shown to them again (WH6).
import { topicOf } from '../../db/alert-topic.ts';
import { notFound, requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';

/** Only moves forward: later alerts, and those about other endpoints, are still shown. Errors: `not_found`, `forbidden`. */
export async function seeAlert(
  services: Services,
  actor: MemberActor,
  { projectId, alertId }: { projectId: string; alertId: string },
): Promise<void> {
  await services.db.write(async ({ em }) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_webhook');
    const seen = await em.execute<unknown[]>(
      `insert into alert_seen (project_id, user_id, topic, until)
       select a.project_id, ?, ${topicOf('a')}, a.created_at from webhook_alert a where a.id = ? and a.project_id = ?
       on conflict (project_id, user_id, topic) do update set until = greatest(alert_seen.until, excluded.until)
       returning 1`,
      [actor.userId, alertId, projectId],
    );
    if (seen.length === 0) throw notFound();
  });
}
