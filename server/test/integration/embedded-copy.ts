// The embedded database, made and migrated once and copied for every test file: an empty one takes seconds of work to start.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '../../src/db/migrate.ts';
import { openOrm } from '../../src/db/orm.ts';

const MIGRATIONS = join(import.meta.dirname, '../../src/db/migrations');
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/countersign');

/** A migrated database in a folder of its own. */
export async function embeddedCopy(): Promise<{ folder: string; remove(): Promise<void> }> {
  const home = mkdtempSync(join(tmpdir(), 'countersign-embedded-'));
  const folder = join(home, 'database');
  cpSync(await template(), folder, { recursive: true });
  return { folder, remove: async () => rmSync(home, { recursive: true, force: true }) };
}

/** The folder to copy. Another one for other migrations or another PGlite; the ones before it are thrown away. */
async function template(): Promise<string> {
  const name = `pglite-${fingerprint()}`;
  const folder = join(CACHE, name);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(join(CACHE, 'draft-'));
  try {
    await make(draft);
    renameSync(draft, folder);
  } catch (error) {
    // A folder in place is a finished one: whoever comes second uses the first one's.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  const older = readdirSync(CACHE).filter((other) => other.startsWith('pglite-') && other !== name);
  for (const other of older) rmSync(join(CACHE, other), { recursive: true, force: true });
  return folder;
}

async function make(folder: string): Promise<void> {
  const target = { kind: 'embedded' as const, folder };
  const orm = await openOrm(target);
  await migrate(orm, target);
  await orm.close();
}

function fingerprint(): string {
  const pglite = dirname(dirname(fileURLToPath(import.meta.resolve('@electric-sql/pglite'))));
  const files = readdirSync(MIGRATIONS)
    .toSorted()
    .map((name) => join(MIGRATIONS, name));
  const hash = createHash('sha256');
  for (const file of [...files, join(pglite, 'package.json')]) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}
