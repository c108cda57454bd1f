// Runs an installed PostgreSQL of any version: for tools that the embedded one lacks, and to test older versions.
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../../../server/src/embedded/address.ts';
import { unprivilegedUser } from '../../../server/src/embedded/identity.ts';
import type { Service } from './services.ts';
import { findBinary } from './find-binary.ts';
import { watchChild } from './child-process.ts';

const PLACES = ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin', '/opt/homebrew/opt/postgresql*/bin'];

export const NO_INSTALLED_POSTGRES =
  'No installed PostgreSQL: `apt-get install postgresql` (its service need not run).';

/** Where `postgres`, `pg_dump` and their like are installed; undefined where they are not. */
export const findPostgresTool = (name: string): string | undefined => findBinary(name, PLACES);

/** Starts one in a separate folder (trust on loopback), or returns undefined where none is installed. */
export async function startInstalledPostgres(): Promise<Service | undefined> {
  const binary = findPostgresTool('postgres');
  if (binary === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'countersign-installed-'));
  // As root it needs another user to run as.
  const owner = process.getuid?.() === 0 ? unprivilegedUser() : undefined;
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const made = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync', '--no-instructions'];
  execFileSync(join(dirname(binary), 'initdb'), ['-D', data, ...made], { cwd: folder, ...owner, stdio: 'ignore' });
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200', 'fsync=off'];
  const options = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const child = spawn(binary, options, { cwd: folder, ...owner, stdio: ['ignore', 'pipe', 'pipe'] });
  const running = await watchChild(child, { readyText: 'ready to accept connections' });
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: () => running.end('SIGINT').finally(() => rmSync(folder, { recursive: true, force: true })),
  };
}
