// Cuts a stream of bytes into lines in constant memory, for lines of any length.

/** One line of a file. `bytes` is at most as long as the reader was told to keep; `length` is the line's full length in bytes, without the newline. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  readonly bytes: Uint8Array;
  readonly length: number;
}

const NEWLINE = 0x0a;

/**
 * Yields the lines of `chunks` in order. Only LF ends a line: U+2028 may occur in a JSON string, and a CR before the LF stays in
 * the line. At least the first `keep` bytes of each line are retained where it has them; a longer line is cut, with its full
 * `length`.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<Line, void, void> {
  let number = 1;
  let pending = new Pending(maxLineBytes);
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      pending.add(chunk.subarray(start, end));
      yield pending.line(number);
      number += 1;
      pending = new Pending(maxLineBytes);
      start = end + 1;
    }
    pending.add(chunk.subarray(start));
  }
  if (pending.length > 0) yield pending.line(number);
}

/** The parts of a line that spans chunks. */
class Pending {
  length = 0;
  readonly #keep: number;
  readonly #parts: Uint8Array[] = [];

  constructor(maxLineBytes: number) {
    this.#keep = maxLineBytes;
  }

  add(part: Uint8Array): void {
    if (part.length === 0) return;
    if (this.length < this.#keep) this.#parts.push(part);
    this.length += part.length;
  }

  line(number: number): Line {
    const [only, ...others] = this.#parts;
    const bytes = only !== undefined && others.length === 0 ? only : Buffer.concat(this.#parts);
    return { number, bytes, length: this.length };
  }
}
