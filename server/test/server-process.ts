// Runs one real server process of a test environment: started, observed, killed, and never left behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { EXIT_WITH_PARENT, whenReady } from '../../scripts/lib/processes/service-process.ts';
import { withSourcePositions } from '../src/source-positions.ts';
import { logWatch } from './log-watch.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');
/** A run starts hundreds of processes: compiled once, each is ready in half the time. */
export const COMPILED = join(import.meta.dirname, '../../node_modules/.cache/code');
const READY_MS = 60_000;
/** A server has 20 s to stop in order (docs/spec/commands.md#stopping); then it is killed, and that is a failure. */
const STOP_MS = 20_000;

export interface ServerProcess {
  /** Where this process listens; the system chooses the port. A process without the role `web` has none. */
  readonly url: string;
  readonly pid: number;
  /** SIGKILL: no handler runs, nothing is flushed. Resolves when it is gone. */
  kill9(): Promise<void>;
  /** SIGSTOP and SIGCONT: it freezes, and resumes as if no time had passed. */
  freeze(): void;
  thaw(): void;
  /** SIGTERM, and wait. Throws when it does not end in time, or not with code 0. */
  stop(): Promise<void>;
  isRunning(): boolean;
  /** Resolves with its code, or the signal that ended it. */
  ended(): Promise<number | string | null>;
}

/**
 * Starts the server with exactly this environment (and PATH), and resolves when `/readyz` answers 200, or, without the role
 * `web`, when it works. `through` is a command that becomes the one behind it, such as `unshare`.
 */
export async function startServer(
  env: Record<string, string>,
  log: (line: string) => void,
  through: readonly string[] = [],
): Promise<ServerProcess> {
  logWatch.secret('a key of SECRET_KEYS', env.SECRET_KEYS ?? '');
  const [file = '', ...args] = [...through, process.execPath, '--import', EXIT_WITH_PARENT, MAIN];
  const child = spawn(file, args, {
    env: { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'debug', NODE_COMPILE_CACHE: COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const gone = once(child, 'close');
  const onLine = (line: string) => {
    logWatch.line(line);
    log(withSourcePositions(line));
  };
  try {
    const port = await whenReady(child, { within: READY_MS, onLine });
    // A process without a port has an address all the same, at which nothing listens.
    const url = `http://127.0.0.1:${port ?? 0}`;
    if (port !== null) await ready(url);
    return handle({ child, gone, url });
  } catch (error) {
    child.kill('SIGKILL');
    await gone;
    if (error instanceof Error) error.message = withSourcePositions(error.message);
    throw error;
  }
}

async function ready(url: string): Promise<void> {
  const answer = await fetch(`${url}/readyz`);
  if (answer.status !== 200) throw new Error(`/readyz answers ${answer.status}: ${await answer.text()}`);
}

function handle({ child, gone, url }: { child: ChildProcess; gone: Promise<unknown>; url: string }): ServerProcess {
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    url,
    pid: child.pid ?? 0,
    isRunning,
    kill9: async () => {
      child.kill('SIGKILL');
      await gone;
    },
    ended: async () => {
      await gone;
      return child.exitCode ?? child.signalCode;
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    stop: async () => {
      if (!isRunning()) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await gone.finally(() => clearTimeout(timer));
      if (child.exitCode !== 0)
        throw new Error(`The server did not stop in order: ${child.exitCode ?? child.signalCode}`);
    },
  };
}
