// Takes away what was kept for as long as an owner said (KE), a portion at a time along each ledger: a crash costs a portion.
import { DatabaseGone } from '../db/database.ts';
import {
  lockItems,
  nameOf,
  nextRetentionTask,
  readExpiredEvents,
  type RetentionTask,
} from '../db/retention/retention-tasks.ts';
import type { Em } from '../db/orm.ts';
import { rawQuery } from '../db/raw-query.ts';
import { deleteExpired, type DeletedEvents } from '../db/retention/delete-expired.ts';
import { isDeletable } from '../domain/items/retention.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';

/** How often to look, in milliseconds. */
export const RETENTION_POLL_MS = 10 * 60_000;
/** The shortest time between the starts of two portions, in milliseconds: a past of years is no reason to slow people down. */
export const RETENTION_GAP_MS = 100;
/** Facts that one transaction looks at. */
const BATCH_SIZE = 500;

/** How long an errand that failed is left alone, in milliseconds, while the others go on. */
const REST_MS = RETENTION_POLL_MS;

export interface RetentionJob {
  /**
   * Carries out one portion of one kind of one project. Several workers may run it at once: of one errand one has the next portion.
   * Errors: what a portion fails with; that errand rests then, and the next run goes on with the others.
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
        // That there is no database is no fault of this one.
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

/** Answers of how many items something went. */
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
