// Replaces a file as a whole: what was there stays until the new content is complete.
import { open, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { cannotWrite } from './append-lines.ts';

interface Replacement {
  /** Writes the content, which then takes the place of the file. */
  fill(content: AsyncIterable<string>): Promise<void>;
  /** Removes what was written, and leaves the file alone. */
  discard(): Promise<void>;
}

/** Opens the new file beside the one that it replaces. Errors: `FileFault`, where it cannot be written. */
export async function openReplacement(file: string): Promise<Replacement> {
  const part = `${file}.part`;
  const before = await stat(file).catch(() => null);
  if (before?.isDirectory() === true) throw cannotWrite(file, new Error('it is a directory'));
  const handle = await open(part, 'w').catch((error: Error) => {
    throw cannotWrite(file, error);
  });
  return {
    fill: async (content) => {
      await pipeline(content, handle.createWriteStream());
      await rename(part, file);
    },
    discard: async () => {
      await handle.close();
      await rm(part, { force: true });
    },
  };
}
