// Runs a PostgreSQL program as the right user, with a clean environment, and its output in the log.
import { type ChildProcess, spawn } from 'node:child_process';
import { type Binaries, libraryEnv, type Program, programOf } from './binaries.ts';
import { type Identity, tieToParent } from './identity.ts';
import type { ServerLog } from './server-log.ts';

/**
 * The system's program folders. None of our environment is passed on: it contains secrets, and PostgreSQL variables for
 * other servers.
 */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export interface LaunchContext {
  readonly binaries: Binaries;
  readonly identity: Identity;
  readonly log: ServerLog;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Launched {
  readonly child: ChildProcess;
  /** Resolves when it has ended, or could not be started. */
  readonly ended: Promise<Ended>;
}

/** Starts a program with `input` as its standard input. It ends with this process where the system supports that. */
export function launch({ binaries, identity, log }: LaunchContext, program: Program, run: Run): Launched {
  const { file, args, user } = tieToParent(identity.wrap(programOf(binaries, program), run.args));
  const child = spawn(file, args, {
    ...user,
    cwd: '/',
    env: { PATH, LC_ALL: 'C', ...libraryEnv(binaries) },
    stdio: ['pipe', log.descriptor, log.descriptor],
    // Ctrl+C reaches the whole process group of the terminal: the server must end only on request, after work in
    // progress.
    detached: true,
  });
  // If the program does not exist or exits before it reads, its output or exit code says why.
  child.stdin?.on('error', () => undefined).end(run.input);
  return { child, ended: endOf(child, log) };
}

interface Run {
  args: readonly string[];
  input?: string;
}

async function endOf(child: ChildProcess, log: ServerLog): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  child.once('error', (error) => {
    log.add(error.message);
    // A running program that cannot be signalled also emits an error: it has not ended.
    if (child.pid === undefined) resolve({ code: -1, signal: null });
  });
  child.once('exit', (code, signal) => resolve({ code, signal }));
  return promise;
}
