// A file of lines that grows: what is whole in it stays, half a line that a break left is taken away.
import { createReadStream, createWriteStream } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const LINE_END = 10;

/** How many whole lines a file has, and how many bytes they are; none of a file that is not there. */
export async function wholeLines(file: string): Promise<{ lines: number; bytes: number }> {
  let [lines, bytes, read] = [0, 0, 0];
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) {
        lines += 1;
        bytes = read + at + 1;
      }
      read += chunk.length;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return { lines, bytes };
}

/** Writes behind the first `bytes` of a file what comes, as it comes. */
export async function appendAfter(file: string, bytes: number, chunks: AsyncIterable<string>): Promise<void> {
  if (bytes > 0) await truncate(file, bytes);
  await pipeline(Readable.from(chunks), createWriteStream(file, { flags: bytes > 0 ? 'a' : 'w' }));
}
