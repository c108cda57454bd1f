// The embedded PostgreSQL behind DATA_DIR: started, watched, started again when it ends, and stopped with the process.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Address, onLoopback, socketIn, socketUrl } from './address.ts';
import { type Binaries, copyBinaries, findBinaries, linkLibraries, programOf } from './binaries.ts';
import {
  fallbackDataFolder,
  isInitialised,
  locateData,
  createDatabase,
  fallbackName,
  ownerOf,
  refuseForeign,
} from './data-folder.ts';
import { EmbeddedError, explainFault } from './embedded-error.ts';
import { lockFolder } from './folder-lock.ts';
import { chooseIdentity, type Identity, reaches } from './identity.ts';
import { stopStaleServer, serverOf } from './stale-server.ts';
import { makeOpenFolder } from './open-folder.ts';
import { makePrivateFolder, removeLastPrivateFolder } from './private-folder.ts';
import { initialise, type Installation, type Server, startServer } from './server.ts';
import { openServerLog } from './server-log.ts';
import type { Settings } from './settings.ts';

/** How long after each failed start the next one is tried, in milliseconds; the last one again and again. */
const PAUSES_MS = [0, 200, 1000, 3000, 5000];

/** One that ended sooner than this counts as a failed start, in milliseconds. */
const STEADY_MS = 10_000;

/** What of a logger is used here. */
export interface Log {
  info(fields: object, sentence: string): void;
  warn(fields: object, sentence: string): void;
  error(fields: object, sentence: string): void;
}

export interface Options {
  /** DATA_DIR. */
  readonly folder: string;
  readonly log: Log;
  /** On top of our own. */
  readonly settings?: Settings;
  /** Where it is to answer. Default: a socket in a private folder; on Windows loopback with a password. */
  readonly address?: Address;
  /** Gives the start up, and what it has started. Not heard after the start. */
  readonly signal?: AbortSignal;
  /** Where programs and data go that PostgreSQL's user cannot reach otherwise. */
  readonly fallback?: { cache: string; data: string };
}

export interface EmbeddedPostgres {
  /** Where it answers; the same after it was started again. */
  readonly url: string;
  /** Its first process now. */
  readonly pid: number;
  stop(): Promise<void>;
}

const FALLBACK_FOLDERS = { cache: '/var/cache/countersign', data: '/var/lib/countersign' };

/**
 * Starts the PostgreSQL of a data folder, and makes the folder's database when there is none. One that a killed process of ours
 * left running is ended first. Errors: `FolderInUse`, `EmbeddedError`.
 */
export async function startEmbedded(options: Options): Promise<EmbeddedPostgres> {
  const undo: (() => void)[] = [];
  const ending = new AbortController();
  const giveUp = () => ending.abort();
  options.signal?.addEventListener('abort', giveUp);
  try {
    undo.push(lockFolder(options.folder));
    const at = { ...(await prepare(options, { undo, signal: ending.signal })), signal: ending.signal };
    return supervise(at, await startServer(at), { log: options.log, ending, release: () => undoAll(undo) });
  } catch (error) {
    undoAll(undo);
    throw explainFault(error, options.folder);
  } finally {
    options.signal?.removeEventListener('abort', giveUp);
  }
}

const undoAll = (undo: (() => void)[]): void =>
  undo
    .splice(0)
    .reverse()
    .forEach((step) => step());

/** The address of a server that another process of ours runs on this folder, for a command that looks in. Undefined where none answers there. */
export function addressOfRunning(folder: string, fallback = FALLBACK_FOLDERS): string | undefined {
  const running = serverOf(locateData(folder, fallback.data));
  return running === undefined || running.socketFolder === '' ? undefined : socketUrl(running.socketFolder);
}

interface Start {
  /** What is to be undone when the server has stopped. */
  undo: (() => void)[];
  signal: AbortSignal;
}

