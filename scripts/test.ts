// `npm test`, `test:quick` and `test:soak`: starts private services, runs vitest, ends with one line that counts.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium, MISSING_BROWSER } from './lib/processes/browser.ts';
import { findPostgresTool, NO_INSTALLED_POSTGRES } from './lib/processes/installed-postgres.ts';
import { type Service, startPostgres, startRedis } from './lib/processes/services.ts';
import { countTests, type Counts, readReport } from './lib/checks/test-report.ts';
import { fetchForSoak } from './lib/soak/fetch-for-soak.ts';

const VITEST = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs');
const NO_REDIS = 'No Redis: `apt-get install redis-server` (its service need not run).';
/** `.ci/run` makes that environment; sdk/python/README.md says how. */
const NO_PYTHON =
  'No PYTHON_SDK: the Python package is not tested. It names the Python of an environment with sdk/python.';

const QUICK = ['unit', 'unit-alone', 'web', 'web-dom', 'web-mocks', 'usecases'];
/** What each tier runs, by the first argument. Without one: everything, the long tests in one short round. */
const TIERS: Readonly<Partial<Record<string, { args: string[]; env: Record<string, string> }>>> = {
  '--quick': { args: QUICK.flatMap((name) => ['--project', name]), env: {} },
  '--soak': { args: [], env: { SOAK: '1' } },
};

const USAGE = `Usage: npm test [-- --quick|--soak] [-- VITEST ARGUMENTS]

  Runs the tests on a private PostgreSQL and Redis: everything, with --quick what a loop of work needs, with --soak long tests at
  full length. Other arguments, such as the name of a file, are those of vitest run, which refuses what it does not know.`;

const [first = '', ...others] = process.argv.slice(2);
if ([first, ...others].some((argument) => ['--help', '-h'].includes(argument))) {
  console.log(USAGE);
  process.exit(0);
}
const tier = TIERS[first];
const isQuick = first === '--quick';
const isSoak = first === '--soak';
const required = process.env.REQUIRE_SERVICES === '1';
const services: Service[] = [];
const missing: string[] = [];
/** Never required: the packages that they need come from registries. */
const skipped: string[] = [];
let vitest: ChildProcess | undefined;
let interrupted = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    interrupted = true;
    vitest?.kill(signal);
  });
}

const counts = await testAndStop();
for (const line of skipped) console.log(`SKIPPED  ${line}`);
for (const line of missing) console.log(`${required ? 'MISSING' : 'SKIPPED'}  ${line}`);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 ? 1 : 0;

async function testAndStop(): Promise<Counts> {
  try {
    return await testAll();
  } finally {
    await Promise.all(services.map((service) => service.stop()));
  }
}

async function testAll(): Promise<Counts> {
  await provide('TEST_POSTGRES_URL', () => startPostgres({ fsync: false }));
  const redis = await provide('TEST_REDIS_URL', startRedis);
  if (!redis) missing.push(`${NO_REDIS} Without it what several processes share is not tested.`);
  if (!isQuick) {
    if (findPostgresTool('pg_dump') === undefined)
      missing.push(`${NO_INSTALLED_POSTGRES} Without its tools the backup is not tested.`);
    if ((await findChromium()) === undefined)
      missing.push(`${MISSING_BROWSER} Without it the browser suites do not run.`);
    if (process.env.PYTHON_SDK === undefined) skipped.push(NO_PYTHON);
    if (isSoak) skipped.push(...(await fetchForSoak(process.env)));
  }
  if (required && missing.length > 0) return { passed: 0, failed: missing.length, skipped: 0 };
  return runVitest();
}

/** Makes sure the variable names a service: a given one, else a private one. False when there is none. */
async function provide(variable: string, start: () => Promise<Service | undefined>): Promise<boolean> {
  if (process.env[variable] !== undefined) return true;
  const service = await start();
  if (service === undefined) return false;
  services.push(service);
  process.env[variable] = service.url;
  return true;
}

async function runVitest(): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-report-'));
  // scripts/flakes.ts reads it afterwards.
  const file = process.env.TEST_REPORT ?? join(folder, 'report.json');
  const args = tier === undefined ? process.argv.slice(2) : [...tier.args, ...others];
  const newest = join(folder, 'newest.txt');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  try {
    if (interrupted) return countTests(undefined, 1);
    vitest = spawn(process.execPath, [VITEST, 'run', ...args, ...reporters], {
      stdio: 'inherit',
      env: { ...process.env, ...tier?.env, NEWEST_REPORT: newest },
    });
    await once(vitest, 'close');
    // What the newest frameworks did: the lines above are far away by now.
    if (existsSync(newest)) process.stdout.write(readFileSync(newest, 'utf8'));
    return countTests(readReport(file), vitest.exitCode ?? 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
