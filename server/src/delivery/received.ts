// Guards what arrives over a connection: interim responses (1xx) are skipped (rule W8), and all bytes are limited (W4).
import type { Socket } from 'node:net';

/** More data arrived than any response needs. */
export class TooMuch extends Error {
  override readonly name = 'TooMuch';
}

/**
 * Closes the connection with `TooMuch` once `read` reports more than this many bytes. Interim responses and chunk sizes
 * are not body, but count too.
 */
export function boundReads(socket: Socket, bytes: number, read: () => number): void {
  socket.on('readable', () => {
    if (read() > bytes) socket.destroy(new TooMuch());
  });
}

/** `HTTP/1.1 1xx`, or its received part; 101 would switch the protocol. */
const BEGINS = /^HTTP\/1\.[01] 1(?!01)\d\d/;
const BEGIN_LENGTH = 'HTTP/1.1 100'.length;
const HEAD_END = '\r\n\r\n';

/**
 * Removes the interim responses from the data of one connection: the HTTP client treats 100 Continue, which we never
 * request, as a broken response.
 */
export class InterimAnswers {
  readonly #headBytes: number;
  #held: Buffer = Buffer.alloc(0);
  #isPast = false;

  /** `headBytes`: the maximum length of one interim response. */
  constructor(headBytes: number) {
    this.#headBytes = headBytes;
  }

  /** A response is expected from here on. */
  begin(): void {
    this.#held = Buffer.alloc(0);
    this.#isPast = false;
  }

  /**
   * The part of the data that is not interim; an incomplete interim response is held back until more arrives. Errors:
   * `TooMuch`.
   */
  rest(chunk: Buffer): Buffer {
    if (this.#isPast) return chunk;
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    while (mayBeInterim(bytes)) {
      const end = bytes.indexOf(HEAD_END);
      if (end > this.#headBytes || (end === -1 && bytes.length > this.#headBytes)) throw new TooMuch();
      if (end === -1) {
        this.#held = bytes;
        return Buffer.alloc(0);
      }
      bytes = bytes.subarray(end + HEAD_END.length);
    }
    this.#isPast = true;
    return bytes;
  }
}

/** Empty data may become one too. */
function mayBeInterim(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, BEGIN_LENGTH);
  return BEGINS.test(start + 'HTTP/1.1 100'.slice(start.length));
}

/** All data read from the socket passes through `answers` from here on. */
export function readPast(socket: Socket, answers: InterimAnswers): void {
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size);
    if (!Buffer.isBuffer(chunk)) return chunk;
    try {
      return answers.rest(chunk);
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new TooMuch());
      return null;
    }
  };
}
