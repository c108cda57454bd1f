// The engine of `npm run submit`: sends every line of a file to the public API, several at a time, each exactly once.
import type { Line } from '../files/read-lines.ts';
import { countEarlier, prepareLine } from './line.ts';
import { openConnections, type Connections } from './http.ts';
import { Sender, type Outcome, type RetryClock } from './request.ts';
import { count, emptySummary, type Summary } from './tally.ts';

export interface SubmitOptions {
  /** The service's base address. */
  readonly url: string;
  readonly apiKey: string;
  /** Lower-case UUID. */
  readonly projectId: string;
  /** How many requests are in flight at most. */
  readonly concurrency: number;
  readonly clock: RetryClock;
  /** Fires to end the run: no further line is read, waits end, what is in flight has 5 s to be answered. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** After each line: the bytes of the file that are dealt with, what was counted so far, and what is waited for (or an empty text). */
export interface Progress {
  readonly bytes: number;
  readonly summary: Readonly<Summary>;
  readonly note: string;
}

const GRACE_MS = 5_000;
/** This many consecutive lines that fail to the last retry mean that the server is at fault, not the lines. */
const FAILED_IN_A_ROW = 3;

/**
 * Submits every line and answers with the summary; never throws for what a server or a line does, only for what reading the lines throws.
 * A second run with the same project submits no line of the first one twice, wherever it stands in the file by then: the server
 * replays by Idempotency-Key.
 */
export async function submitFile(lines: AsyncIterable<Line>, options: SubmitOptions): Promise<Summary> {
  const run = new Run(options);
  const source = lines[Symbol.asyncIterator]();
  const started = options.clock.now();
  const disarm = run.armStop(options.signal);
  try {
    await Promise.all(Array.from({ length: options.concurrency }, () => run.work(source)));
  } finally {
    disarm();
    run.halt();
    await source.return?.();
  }
  return run.finish((options.clock.now() - started) / 1000);
}

class Run {
  readonly #options: SubmitOptions;
  readonly #connections: Connections;
  readonly #sender: Sender;
  readonly #summary = emptySummary();
  readonly #stopping = new AbortController();
  readonly #earlier = countEarlier();
  #bytes = 0;
  #failedInARow = 0;
  /** The source has no more lines. */
  #ended = false;

  constructor(options: SubmitOptions) {
    this.#options = options;
    this.#connections = openConnections(options.url, options.concurrency);
    const { fetch } = this.#connections;
    this.#sender = new Sender({ baseUrl: options.url, apiKey: options.apiKey, fetch }, options.clock);
  }

  /** Takes lines from the shared source until it is empty or the run stops. */
  async work(source: AsyncIterator<Line>): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const next = await source.next();
      if (next.done === true) {
        this.#ended = true;
        return;
      }
      await this.#submit(next.value);
    }
  }

  /** Lets the caller's signal end the run; answers with what undoes it. */
  armStop(signal: AbortSignal): () => void {
    const over = new AbortController();
    const stop = (): void => {
      this.#stop('interrupted', 'You stopped the run.');
      void this.#cutOff(over.signal);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    return () => {
      signal.removeEventListener('abort', stop);
      over.abort();
    };
  }

  /** Releases the connections, and the other workers where one of them failed. */
  halt(): void {
    this.#stopping.abort();
    this.#connections.close();
  }

  finish(seconds: number): Summary {
    const complete = this.#ended && this.#summary.unsent === 0;
    const stopped = complete ? null : this.#summary.stopped;
    return { ...this.#summary, stopped, retries: this.#sender.retries, seconds };
  }

  /** Ends the requests that are still in flight when the grace is over. */
  async #cutOff(over: AbortSignal): Promise<void> {
    await this.#options.clock.sleep(GRACE_MS, over);
    if (!over.aborted) this.#connections.close();
  }

  async #submit(line: Line): Promise<void> {
    const prepared = prepareLine(line, this.#options.projectId, this.#earlier);
    if (prepared.kind !== 'blank') {
      const outcome = prepared.kind === 'ready' ? await this.#sender.send(prepared, this.#stopping.signal) : prepared;
      this.#settle(line.number, outcome);
    }
    this.#bytes += line.length + 1;
    this.#options.onProgress?.({ bytes: this.#bytes, summary: this.#summary, note: this.#sender.note });
  }

  #settle(line: number, outcome: Outcome): void {
    count(this.#summary, line, outcome);
    if (outcome.kind === 'stop') this.#stop(outcome.code, outcome.detail);
    if (outcome.kind === 'taken') this.#failedInARow = 0;
    if (outcome.kind !== 'refused' || outcome.gaveUp !== true) return;
    this.#failedInARow += 1;
    if (this.#failedInARow >= FAILED_IN_A_ROW) this.#stop(outcome.code, outcome.detail);
  }

  #stop(code: string, detail: string): void {
    this.#summary.stopped ??= { code, detail };
    this.#stopping.abort();
  }
}
