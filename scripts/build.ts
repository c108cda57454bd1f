// Builds what `npm start` runs where it is stale: the web app, and the bundle of the server.
import { buildWeb } from './build-web.ts';
import { bundleServer } from './lib/processes/server-bundle.ts';

/** Also builds a web app that is not stale, and fails when the server cannot be bundled. */
const force = process.argv.includes('--force');

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
