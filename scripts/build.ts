// Builds what `npm start` runs where it is stale: the web app, and the bundle of the server.
import { buildWeb } from './build-web.ts';
import { readFlags } from './lib/commands/read-flags.ts';
import { bundleServer } from './lib/processes/server-bundle.ts';

const USAGE = `Usage: node scripts/build.ts [--force]

  Builds what npm start runs where it is stale: the web app, and the bundle of the server. With --force, as npm run build, it
  also builds a web app that is not stale, and ends with 1 when the server cannot be bundled.`;

const { force } = readFlags(USAGE, ['force']);

async function buildServer(): Promise<void> {
  const took = await bundleServer();
  if (took !== null) console.log(`server: bundled in ${(took / 1000).toFixed(1)} s`);
}

/** Not an error: the service runs its sources then. */
function explain(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  console.error(`server: not bundled, so it starts from its sources, which takes longer: ${reason}`);
}

try {
  await Promise.all([
    buildWeb({ demo: process.env.DEMO === 'true', force }),
    force ? buildServer() : buildServer().catch(explain),
  ]);
} catch (error) {
  console.error(`build: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
