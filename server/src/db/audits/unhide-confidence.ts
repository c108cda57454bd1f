// Shows confidence to reviewers again once every item that arrived during audits has a final decision (AU3).
import type { Database } from '../database.ts';

/**
 * SQL for a project with the alias `p`: an item that arrived before its audits ended is undecided or can be undone,
 * sampled or not.
 */
const UNDECIDED = `(exists (select from item i where i.project_id = p.id and i.status in ('queued', 'escalated')
    and i.settings_version < p.audits_off_version)
  or exists (select from decision d join item i on i.id = d.item_id where d.final_at is null and d.project_id = p.id
    and i.settings_version < p.audits_off_version))`;

/**
 * Checks the projects that ended their audits. A concurrent submission holds its project and may have read the older
 * settings, so the project is locked and checked again; only if nothing else is left, because intake waits for that
 * lock.
 */
export async function unhideConfidence(db: Database): Promise<void> {
  const ended = await db.read((em) =>
    em.execute<{ id: string }[]>(
      `select p.id from project p where p.audits_off_version is not null and p.deleted_at is null and not ${UNDECIDED}`,
    ),
  );
  for (const { id } of ended)
    await db.write(async ({ em }) => {
      await em.execute('select from project where id = ? for update', [id]);
      await em.execute(`update project p set audits_off_version = null where p.id = ? and not ${UNDECIDED}`, [id]);
    });
}
