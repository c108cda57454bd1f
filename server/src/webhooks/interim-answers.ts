// Interim answers of a receiver (1xx) are read past (rule W8): the HTTP client takes 100 Continue, which we never ask for, as a broken answer.
import type { Socket } from 'node:net';
import { TooMuch } from './bounded-reads.ts';

/** `HTTP/1.1 1xx`, and as much of it as is there; 101 would be another protocol. */
const BEGINS = /^HTTP\/1\.[01] 1(?!01)\d\d/;
const BEGIN_LENGTH = 'HTTP/1.1 100'.length;
const HEAD_END = '\r\n\r\n';

/** Takes the interim answers off what comes over one connection. */
export class InterimAnswers {
  readonly #headBytes: number;
  #held: Buffer = Buffer.alloc(0);
  #isPast = false;

  /** `headBytes`: how long one of them may be. */
  constructor(headBytes: number) {
    this.#headBytes = headBytes;
  }

  /** An answer is awaited from here on. */
  begin(): void {
    this.#held = Buffer.alloc(0);
    this.#isPast = false;
  }

  /** What of the bytes is not interim; what may still become so is held back until more comes. Errors: `TooMuch`. */
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

/** Nothing at all may be one too. */
function mayBeInterim(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, BEGIN_LENGTH);
  return BEGINS.test(start + 'HTTP/1.1 100'.slice(start.length));
}

/** Whatever is read of the socket from here on goes through `answers`. */
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
