// Appends missing lines to a file: its content must be a prefix of the whole, and is never overwritten.
import { type FileHandle, open } from 'node:fs/promises';
import { acquireLock } from '../../../server/src/embedded/process-lock.ts';

const LINE_END = 10;

/** Why a file cannot be continued; the message is for the person at the command line. */
export class FileFault extends Error {}

/**
 * Compares the content of a file with the beginning of `chunks`, and appends what is missing. Completes a partial last line.
 * Returns the number of added lines. Throws `FileFault` where the file holds anything else, or more, or another process writes
 * it.
 */
export async function appendLines(file: string, chunks: AsyncIterable<string>): Promise<number> {
  const release = lockOf(file);
  try {
    const handle = await open(file, 'a+').catch((error: Error) => {
      throw cannotWrite(file, error);
    });
    try {
      return await appendMissing(file, handle, chunks);
    } finally {
      await handle.close();
    }
  } finally {
    release();
  }
}

/** One writer at a time; the lock of an interrupted run is taken over. */
function lockOf(file: string): () => void {
  try {
    const taken = acquireLock(`${file}.lock`);
    if ('release' in taken) return taken.release;
    throw new FileFault(`Another run writes ${file}: process ${taken.heldBy}.`);
  } catch (error) {
    throw error instanceof FileFault ? error : cannotWrite(file, error as Error);
  }
}

/** The fault of a file that the operating system does not let us write. */
export const cannotWrite = (file: string, { message }: Error): FileFault =>
  new FileFault(`${file} cannot be written: ${message}`);

async function appendMissing(file: string, handle: FileHandle, chunks: AsyncIterable<string>): Promise<number> {
  const { size } = await handle.stat();
  let [at, added] = [0, 0];
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk);
    const known = Math.min(bytes.length, size - Math.min(at, size));
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(known), 0, known, at);
    if (bytesRead < known || !buffer.equals(bytes.subarray(0, known))) throw otherContent(file);
    at += bytes.length;
    const fresh = bytes.subarray(known);
    await handle.appendFile(fresh);
    added += fresh.reduce((sum, byte) => sum + (byte === LINE_END ? 1 : 0), 0);
  }
  if (at < size) throw otherContent(file);
  return added;
}

const otherContent = (file: string) =>
  new FileFault(
    `${file} does not begin like this export: it has other options, or learnings or clusters changed since. Choose another file, or delete this one.`,
  );
