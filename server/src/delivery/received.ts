// What arrives over a connection: the start of a response, without interim ones (1xx, W8), all of it limited (W4).
import type { Socket } from 'node:net';
import { type Dispatcher, errors } from 'undici';

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

type Controller = Dispatcher.DispatchController;
type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

interface ResponseOptions {
  /** Breaks off the exchange. */
  signal: AbortSignal;
  /** Reading stops here; the status counts. */
  readBytes: number;
  storedBytes: number;
  onStart: (status: number, headers: Headers) => void;
  /** Called once after a response has begun, however it ends, with the start of its body. */
  onBody: (start: Buffer) => void;
}

/**
 * Reads the start of one response, for `dispatch` of the HTTP client: a stream for a body of a few bytes would take as long
 * as all the rest of a POST.
 */
export class ResponseStart implements Dispatcher.DispatchHandler {
  readonly #options: ResponseOptions;
  readonly #settled = Promise.withResolvers<boolean>();
  readonly #chunks: Buffer[] = [];
  #controller: Controller | undefined;
  #read = 0;
  #hasBegun = false;
  #isOver = false;

  constructor(options: ResponseOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', this.#abort);
  }

  /** Whether the response ended; false when it is longer than is read. Rejects when it broke off, or on the signal. */
  get ended(): Promise<boolean> {
    return this.#settled.promise;
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#options.signal.aborted) this.#abort();
  }

  onResponseStart(controller: Controller, status: number, headers: Headers): void {
    if (status === 101) controller.abort(new errors.SocketError('The receiver switched protocols unasked.'));
    // An interim response that was not recognized as one (W8) is no answer.
    if (status < 200) return;
    this.#hasBegun = true;
    this.#options.onStart(status, headers);
  }

  onResponseData(_: Controller, chunk: Buffer): void {
    if (this.#isOver) return;
    const { readBytes, storedBytes } = this.#options;
    if (this.#read < storedBytes) this.#chunks.push(chunk.subarray(0, storedBytes - this.#read));
    this.#read += chunk.length;
    if (this.#read >= readBytes) this.#end(() => this.#settled.resolve(false));
  }

  onResponseEnd(): void {
    this.#end(() => this.#settled.resolve(true));
  }

  onResponseError(_: unknown, error: Error): void {
    this.#end(() => this.#settled.reject(error));
  }

  readonly #abort = (): void => this.#controller?.abort(this.#options.signal.reason as Error);

  #end(settle: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.signal.removeEventListener('abort', this.#abort);
    if (this.#hasBegun) this.#options.onBody(Buffer.concat(this.#chunks));
    settle();
  }
}