/** Everything up to the start of the server. */
async function prepare(options: Options, { undo, signal }: Start): Promise<Omit<Installation, 'signal'>> {
  const { folder, log, settings = {}, fallback = FALLBACK_FOLDERS } = options;
  const found = locateData(folder, fallback.data);
  const identity = chooseIdentity(ownerOf(found));
  refuseForeign(folder, found);
  const ended = await stopStaleServer(found);
  if (ended !== undefined) log.info({ pid: ended }, 'ended the PostgreSQL that an earlier process left running');
  removeLastPrivateFolder(found);
  const run = makePrivateFolder(identity);
  undo.push(() => rmSync(run, { recursive: true, force: true }));
  const linked = linkLibraries(findBinaries(), join(run, 'lib'));
  const binaries = reachable(linked, identity, fallback.cache);
  const data = resolveDataFolder({ folder, found, identity, fallback: fallback.data, log });
  const serverLog = openServerLog(join(dirname(data), 'postgres.log'));
  undo.push(() => serverLog.close());
  const at = { binaries, identity, data, log: serverLog, signal };
  if (!isInitialised(data)) await createDatabase(data, (draft) => initialise(at, draft));
  const address = options.address ?? (process.platform === 'win32' ? await onLoopback() : socketIn(run));
  return { ...at, address, settings, reportProgress: (sentence) => log.warn({}, sentence) };
}

function reachable(binaries: Binaries, identity: Identity, cache: string): Binaries {
  if (reaches(identity, { program: programOf(binaries, 'postgres') })) return binaries;
  return copyBinaries(binaries, cache);
}

/** The data folder that PostgreSQL's user can enter; its parent exists. Errors: `EmbeddedError`, when data is where it cannot be reached. */
function resolveDataFolder(of: {
  folder: string;
  found: string;
  identity: Identity;
  fallback: string;
  log: Log;
}): string {
  const { folder, found, identity, fallback, log } = of;
  mkdirSync(dirname(found), { recursive: true });
  if (reaches(identity, { folder: dirname(found) })) {
    if (isInitialised(found)) giveTree(identity, found);
    return found;
  }
  if (isInitialised(found))
    throw new EmbeddedError(
      `The user that runs PostgreSQL cannot enter ${dirname(found)}: move DATA_DIR to a folder that everybody can enter, or let them enter the folders above it.`,
    );
  makeOpenFolder(fallback, fallbackName(folder));
  const data = fallbackDataFolder(folder, fallback);
  log.warn({ folder: data }, 'PostgreSQL cannot reach DATA_DIR as an unprivileged user: the data is in this folder');
  return data;
}

/** Data made while PostgreSQL ran in a user namespace is root's; where it runs as a user of the system, it has to be theirs. */
function giveTree(identity: Identity, data: string): void {
  if (identity.how === 'as another user' && ownerOf(data)?.uid !== identity.owner?.uid)
    execFileSync('chown', ['-R', `${identity.owner?.uid}:${identity.owner?.gid}`, data]);
}

interface Supervised {
  log: Log;
  ending: AbortController;
  release: () => void;
}

/** Starts the server again whenever it ends without being told to: it was killed, or its disk was full. */
function supervise(at: Installation, first: Server, { log, ending, release }: Supervised): EmbeddedPostgres {
  let server = first;
  // A process that ends without stopping us takes the server along; `tieToParent` sees to it where that cannot be heard of.
  const last = () => void server.stop();
  process.once('exit', last);
  const watching = watch();
  let stopped: Promise<void> | undefined;

  async function watch(): Promise<void> {
    for (let failed = 0; ;) {
      const since = performance.now();
      const { code, signal } = await server.gone;
      failed = performance.now() - since < STEADY_MS ? failed + 1 : 0;
      if (ending.signal.aborted) return;
      log.error({ code, signal, log: at.log.path }, 'the embedded PostgreSQL ended, and is started again');
      const next = await startAgain(at, log, failed);
      if (next === undefined) return;
      server = next;
      log.info({ pid: next.pid }, 'the embedded PostgreSQL answers again');
      // Told to stop while it started: whoever waits for this loop has stopped the one before.
      if (ending.signal.aborted) void next.stop();
    }
  }

  async function stop(): Promise<void> {
    ending.abort();
    await server.stop();
    await watching;
    process.off('exit', last);
    release();
  }

  return {
    url: at.address.url,
    get pid() {
      return server.pid;
    },
    stop: () => (stopped ??= stop()),
  };
}

/** Tries until it answers, or until nobody needs it any more. */
async function startAgain(at: Installation, log: Log, failed: number): Promise<Server | undefined> {
  const { signal } = at;
  for (let tries = failed; !signal.aborted; tries += 1) {
    const pause = PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)] ?? 0;
    await delay(pause, undefined, { signal }).catch(() => undefined);
    try {
      if (!signal.aborted) return await startServer(at);
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, 'the embedded PostgreSQL does not start; it is tried again');
    }
  }
  return undefined;
}
