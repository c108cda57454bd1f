// `npm run rollups -- check|rebuild`: compares the analytics figures with the event log (I9), or rebuilds them.
import { countBatch } from '../server/src/analytics/count-events.ts';
import { type Difference, forgetRollups, EventLogPruned, recount } from '../server/src/analytics/recount.ts';
import { openForCommand } from '../server/src/open-for-command.ts';
import type { Services } from '../server/src/usecases/services.ts';
import { progressOf } from './lib/commands/progress.ts';
import { readRollupsArguments, ROLLUPS_USAGE } from './lib/commands/rollups-arguments.ts';
import { runCommand } from './lib/commands/run-command.ts';
import { UsageError } from './lib/submit/arguments.ts';

interface Named {
  id: string;
  name: string;
  seq: number;
}

async function main(): Promise<void> {
  const options = readRollupsArguments(process.argv.slice(2));
  if (options === 'help') return console.log(ROLLUPS_USAGE);
  const { services, close } = await openForCommand();
  try {
    const projects = await projectsOf(services, options.projectId);
    if (projects.length === 0 && options.projectId !== null) throw new UsageError('There is no such project.');
    const work = { check, rebuild }[options.subcommand];
    const wrong = [];
    for (const project of projects) if (!(await work(services, project))) wrong.push(project);
    if (wrong.length > 0) process.exitCode = 1;
  } finally {
    await close();
  }
}

async function projectsOf({ db }: Services, id: string | null): Promise<Named[]> {
  const rows = await db.read((em) =>
    em.execute<{ id: string; name: string; seq: string }[]>(
      `select id, name, event_seq as seq from project where deleted_at is null and (?::uuid is null or id = ?::uuid) order by created_at, id`,
      [id, id],
    ),
  );
  return rows.map(({ seq, ...row }) => ({ ...row, seq: Number(seq) }));
}

async function check({ db }: Services, { id, name, seq }: Named): Promise<boolean> {
  const bar = progressOf(name, 'events', seq);
  const result = await recount(db.orm, id, ({ counted }) => bar.to(counted)).finally(() => bar.end());
  if (result === null) return true;
  const { counted, head, figures, goneUntil, differences } = result;
  const until = counted === head ? `${head} events` : `${counted} of ${head} events, the rest is not counted yet`;
  const found = differences.length === 0 ? 'all equal' : `${differences.length} or more differ`;
  const since =
    goneUntil === null ? '' : `, of what began after ${goneUntil.toISOString()} (earlier events are deleted)`;
  console.log(`${name} (${id}): ${figures} figures of ${until}${since}: ${found}`);
  for (const difference of differences) console.log(`  ${sentenceOf(difference)}`);
  return differences.length === 0;
}

const sentenceOf = ({ measure, key, grain, at, stored, recounted }: Difference): string =>
  `${measure} “${key}” in the ${grain} of ${at}: ${stored.join('/')} stored, ${recounted.join('/')} counted`;

async function rebuild({ db }: Services, { id, name, seq }: Named): Promise<boolean> {
  try {
    await db.write(({ em }) => forgetRollups(em, id));
  } catch (error) {
    if (!(error instanceof EventLogPruned)) throw error;
    console.error(`${name} (${id}): ${error.message}`);
    return false;
  }
  const bar = progressOf(name, 'events', seq);
  for (let counted = 0; ;) {
    const [progress] = await db
      .write(({ em }) => countBatch(em, { projectId: id }))
      .catch((error: unknown) => {
        bar.end();
        throw error;
      });
    if (progress !== undefined) bar.to((counted = progress.counted));
    if (progress === undefined || progress.counted === progress.head) {
      bar.end();
      console.log(`${name} (${id}): counted again, ${counted} events`);
      return true;
    }
  }
}

await runCommand(main, { usage: ROLLUPS_USAGE });
