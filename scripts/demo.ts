// `npm run demo`: the whole service in one process, with a simulated pipeline and a receiver that verifies signatures.
import { once } from 'node:events';
import { join } from 'node:path';
import { beginBuild } from './build-web.ts';
import { readFlags } from './lib/commands/read-flags.ts';
import { demoEnv, portFault } from './lib/demo/env.ts';
import { onStopSignal } from './lib/processes/on-stop-signal.ts';

const USAGE = `Usage: npm run demo

  Runs the whole service with sample data, a simulated pipeline and a receiver of webhooks, until Ctrl+C. It takes the
  environment of the service, such as PORT and DATA_DIR.`;

const ROOT = join(import.meta.dirname, '..');
/** The process is killed when it has not stopped by then. */
const STOP_WITHIN_MS = 15_000;

async function main(): Promise<void> {
  readFlags(USAGE);
  const env = demoEnv(process.env, ROOT);
  const fault = await portFault(env);
  if (fault !== null) throw new Error(fault);
  console.log('\n  Starting the demo …');
  const stop = new AbortController();
  onStopSignal(() => {
    console.log('\n  Stopping …');
    stop.abort();
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
  });
  const { built } = await beginBuild({ demo: true });
  const pagesBuilt = Promise.race([built, once(stop.signal, 'abort')]);
  // A build that fails at once is reported by the service, which waits for it.
  pagesBuilt.catch(() => undefined);
  // The service's modules take seconds to load, in which nothing else runs in this process: the build has begun before.
  const { runDemo } = await import('./lib/demo/run-demo.ts');
  await runDemo(env, pagesBuilt, stop.signal);
}

try {
  await main();
  process.exit(0);
} catch (error) {
  const debugging = process.env['LOG_LEVEL'] === 'debug';
  console.error(debugging || !(error instanceof Error) ? error : error.message);
  process.exit(1);
}
