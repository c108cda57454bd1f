// Deletes the rows of a deleted project in batches (AR2): nobody waits for it, and a crash costs one batch.
import type { Em } from '../orm.ts';

/** Maximum number of rows deleted per transaction. */
const BATCH_SIZE = 2000;

/** A batch of one table; `?` is the project, then the number of rows. Referring rows are deleted first. */
const TAKE = [
  // An attempt has no project column. A delivery has ten at most, and as many again per replay.
  `with gone as (select id from delivery where project_id = ? limit ?),
     tried as (delete from attempt where delivery_id in (select id from gone))
   delete from delivery where id in (select id from gone) returning 1`,
  rowsOf('keeping'),
  rowsOf('replay'),
  rowsOf('rollup'),
  rowsOf('webhook_alert'),
  rowsOf('alert_seen'),
  rowsOf('notification_message'),
  rowsOf('notification_rule'),
  rowsOf('notification_target'),
  rowsOf('learning_export'),
  rowsOf('regression_case'),
  rowsOf('regression'),
  rowsOf('learning'),
  rowsOf('wording'),
  rowsOf('cluster'),
  rowsOf('mistake_report'),
  rowsOf('decision'),
  rowsOf('idempotency_key'),
  // The relay locks events before their project, and the purge does the reverse: events that the relay has locked are
  // left for the next batch.
  rowsOf('event', 'for update skip locked'),
  rowsOf('item'),
  rowsOf('answer_schema'),
  rowsOf('skill'),
  rowsOf('invite'),
  rowsOf('offer'),
  rowsOf('api_key'),
  rowsOf('inbound_source'),
  rowsOf('project_settings'),
  rowsOf('webhook_endpoint'),
  rowsOf('member'),
];

function rowsOf(table: string, locked = ''): string {
  return `delete from ${table} where ctid = any(array(select ctid from ${table} where project_id = ? limit ? ${locked})) returning 1`;
}

/**
 * Deletes a batch of a deleted project in the transaction of `em`, which has locked its row; the row itself is deleted
 * last. The change log stays. Returns how many rows were deleted; `gone` when nothing is left.
 */
export async function purgeBatch(
  em: Em,
  projectId: string,
  batchSize = BATCH_SIZE,
): Promise<{ rows: number; gone: boolean }> {
  let rows = 0;
  for (const take of TAKE) {
    rows += (await em.execute<unknown[]>(take, [projectId, batchSize - rows])).length;
    if (rows >= batchSize) return { rows, gone: false };
  }
  const project = await em.execute<unknown[]>(
    `delete from project p where id = ? and deleted_at is not null
       and not exists (select 1 from event where project_id = p.id) returning 1`,
    [projectId],
  );
  return { rows: rows + project.length, gone: project.length > 0 };
}

/**
 * Deletes change logs of deleted projects whose last line is older than `before` (KE7). Returns how many lines were
 * deleted.
 */
export async function purgeLogs(em: Em, before: Date, limit: number): Promise<number> {
  const gone = await em.execute<unknown[]>(
    `delete from project_change where ctid in (
       select c.ctid from project_change c
       where not exists (select from project p where p.id = c.project_id)
         and not exists (select from project_change n where n.project_id = c.project_id and n.changed_at >= ?)
       limit ?) returning 1`,
    [before, limit],
  );
  return gone.length;
}
