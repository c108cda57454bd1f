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

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'string' },
      quick: { type: 'boolean', default: false },
      runs: { type: 'string' },
      page: { type: 'string', multiple: true, default: [] },
      items: { type: 'string' },
      picture: { type: 'string' },
    },
  });
  const names = Object.keys(SECTIONS) as (keyof typeof SECTIONS)[];
  const unknown = positionals.find((name) => !names.includes(name as keyof typeof SECTIONS));
  if (unknown !== undefined) throw new Error(`There is no section ${unknown}. There are: ${names.join(', ')}.`);
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

/** The option as a number. Throws when it is none, or below `least`. */
function numberOf<Name extends string>(
  name: Name,
  text: string | undefined,
  least: number,
): Partial<Record<Name, number>> {
  if (text === undefined) return {};
  const number = Number(text);
  if (!Number.isInteger(number) || number < least) throw new Error(`--${name} is a whole number from ${least}.`);
  return { [name]: number } as Record<Name, number>;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
