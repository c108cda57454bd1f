// `npm run bench [-- SECTION… --quick --json FILE]`: measures the speed goals, ours against rivals
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { benchAnalytics } from './bench/analytics.ts';
import { benchClaims } from './bench/claims.ts';
import { benchDay } from './bench/day/day.ts';
import { benchDeliveries } from './bench/deliveries.ts';
import { benchExports } from './bench/exports.ts';
import { benchLearnings } from './bench/learnings.ts';
import { benchIntake } from './bench/intake.ts';
import type { Options } from './bench/options.ts';
import { formatTable, isMissed, type Row } from './bench/rows.ts';
import { benchLoad } from './bench/load/load.ts';
import { benchPage } from './bench/page.ts';
import { benchPeers } from './bench/peers/peers.ts';
import { benchQueue } from './bench/queue.ts';
import { benchSockets } from './bench/sockets.ts';
import { benchStart } from './bench/start.ts';
import { UsageError } from './lib/submit/arguments.ts';

/** Each section measures ours and its rivals in turns, and prints its rows. */
const SECTIONS = {
  start: benchStart,
  intake: benchIntake,
  claims: benchClaims,
  sockets: benchSockets,
  queue: benchQueue,
  page: benchPage,
  load: benchLoad,
  deliveries: benchDeliveries,
  exports: benchExports,
  learnings: benchLearnings,
  analytics: benchAnalytics,
  day: benchDay,
  peers: benchPeers,
} satisfies Record<string, (print: (line: string) => void, options: Options) => Promise<Row[]>>;

/** One takes as long as all others together, the other wants programs that npm does not install. */
const ON_REQUEST = new Set<string>(['day', 'peers']);

const USAGE = `Usage: npm run bench [-- SECTION… --quick --json FILE --runs N --page PART --items N --picture FILE]

  SECTION    what to measure: ${Object.keys(SECTIONS).join(', ')} (all but ${[...ON_REQUEST].join(' and ')})
  --quick    small numbers: shows that a section works, without a useful measurement
  --json     writes the rows to this file too
  --runs     of load: runs per page and theme, 0 for none
  --page     of load: a part of the path of a page to open; may be repeated
  --items    of day: items of the day
  --picture  of day: the file of its picture`;

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  if (values.help === true) return console.log(USAGE);
  const names = Object.keys(SECTIONS) as (keyof typeof SECTIONS)[];
  const unknown = positionals.find((name) => !names.includes(name as keyof typeof SECTIONS));
  if (unknown !== undefined) throw new UsageError(`There is no section ${unknown}.`);
  const options: Options = {
    quick: values.quick,
    pages: values.page,
    ...numberOf('runs', values.runs, 0),
    ...numberOf('items', values.items, 1),
    ...(values.picture === undefined ? {} : { picture: values.picture }),
  };
  const rows: Row[] = [];
  for (const name of names) {
    if (positionals.length > 0 ? !positionals.includes(name) : ON_REQUEST.has(name)) continue;
    rows.push(...(await SECTIONS[name]((line) => console.log(`  ${line}`), options)));
  }
  console.log(`\n${formatTable(rows)}`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`);
  // The goals of pages do not depend on how fast the machine is compared with another program.
  if (rows.some((row) => row.section === 'load' && isMissed(row))) process.exitCode = 1;
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        json: { type: 'string' },
        quick: { type: 'boolean', default: false },
        runs: { type: 'string' },
        page: { type: 'string', multiple: true, default: [] },
        items: { type: 'string' },
        picture: { type: 'string' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'The command line cannot be read.');
  }
}

/** The option as a number. Throws when it is not a number, or below `least`. */
function numberOf<Name extends string>(
  name: Name,
  text: string | undefined,
  least: number,
): Partial<Record<Name, number>> {
  if (text === undefined) return {};
  const number = Number(text);
  if (!Number.isInteger(number) || number < least) throw new UsageError(`--${name} is a whole number from ${least}.`);
  return { [name]: number } as Record<Name, number>;
}

try {
  await main();
} catch (error) {
  const isUsage = error instanceof UsageError;
  console.error(isUsage ? `${error.message}\n\n${USAGE}` : error instanceof Error ? error.message : error);
  process.exitCode = isUsage ? 2 : 1;
}
