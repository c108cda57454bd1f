// Marks guidelines as seen by a member: they are not notified of that change again (GL1).
import { roleIn } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';

export interface SeenInput {
  projectId: string;
  /** The settings version whose guidelines were seen. */
  version: number;
}

/** Only raises the seen version, and at most to the present one. Errors: `not_found`. */
export async function seeGuidelines(
  services: Services,
  actor: MemberActor,
  { projectId, version }: SeenInput,
): Promise<void> {
  await services.db.write(async ({ em }) => {
    await roleIn(em, actor.userId, projectId);
    await em.execute(
      `update member m set guidelines_seen = least(?, p.guidelines_version) from project p
       where p.id = m.project_id and m.project_id = ? and m.user_id = ?
         and m.guidelines_seen < least(?, p.guidelines_version)`,
      [version, projectId, actor.userId, version],
    );
  });
}
