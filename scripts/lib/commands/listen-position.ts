// The position of `npm run listen` on disk: how far the receiver is, for the next run.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { ListenError, type Position } from './listen.ts';

/** Where the position is kept; its name tells neither the key nor the address. */
export function positionFile(...of: string[]): string {
  const folder = join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local/state'), 'countersign');
  return join(folder, `listen-${createHash('sha256').update(of.join(' ')).digest('hex').slice(0, 16)}.json`);
}

/** Null when there is no file. Errors: `ListenError`. */
export async function loadPosition(file: string): Promise<Position | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new ListenError(`The position in ${file} cannot be read: ${error.message}`);
  });
  return text === null ? null : parsePosition(file, text);
}

function parsePosition(file: string, text: string): Position {
  try {
    const { after, done } = JSON.parse(text) as Record<keyof Position, unknown>;
    if (isCursor(after) && isCursor(done)) return { after, done };
  } catch {
    // Not JSON, or not an object.
  }
  throw new ListenError(
    `${file} does not hold the position of npm run listen. Delete it to start with new events, or use --from-start.`,
  );
}

const isCursor = (value: unknown): value is string | null => value === null || typeof value === 'string';

/** Replaced as a whole, on the disk before it takes the place of the old one: a crash leaves one of them. Errors: `ListenError`. */
export async function savePosition(file: string, position: Position): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(`${file}.new`, JSON.stringify(position), { mode: 0o600, flush: true });
    await rename(`${file}.new`, file);
  } catch (error) {
    throw new ListenError(`The position cannot be saved in ${file}: ${(error as Error).message}`);
  }
}
