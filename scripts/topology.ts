// `npm run topology`: runs docker-compose.yml from installed binaries, behind a proxy.
import { buildWeb } from './build-web.ts';
import { readFlags } from './lib/commands/read-flags.ts';
import { bundleServer } from './lib/processes/server-bundle.ts';
import { onStopSignal } from './lib/processes/on-stop-signal.ts';
import { startTopology, type Topology } from './lib/processes/topology.ts';
import { type Service, startPostgres, startRedis } from './lib/processes/services.ts';

const USAGE = `Usage: npm run topology

  Runs the processes of docker-compose.yml, three servers behind a proxy and two workers, from installed PostgreSQL and Redis
  until Ctrl+C, and keeps nothing. PORT is the port of the proxy (3000).`;

const PORT = Number(process.env.PORT ?? 3000);

async function main(): Promise<void> {
  readFlags(USAGE);
  await Promise.all([buildWeb({}), bundleServer()]);
  const { postgres, redis } = await openStores();
  const stopStores = () => Promise.all([postgres.stop(), redis.stop()]);
  const stores = { databaseUrl: postgres.url, redisUrl: redis.url };
  const topology = await startTopology(stores, { port: PORT }).catch(async (error: unknown) => {
    await stopStores();
    throw error;
  });
  printTopology(topology, postgres.url);
  process.on('SIGUSR2', () => void restart(topology));
  onStopSignal(() => {
    console.log('\n  Stopping …');
    void topology.stop().then(stopStores);
  });
}

/** Private ones, removed when it stops. Throws when one is not installed. */
async function openStores(): Promise<Record<'postgres' | 'redis', Service>> {
  const [postgres, redis] = [await startPostgres(), await startRedis()];
  if (postgres !== undefined && redis !== undefined) return { postgres, redis };
  await Promise.all([postgres?.stop(), redis?.stop()]);
  throw new Error(
    'Install PostgreSQL and Redis: apt-get install postgresql redis-server (their services need not run).',
  );
}

function printTopology({ url, members }: Topology, databaseUrl: string): void {
  console.log(`\n  ${url}\n`);
  for (const { name, child, port } of members)
    console.log(`  ${name.padEnd(10)} process ${child.pid}${port === null ? '' : `, port ${port}`}`);
  console.log(`\n  Database   ${databaseUrl}`);
  console.log(`  Restart all of them, one after the other: kill -USR2 ${process.pid}`);
  console.log('  Ctrl+C ends it, and nothing is kept.\n');
}

async function restart(topology: Topology): Promise<void> {
  await topology.rollingRestart(({ name, child }) => console.log(`  ${name} is back, process ${child.pid}`));
  console.log('  All of them are new.');
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
