// Runs the embedded PostgreSQL of DATA_DIR: starts, monitors and restarts it, and stops it with the process.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Address, onLoopback, socketIn, socketUrl } from './address.ts';
import { type Binaries, copyBinaries, findBinaries, linkLibraries, programOf } from './binaries.ts';
import { createDatabase, isInitialised, ownerOf, refuseForeign, targetOf } from './data-folder.ts';
import { EmbeddedError, explainFault } from './embedded-error.ts';
import { FolderInUse, type FolderUse, lockFolder } from './folder-lock.ts';
import { chooseIdentity, type Identity, reaches } from './identity.ts';
import { locateData, makeFallbackFolder, otherData, storeLocation } from './locate-data.ts';
import { serverOf, stopStaleServer, supervisorOf } from './stale-server.ts';
import { makePrivateFolder, removeLastPrivateFolder } from './private-folder.ts';
import { initialise, type Installation, type Server, startServer } from './server.ts';
import { openServerLog } from './server-log.ts';
import type { Settings } from './settings.ts';

/** The delay after each failed start, in milliseconds; the last one repeats. */
const PAUSES_MS = [0, 200, 1000, 3000, 5000];

/** A run shorter than this counts as a failed start, in milliseconds. */
const STEADY_MS = 10_000;

/** The parts of a logger that are used here. */
export interface Log {
  info(fields: object, sentence: string): void;
  warn(fields: object, sentence: string): void;
  error(fields: object, sentence: string): void;
}

export interface Options {
  /** DATA_DIR. */
  readonly folder: string;
  readonly log: Log;
  /** False for a command, which refuses a folder without a database instead of creating one. */
  readonly creates?: boolean;
  /** In addition to our own. */
  readonly settings?: Settings;
  /** Where it listens. Default: a socket in a private folder; on Windows loopback with a password. */
  readonly address?: Address;
  /** Cancels the start and everything it has started. No effect after the start. */
  readonly signal?: AbortSignal;
  /** Where programs and data are placed if PostgreSQL's user cannot reach them otherwise. */
  readonly fallback?: { cache: string; data: string };
}

export interface EmbeddedPostgres {
  /** Its URL, the same after a restart. */
  readonly url: string;
  /** The current PID of its main process. */
  readonly pid: number;
  stop(): Promise<void>;
}

const FALLBACK_FOLDERS = { cache: '/var/cache/countersign', data: '/var/lib/countersign' };

/**
 * Starts the PostgreSQL of a data folder, and creates the database if there is none, unless `creates` is false. First
 * stops one that a killed process of ours left running. Errors: `FolderInUse`, `EmbeddedError`.
 */
export async function startEmbedded(options: Options): Promise<EmbeddedPostgres> {
  const undo: (() => void)[] = [];
  const ending = new AbortController();
  const giveUp = () => ending.abort();
  options.signal?.addEventListener('abort', giveUp);
  try {
    // The lock would create the folder.
    if (options.creates === false && !existsSync(options.folder)) throw noDatabaseIn(options.folder);
    undo.push(lockFolder(options.folder, useOf(options)));
    const at = { ...(await prepare(options, { undo, signal: ending.signal })), signal: ending.signal };
    return supervise(at, await startServer(at), { log: options.log, ending, release: () => undoAll(undo) });
  } catch (error) {
    undoAll(undo);
    throw explainFault(error, options.folder);
  } finally {
    options.signal?.removeEventListener('abort', giveUp);
  }
}

const noDatabaseIn = (folder: string): EmbeddedError =>
  new EmbeddedError(
    `The folder ${folder} (DATA_DIR) has no database of Countersign: set DATA_DIR or DATABASE_URL as for the service, or start the service once, which creates the database. Nothing was changed.`,
  );

const useOf = ({ creates = true }: Options): FolderUse => (creates ? 'service' : 'command');

const undoAll = (undo: (() => void)[]): void =>
  undo
    .splice(0)
    .reverse()
    .forEach((step) => step());

/**
 * The URL of the server that another process of ours runs on this folder, for a command that connects to it. Undefined
 * if there is none.
 */
export function addressOfRunning(folder: string, fallback = FALLBACK_FOLDERS): string | undefined {
  const running = serverOf(locateData(folder, fallback.data));
  return running === undefined || running.socketFolder === '' ? undefined : socketUrl(running.socketFolder);
}

interface Start {
  /** Cleanup for when the server has stopped. */
  undo: (() => void)[];
  signal: AbortSignal;
}

