// `npm test`: starts private services, runs every vitest project (or what the arguments name), ends with one line that counts.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium, MISSING_BROWSER } from './browser.ts';
import { type Service, startPostgres, startRedis } from './services.ts';
import { countTests, type Counts, type Report } from './test-counts.ts';

const VITEST = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs');
const NO_POSTGRES = 'No PostgreSQL: `apt-get install postgresql` (its service need not run).';
const NO_REDIS = 'No Redis: `apt-get install redis-server` (its service need not run).';

const required = process.env.REQUIRE_SERVICES === '1';
const services: Service[] = [];
const missing: string[] = [];
let vitest: ChildProcess | undefined;
let interrupted = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    interrupted = true;
    vitest?.kill(signal);
  });
}

const counts = await testAll().finally(() => Promise.all(services.map((service) => service.stop())));
for (const line of missing) console.log(`${required ? 'MISSING' : 'SKIPPED'}  ${line}`);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 ? 1 : 0;

async function testAll(): Promise<Counts> {
  const postgres = await provide('TEST_POSTGRES_URL', () => startPostgres({ fsync: false }));
  const redis = await provide('TEST_REDIS_URL', startRedis);
  if (!postgres) missing.push(`${NO_POSTGRES} Without it the database suites run on PGlite alone.`);
  if (!redis) missing.push(`${NO_REDIS} Without it the suites on PostgreSQL and Redis do not run.`);
  if ((await findChromium()) === undefined)
    missing.push(`${MISSING_BROWSER} Without it the browser suites do not run.`);
  if (required && missing.length > 0) return { passed: 0, failed: missing.length, skipped: 0 };
  return runVitest({ postgresSkipped: !(postgres && redis) });
}

/** Makes sure the variable names a service: one that is given, else one of our own. False when there is none. */
async function provide(variable: string, start: () => Promise<Service | undefined>): Promise<boolean> {
  if (process.env[variable] !== undefined) return true;
  const service = await start();
  if (service === undefined) return false;
  services.push(service);
  process.env[variable] = service.url;
  return true;
}

async function runVitest(circumstances: { postgresSkipped: boolean }): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-report-'));
  const file = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  try {
    if (interrupted) return countTests(undefined, { exitCode: 1, ...circumstances });
    vitest = spawn(process.execPath, [VITEST, 'run', ...process.argv.slice(2), ...reporters], { stdio: 'inherit' });
    await once(vitest, 'close');
    return countTests(readReport(file), { exitCode: vitest.exitCode ?? 1, ...circumstances });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file: string): Report | undefined {
  try {
    // The file is vitest's own and a moment old: its type is vitest's word.
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}
