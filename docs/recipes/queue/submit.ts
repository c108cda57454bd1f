// The first consumer: takes jobs from the queue and submits them. Run as many as you like; kill them when you like.
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@countersign/client';
import { isFinal, submitOnce } from './countersign.ts';
import { inTransaction, record } from './database.ts';

interface Job {
  id: string;
  question: string;
  suggestion: string;
  confidence: number;
}

const NEXT_JOB = `select id, question, suggestion, confidence from job
  where item_id is null and refused is null order by id limit 1 for update skip locked`;

/** What refuses one job. Others, such as 401 and 403, refuse the key or the project, so that no job would stay in the queue. */
const ABOUT_A_JOB = [400, 413, 422];

/** Submits one job. False: there is none. */
function submitNext(): Promise<boolean> {
  return inTransaction(async (database) => {
    const [job] = (await database.query<Job>(NEXT_JOB)).rows;
    if (job === undefined) return false;
    try {
      const { question, suggestion, confidence } = job;
      const item = { input: { question }, suggestion, confidence, metadata: { job: job.id } };
      // The idempotency key is the ID of the job. Killed after this line, the job stays in the queue, and the next
      // consumer gets the same item.
      const { id, status, decision } = await submitOnce(`job-${job.id}`, item);
      await database.query('update job set item_id = $2 where id = $1', [job.id, id]);
      // No event is sent for what no person had to see.
      if (isFinal({ status })) await record(database, { item_id: id, status, decision });
    } catch (error) {
      // What can succeed later is tried again. A job that cannot must not block the queue.
      if (!(error instanceof ApiError) || error.temporary || !ABOUT_A_JOB.includes(error.status)) throw error;
      await database.query('update job set refused = $2 where id = $1', [job.id, error.message]);
    }
    return true;
  });
}

for (;;) {
  const submitted = await submitNext().catch((error: unknown) => {
    console.error(error);
    return false;
  });
  if (!submitted) await sleep(1000);
}
