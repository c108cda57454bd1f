// `npm run invariants`: checks a database against the invariants of docs/RULES.md.
import { type Check, checksOf, type Fault, reader } from '../server/src/invariants/invariants.ts';
import { openForCommand } from '../server/src/open-for-command.ts';
import { progressOf } from './lib/commands/progress.ts';
import { readFlags } from './lib/commands/read-flags.ts';
import { runCommand } from './lib/commands/run-command.ts';

const USAGE = `Usage: npm run invariants

  Checks every item, event, idempotency key, delivery and figure, and reports violations of I1 to I9 (docs/RULES.md);
  ends with 1 when something is not. It changes nothing and may run beside the service.

Works on the database that DATABASE_URL or DATA_DIR names, with the service's own environment.`;

/** How many of each kind are printed; a corrupt database has many. */
const MAX_REPORTED = 20;

async function main(outputClosed: AbortSignal): Promise<number> {
  readFlags(USAGE);
  const { services, close } = await openForCommand();
  try {
    const { orm } = services.db;
    let wrong = 0;
    for (const check of checksOf(orm)) wrong += await inspect(check, reader(orm), outputClosed);
    console.log('I8 concerns sockets and is not checked here.');
    console.log(wrong === 0 ? 'No violations.' : `${wrong} violations.`);
    return wrong > 0 ? 1 : 0;
  } finally {
    await close();
  }
}

/** Returns the number of violations. Throws when nobody reads the output any more. */
async function inspect(
  { of, rules, run }: Check,
  read: ReturnType<typeof reader>,
  outputClosed: AbortSignal,
): Promise<number> {
  const faults: Fault[] = [];
  const bar = progressOf(rules.join(', '), of, null);
  const looked = await run(
    read,
    (fault) => faults.push(fault),
    (done) => {
      outputClosed.throwIfAborted();
      bar.to(done);
    },
  ).finally(() => bar.end());
  console.log(
    `${rules.join(', ')}: ${looked} ${of}, ${faults.length === 0 ? 'as they should be' : `${faults.length} faults`}`,
  );
  for (const { rule, says } of faults.slice(0, MAX_REPORTED)) console.log(`  ${rule} ${says}`);
  if (faults.length > MAX_REPORTED) console.log(`  and ${faults.length - MAX_REPORTED} more`);
  return faults.length;
}

await runCommand(main);
