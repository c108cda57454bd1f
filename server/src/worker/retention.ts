// Deletes data past the retention period that an owner set (KE), in batches along each event log: a crash costs one
// batch.
import { DatabaseGone } from '../db/database.ts';
import {
  lockItems,
  nameOf,
  nextRetentionTask,
  readExpiredEvents,
  type RetentionTask,
  deleteExpired,
  type DeletedEvents,
} from '../db/retention/retention-tasks.ts';
import type { Em } from '../db/orm.ts';
import { rawQuery } from '../db/raw-query.ts';
import { isDeletable } from '../domain/items/retention.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';

/** Polling interval, in milliseconds. */
export const RETENTION_POLL_MS = 10 * 60_000;
/** The minimum time between the starts of two batches, in milliseconds: years of old data must not slow down users. */
export const RETENTION_GAP_MS = 100;
/** Events that one transaction checks. */
const BATCH_SIZE = 500;

/** How long a failed task is paused, in milliseconds, while the others continue. */
const REST_MS = RETENTION_POLL_MS;

export interface RetentionJob {
  /**
   * Runs one batch of one kind of one project. Several workers may run it concurrently: only one has the next batch of
   * a task. Errors: those of the batch; its task is paused then, and the next run continues with the others.
   */
  runOnce(batchSize?: number): Promise<Next>;
}

export function createRetentionJob(services: Services): RetentionJob {
  /** Until when, in ms. */
  const resting = new Map<string, number>();
  const runNextTask = async (under: { task: RetentionTask | null }, batchSize: number): Promise<Next> => {
    const now = services.clock.now();
    for (const [name, until] of resting) if (until <= now.getTime()) resting.delete(name);
    const items = await services.db.write(async ({ em }) => {
      under.task = await nextRetentionTask(em, now, [...resting.keys()]);
      return under.task === null ? null : runTask(em, under.task, { now, batchSize });
    });
    if (items === null) return { at: resting.size === 0 ? null : new Date(Math.min(...resting.values())) };
    services.log.debug({ ...named(under.task), items }, 'expired data was deleted');
    return { again: true };
  };
  return {
    runOnce: async (batchSize = BATCH_SIZE) => {
      const under: { task: RetentionTask | null } = { task: null };
      try {
        return await runNextTask(under, batchSize);
      } catch (error) {
        const { task } = under;
        // An unreachable database is not the fault of this task.
        if (task !== null && !(error instanceof DatabaseGone)) {
          resting.set(nameOf(task), services.clock.now().getTime() + REST_MS);
          services.log.error(named(task), 'could not delete expired data; retrying in ten minutes');
        }
        throw error;
      }
    },
  };
}

const named = (task: RetentionTask | null) => ({ project: task?.projectId, kind: task?.kind });

/** Returns the number of items with deleted data. */
async function runTask(em: Em, task: RetentionTask, at: { now: Date; batchSize: number }): Promise<number> {
  const { through, itemIds } = await readExpiredEvents(em, task, at);
  if (through === null) return 0;
  const candidates = await lockItems(em, itemIds, through);
  const ids = candidates.filter((item) => isDeletable(task.kind, item)).map(({ id }) => id);
  await note(em, task, { through, ...(await deleteExpired(em, task.kind, { ids, now: at.now })) });
  return ids.length;
}

async function note(
  em: Em,
  { projectId, kind }: RetentionTask,
  { through, events, until }: DeletedEvents & { through: number },
): Promise<void> {
  await rawQuery(
    em,
    `update keeping set through_seq = $3, facts_gone = facts_gone + $4, gone_until = greatest(gone_until, $5::timestamptz)
     where project_id = $1 and kind = $2`,
    [projectId, kind, through, events, until],
  );
}
