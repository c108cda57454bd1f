// Deletes the rows of deleted projects, in batches of one transaction each.
import { purgeBatch } from '../db/retention/purge-project.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';

/** Polling interval, in milliseconds. */
export const PURGE_MS = 60_000;
/** By then every process knows of the deletion, and work in progress is recorded; in seconds. */
const REST_SECONDS = 120;

/** Deletes one batch of one project. Several workers may run it concurrently: each takes another project, or none. */
export async function purgeOnce(services: Services, batchSize?: number): Promise<Next> {
  const taken = await services.db.write(async ({ em }) => {
    const [project] = await em.execute<{ id: string }[]>(
      `select id from project where deleted_at < now() - make_interval(secs => ?)
       order by deleted_at limit 1 for no key update skip locked`,
      [REST_SECONDS],
    );
    return project && { id: project.id, ...(await purgeBatch(em, project.id, batchSize)) };
  });
  if (taken?.gone) services.log.info({ project: taken.id }, 'a deleted project was purged');
  return { again: (taken?.rows ?? 0) > 0 };
}
