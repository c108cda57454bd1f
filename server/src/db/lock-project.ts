// Serializes changes of a project.
import type { Em } from './orm.ts';

/**
 * Waits for a concurrent change of the project, and blocks the next one until the transaction ends: two owners who
 * demote each other must not both succeed.
 */
export async function lockProject(em: Em, projectId: string): Promise<void> {
  await em.execute('select id from project where id = ? for no key update', [projectId]);
}
