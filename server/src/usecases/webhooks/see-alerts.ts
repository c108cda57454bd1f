// Marks alerts as seen by an owner: neither they nor earlier ones are shown to them again (WH6).
import { requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';

export interface SeenAlerts {
  projectId: string;
  /** The time of the last alert that they have seen. */
  until: Date;
}

/** Only moves forward, and at most to the last alert: later ones are shown. Errors: `not_found`, `forbidden`. */
export async function seeAlerts(
  services: Services,
  actor: MemberActor,
  { projectId, until }: SeenAlerts,
): Promise<void> {
  await services.db.write(async ({ em }) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_webhook');
    await em.execute(
      `update member m set alerts_seen_at = a.at
       from (select least(max(created_at), ?::timestamptz) as at from webhook_alert where project_id = ? having count(*) > 0) a
       where m.project_id = ? and m.user_id = ? and a.at > coalesce(m.alerts_seen_at, '-infinity')`,
      [until, projectId, projectId, actor.userId],
    );
  });
}
