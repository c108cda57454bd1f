// One change of a project at a time.
import type { Em } from './orm.ts';

/**
 * Waits for whoever changes the project now, and lets the next one wait until the transaction ends: two owners who take each
 * other down must not both succeed.
 */
export async function lockProject(em: Em, projectId: string): Promise<void> {
  await em.execute('select id from project where id = ? for no key update', [projectId]);
}
