// Keeps a row that the database refuses from stopping the rows after it.
import { DatabaseGone } from '../db/database.ts';

/** Which due rows one transaction takes: at most `limit`, after the first `offset` of them. */
export interface Part {
  readonly limit: number;
  readonly offset: number;
}

/** The first failure, kept while the rows after it are done. */
class Failures {
  #first: { error: unknown } | null = null;

  /** Errors: `DatabaseGone` at once, because no other row would fare better. */
  add(error: unknown): void {
    if (error instanceof DatabaseGone) throw error;
    this.#first ??= { error };
  }

  /** Errors: the first failure. The loop logs it and runs again. */
  end(): void {
    if (this.#first !== null) throw this.#first.error;
  }
}

/** How many rows that fail are passed over in one run, in batches: more at the head would stop the rows after them. */
const PASSED_BATCHES = 10;

/**
 * Runs one batch of due rows; `run` returns how many there were. A batch that fails is run again row by row, until
 * `limit` rows are done; those that fail alone are passed over, at most ten times as many. Returns how many were done.
 * Errors: of the first row that failed alone, after the others are done; `DatabaseGone` at once.
 */
export async function runBatch(limit: number, run: (part: Part) => Promise<number>): Promise<number> {
  try {
    return await run({ limit, offset: 0 });
  } catch (error) {
    if (error instanceof DatabaseGone) throw error;
  }
  const failures = new Failures();
  let [done, offset] = [0, 0];
  while (done < limit && offset < PASSED_BATCHES * limit) {
    try {
      if ((await run({ limit: 1, offset })) === 0) break;
      done += 1;
    } catch (error) {
      failures.add(error);
      offset += 1;
    }
  }
  failures.end();
  return done;
}

/**
 * Runs `one` for each due row until `limit` rows are done; rows that fail are passed over, at most ten times as many. A row
 * that is done is due no longer, so `read` goes on behind those that failed. Returns how many were done. Errors: of the
 * first row that failed, after the others are done; `DatabaseGone` at once.
 */
export async function runEach<Row>(
  limit: number,
  read: (part: Part) => Promise<readonly Row[]>,
  one: (row: Row) => Promise<void>,
): Promise<number> {
  const failures = new Failures();
  let [done, offset, full] = [0, 0, true];
  while (full && done < limit && offset < PASSED_BATCHES * limit) {
    const part = { limit: limit - done, offset };
    const rows = await read(part);
    full = rows.length === part.limit;
    for (const row of rows) {
      try {
        await one(row);
        done += 1;
      } catch (error) {
        failures.add(error);
        offset += 1;
      }
    }
  }
  failures.end();
  return done;
}
