// Checks the end of the bench day: everything is decided and delivered, and the invariants hold.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isDelivered } from '../../../server/src/delivery/write.ts';
import { DECISION_ACTIONS } from '../../../shared/src/enums.ts';
import type { BenchDatabase } from '../environment.ts';

const LOOK_MS = 1000;
/** So many looks without any progress end the bench. */
const PATIENCE = 120;

/** What is left to do in the project. */
export interface Left {
  waiting: number;
  provisional: number;
  undelivered: number;
}

const LEFT = `
  select (select count(*) from item where project_id = $1 and status in ('queued', 'escalated')) as waiting,
    (select count(*) from decision where project_id = $1 and final_at is null) as provisional,
    (select count(*) from event where project_id = $1 and seq is null) + (select count(*) from delivery where project_id = $1 and status in ('pending', 'sending')) as undelivered`;

/** Waits until nothing is left; returns what is left when there has been no progress for two minutes. */
export async function waitUntilDone(database: BenchDatabase, projectId: string): Promise<Left> {
  let [before, quiet] = ['', 0];
  for (;;) {
    const [row] = await database.sql<Record<keyof Left, string>>(LEFT, [projectId]);
    const left = {
      waiting: Number(row?.waiting),
      provisional: Number(row?.provisional),
      undelivered: Number(row?.undelivered),
    };
    const now = JSON.stringify(left);
    quiet = now === before ? quiet + 1 : 0;
    before = now;
    if (quiet === PATIENCE || Object.values(left).every((count) => count === 0)) return left;
    await delay(LOOK_MS);
  }
}

/** Final decisions that are delivered, less deliveries that succeeded. What routing approves is answered at once and has no webhook. */
export async function countUndelivered({ sql }: BenchDatabase, projectId: string): Promise<number> {
  const [row] = await sql<{ missing: string }>(
    `select (select count(*) from decision where project_id = $1 and final_at is not null and action = any($2))
       - (select count(*) from delivery where project_id = $1 and status = 'succeeded') as missing`,
    [projectId, DECISION_ACTIONS.filter(isDelivered)],
  );
  return Number(row?.missing);
}

/** Runs `npm run invariants` on the database. Returns how many violations it reports. */
export async function countViolations(env: Record<string, string>): Promise<number> {
  const script = join(import.meta.dirname, '../../invariants.ts');
  const output = await promisify(execFile)(process.execPath, [script], { env: { PATH: process.env.PATH, ...env } })
    .then(({ stdout }) => stdout)
    .catch((error: unknown) => (error as { stdout?: string }).stdout ?? '');
  if (output.includes('No violations.')) return 0;
  const count = /^(\d+) violations\.$/m.exec(output)?.[1];
  if (count === undefined) throw new Error(`npm run invariants did not end: ${output}`);
  return Number(count);
}
