// What both consumers share: the database, one transaction at a time, and the outcome of an item.
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
// A connection that was lost while nobody used it: the next transaction gets another one.
pool.on('error', (error) => console.error(error));

/** Runs `work` in one transaction. A process that dies in between leaves nothing of it. */
export async function inTransaction<T>(work: (database: pg.ClientBase) => Promise<T>): Promise<T> {
  const database = await pool.connect();
  try {
    await database.query('begin');
    const result = await work(database);
    await database.query('commit');
    return result;
  } catch (error) {
    await database.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    database.release();
  }
}

export interface Outcome {
  item_id: string;
  status: string;
  decision: { output: unknown; revision?: number | undefined } | null;
}

/** Records how an item ended. It may come repeatedly and in any order: the highest revision stays. */
export async function record(database: pg.ClientBase, { item_id, status, decision }: Outcome): Promise<void> {
  const revision = decision === null ? 0 : (decision.revision ?? 1);
  const output = decision === null ? null : JSON.stringify(decision.output);
  await database.query(
    `insert into outcome (item_id, status, output, revision) values ($1, $2, $3, $4)
     on conflict (item_id) do update
     set status = excluded.status, output = excluded.output, revision = excluded.revision
     where outcome.revision < excluded.revision`,
    [item_id, status, output, revision],
  );
}
