// Runs one of the PostgreSQL programs: as whom it has to run, with a clean environment, its output in the log.
import { type ChildProcess, spawn } from 'node:child_process';
import { type Binaries, libraryEnv, type Program, programOf } from './binaries.ts';
import { type Identity, tieToParent } from './identity.ts';
import type { ServerLog } from './server-log.ts';

/** Where the programs of the system are. Of our own environment nothing is passed on: it holds secrets, and PostgreSQL's own variables meant for others. */
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
  /** Resolves when it has ended, or could not be run at all. */
  readonly ended: Promise<Ended>;
}

/** Starts a program, with `input` as what it reads. It ends when this process does, where the system can do that. */
export function launch({ binaries, identity, log }: LaunchContext, program: Program, run: Run): Launched {
  const { file, args, user } = tieToParent(identity.wrap(programOf(binaries, program), run.args));
  const child = spawn(file, args, {
    ...user,
    cwd: '/',
    env: { PATH, LC_ALL: 'C', ...libraryEnv(binaries) },
    stdio: ['pipe', log.descriptor, log.descriptor],
    // Ctrl+C goes to the whole group of the terminal: the server ends when we say so, after what is under way.
    detached: true,
  });
  // A program that is not there, or ends before it has read: what it said, or its code, tells.
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
    // One that runs already cannot be signalled: it has not ended.
    if (child.pid === undefined) resolve({ code: -1, signal: null });
  });
  child.once('exit', (code, signal) => resolve({ code, signal }));
  return promise;
}
