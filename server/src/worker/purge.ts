// Takes away what deleted projects have left, in portions, oldest first (AR2).
import { purgeBatch } from '../db/retention/purge-project.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';

/** How often to look, in milliseconds. */
export const PURGE_MS = 60_000;
/** Until then everybody has heard of the end, and what was under way has been recorded, in seconds. */
const REST_SECONDS = 120;

/** Takes one portion away of one project. Several workers may run it at once: each takes another project, or none. */
export async function purgeOnce(services: Services, batchSize?: number): Promise<Next> {
  const taken = await services.db.write(async ({ em }) => {
    const [project] = await em.execute<{ id: string }[]>(
      `select id from project where deleted_at < now() - make_interval(secs => ?)
       order by deleted_at limit 1 for no key update skip locked`,
      [REST_SECONDS],
    );
    return project && { id: project.id, ...(await purgeBatch(em, project.id, batchSize)) };
  });
  if (taken?.gone) services.log.info({ project: taken.id }, 'a deleted project is gone');
  return { again: (taken?.rows ?? 0) > 0 };
}