/** Everything before the start of the server. */
async function prepare(options: Options, { undo, signal }: Start): Promise<Omit<Installation, 'signal'>> {
  const { folder, log, creates = true, settings = {}, fallback = FALLBACK_FOLDERS } = options;
  const found = locateData(folder, fallback.data);
  const identity = chooseIdentity(ownerOf(found));
  refuseForeign(folder, found);
  const other = otherData(folder, fallback.data);
  if (other !== undefined && other !== found)
    log.warn({ folder: other, used: found }, 'this DATA_DIR has a second database, which is not used');
  if (!creates && !isInitialised(found)) throw noDatabaseIn(folder);
  if (isInitialised(found)) undo.push(lockData(found, useOf(options)));
  const ended = await stopStaleServer(found);
  if (ended !== undefined) log.info({ pid: ended }, 'stopped the PostgreSQL that an earlier process left running');
  removeLastPrivateFolder(found);
  const run = makePrivateFolder(identity);
  undo.push(() => rmSync(run, { recursive: true, force: true }));
  const linked = linkLibraries(findBinaries(), join(run, 'lib'));
  const binaries = reachable(linked, identity, fallback.cache);
  const data = resolveDataFolder({ folder, found, identity, fallback: fallback.data, log });
  const serverLog = openServerLog(join(dirname(data), 'postgres.log'));
  undo.push(() => serverLog.close());
  const at = { binaries, identity, data, log: serverLog, signal };
  if (!isInitialised(data)) {
    await createDatabase(folder, data, (draft) => initialise(at, draft));
    undo.push(lockData(data, useOf(options)));
  }
  storeLocation(folder, data);
  const address = options.address ?? (process.platform === 'win32' ? await onLoopback() : socketIn(run));
  return { ...at, address, settings, reportProgress: (sentence) => log.warn({}, sentence) };
}

/**
 * Locks the data itself: links in several DATA_DIRs may lead to it. @returns a function that releases it. Errors:
 * `FolderInUse`.
 */
function lockData(data: string, use: FolderUse): () => void {
  const target = realpathSync(data);
  const release = lockFolder(target, use);
  const supervisor = supervisorOf(target);
  if (supervisor === undefined) return release;
  release();
  throw new FolderInUse(target, { pid: supervisor, use: undefined });
}

function reachable(binaries: Binaries, identity: Identity, cache: string): Binaries {
  if (reaches(identity, { program: programOf(binaries, 'postgres') })) return binaries;
  return copyBinaries(binaries, cache);
}

/**
 * The data folder that PostgreSQL's user can enter; its parent exists. Errors: `EmbeddedError` when existing data
 * cannot be reached.
 */
function resolveDataFolder(of: {
  folder: string;
  found: string;
  identity: Identity;
  fallback: string;
  log: Log;
}): string {
  const { folder, found, identity, fallback, log } = of;
  mkdirSync(dirname(found), { recursive: true });
  const target = targetOf(found);
  const closed = [dirname(found), dirname(target)].find((parent) => !reaches(identity, { folder: parent }));
  if (closed === undefined) {
    if (isInitialised(found)) giveTree(identity, found);
    return found;
  }
  // A link says where the data is to be.
  if (isInitialised(found) || target !== found)
    throw new EmbeddedError(
      `The user that runs PostgreSQL cannot enter ${closed}: move DATA_DIR to a folder that every user can enter, or allow access to the folders above it.`,
    );
  const data = makeFallbackFolder(folder, fallback);
  log.warn({ folder: data }, 'PostgreSQL cannot reach DATA_DIR as an unprivileged user: the data is in this folder');
  return data;
}

/**
 * Data created while PostgreSQL ran in a user namespace belongs to root; to run as a system user, it must belong to
 * that user.
 */
function giveTree(identity: Identity, data: string): void {
  if (identity.how === 'as another user' && ownerOf(data)?.uid !== identity.owner?.uid)
    execFileSync('chown', ['-R', `${identity.owner?.uid}:${identity.owner?.gid}`, targetOf(data)]);
}

interface Supervised {
  log: Log;
  ending: AbortController;
  release: () => void;
}

/** Restarts the server whenever it ends unexpectedly: it was killed, or its disk was full. */
function supervise(at: Installation, first: Server, { log, ending, release }: Supervised): EmbeddedPostgres {
  let server = first;
  // A process that exits without stopping us stops the server too; `tieToParent` covers exits that cannot be observed.
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
      log.error({ code, signal, log: at.log.path }, 'the embedded PostgreSQL ended and is being restarted');
      const next = await startAgain(at, log, failed);
      if (next === undefined) return;
      server = next;
      log.info({ pid: next.pid }, 'the embedded PostgreSQL is available again');
      // It was stopped while it started: the caller that waits for this loop has stopped the previous server.
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

/** Retries until the server is available or no longer needed. */
async function startAgain(at: Installation, log: Log, failed: number): Promise<Server | undefined> {
  const { signal } = at;
  for (let tries = failed; !signal.aborted; tries += 1) {
    const pause = PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)] ?? 0;
    await delay(pause, undefined, { signal }).catch(() => undefined);
    try {
      if (!signal.aborted) return await startServer(at);
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, 'the embedded PostgreSQL does not start; retrying');
    }
  }
  return undefined;
}
