// Deletes answer schemas that no item and no project names any more (KE2): they may contain what items contained.
import { lockProject } from '../lock-project.ts';
import type { Em } from '../orm.ts';
import { rawQuery } from '../raw-query.ts';
import { lockIntakeExclusive } from '../submit-batch.ts';

const DELETE = `
  delete from answer_schema s where project_id = $1 and digest = any($2::text[])
    and not exists (select 1 from item i where i.project_id = s.project_id and i.answer_schema = s.digest)
    and not exists (select 1 from project p where p.id = s.project_id and p.answer_schema_digest = s.digest)`;

/**
 * Deletes those of these schemas that nothing names. Needs a transaction of its own: its locks make submissions and changes of
 * settings wait, which could otherwise name a schema while it is deleted.
 */
export async function deleteUnusedSchemas(em: Em, projectId: string, digests: readonly string[]): Promise<void> {
  await lockProject(em, projectId);
  await lockIntakeExclusive(em, projectId);
  await rawQuery(em, DELETE, [projectId, `{${digests.join(',')}}`]);
}
