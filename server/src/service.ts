// Runs the service: starts an embedded PostgreSQL, loads the rest meanwhile, starts it, and stops it on a signal.
import { flushCompileCache } from 'node:module';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { ConfigError, readConfig } from './config.ts';
import { EmbeddedError } from './embedded/embedded-error.ts';
import { startEmbedded } from './embedded/embedded-postgres.ts';
import { createLog } from './log.ts';
import type { Running } from './start.ts';

/** The longest a stop may take, in milliseconds. Work that is still running then is abandoned as in a crash. */
const STOP_WITHIN_MS = 19_000;

/**
 * The service is imported here and not above: loading it takes as long as its database does, and PostgreSQL runs in a process of
 * its own.
 */
async function begin(signal: AbortSignal): Promise<Running> {
  dropUnusedExports();
  const config = readConfig();
  const { database, logLevel } = config;
  const failure = new AbortController();
  const cancelled = AbortSignal.any([signal, failure.signal]);
  const embedded =
    database.kind === 'embedded'
      ? startEmbedded({ folder: database.folder, log: createLog(logLevel), signal: cancelled })
      : undefined;
  // `startWith` handles its failure.
  embedded?.catch(() => undefined);
  // Lets PostgreSQL be launched first: loading the service blocks this thread.
  await nextIteration();
  try {
    const { startWith } = await import('./start.ts');
    return await startWith(config, { signal, ...(embedded && { embedded }) });
  } catch (error) {
    failure.abort();
    await embedded?.then(
      (started) => started.stop(),
      () => undefined,
    );
    throw error;
  }
}

/**
 * An `import` of `node:http` reads each of its exports, and these load Node's own `fetch`: 45 ms of a start. Nothing here imports
 * them. It must run before the service is imported.
 */
function dropUnusedExports(): void {
  const http = process.getBuiltinModule('node:http');
  for (const name of ['WebSocket', 'CloseEvent', 'MessageEvent']) Reflect.deleteProperty(http, name);
}

/** Starts, stops on a signal, and reports in one sentence why a start was refused. */
async function run(): Promise<void> {
  const ending = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => ending.abort());
  const running = await begin(ending.signal).catch((error: unknown) =>
    ending.signal.aborted ? process.exit(0) : refuse(error),
  );
  // The next start reads our code from the cache, without the compiler that strips the types (NODE_COMPILE_CACHE of
  // `npm start`).
  flushCompileCache();
  const { log } = running.services;
  let stopping: Promise<void> | null = null;
  const stop = () => {
    stopping ??= running.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ err: error }, 'the stop failed');
        process.exit(1);
      },
    );
    // A hanging database never responds, and supervisors kill a process after 20 s.
    setTimeout(() => {
      log.fatal({ after_ms: STOP_WITHIN_MS }, 'the stop did not end in time');
      process.exit(1);
    }, STOP_WITHIN_MS).unref();
  };
  ending.signal.addEventListener('abort', stop);
  if (ending.signal.aborted) stop();
  // An unhandled failure leaves the process in an unknown state: stop cleanly, the supervisor starts a new one.
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'unhandled rejection');
    stop();
  });
}

function refuse(error: unknown): never {
  const known = [ConfigError, EmbeddedError].some((kind) => error instanceof kind);
  const { code, port } = (error ?? {}) as { code?: string; port?: number };
  const sentence =
    code === 'EADDRINUSE' ? `Port ${port} is in use: stop what uses it, or set PORT to another.` : String(error);
  process.stderr.write(`${known && error instanceof Error ? error.message : sentence}\n`);
  process.exit(1);
}

await run();
