// Sends one prepared item and does not give up early: backoff on network errors, 429, 5xx and a request still in flight.
import { submitted } from '../../shared/src/api/public.ts';
import { problem } from '../../shared/src/errors.ts';
import type { ItemStatus } from '../../shared/src/words.ts';
import type { HttpAnswer, Poster } from './submit-http.ts';
import type { Ready, Refused } from './submit-line.ts';

/** Time and chance, passed in. `sleep` takes milliseconds and ends early, without an error, when the signal fires. */
export interface Pace {
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** What became of one item. `stop`: no further line can fare better. `unsent`: the run ended before an answer came. */
export type Outcome =
  | { readonly kind: 'taken'; readonly status: ItemStatus; readonly replayed: boolean }
  | (Refused & { readonly gaveUp?: true })
  | { readonly kind: 'stop'; readonly code: string; readonly detail: string }
  | { readonly kind: 'unsent' };

/** One answer that asks for another try. `afterMs` is the server's wish; `everyone`: it holds for all requests; `free`: not counted as a failure. */
interface Retry {
  readonly kind: 'retry';
  readonly code: string;
  readonly reason: string;
  readonly afterMs: number | null;
  readonly everyone: boolean;
  readonly free: boolean;
}

const TRIES = 10;
/** Before anything has answered at all, the address is more likely wrong than the server busy. */
const TRIES_BEFORE_FIRST_ANSWER = 3;
const FIRST_BACKOFF_MS = 250;
const SHORTEST_WISH_MS = 100;
const LONGEST_BACKOFF_MS = 15_000;
const LONGEST_WISH_MS = 600_000;

/** Sends items to one target; pauses that the server asks for hold for every item. */
export class Sender {
  retries = 0;
  /** What everyone waits for at the moment, or an empty text. */
  note = '';
  #answered = false;
  #pausedUntil = 0;
  readonly #poster: Poster;
  readonly #pace: Pace;

  constructor(poster: Poster, pace: Pace) {
    this.#poster = poster;
    this.#pace = pace;
  }

  /** Sends until there is an outcome; `stopping` ends waits, not the request in flight. Never throws. */
  async send(item: Ready, stopping: AbortSignal): Promise<Outcome> {
    let failures = 0;
    for (let tries = 1; ; tries += 1) {
      await this.#waitForPause(stopping);
      if (stopping.aborted) return { kind: 'unsent' };
      const answer = await this.#attempt(item);
      if (answer.kind !== 'retry') {
        this.note = '';
        return answer;
      }
      if (stopping.aborted) return { kind: 'unsent' };
      if (!answer.free) failures += 1;
      if (failures >= (this.#answered ? TRIES : TRIES_BEFORE_FIRST_ANSWER)) return this.#giveUp(answer, failures);
      await this.#backOff(answer, tries, stopping);
    }
  }

  async #attempt(item: Ready): Promise<Outcome | Retry> {
    try {
      const answer = await this.#poster.post(item);
      this.#answered = true;
      return readAnswer(answer, this.#pace.now());
    } catch (error) {
      return { kind: 'retry', code: 'unreachable', reason: reasonOf(error), ...COUNTED, afterMs: null };
    }
  }

  async #waitForPause(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && this.#pausedUntil > this.#pace.now()) {
      await this.#pace.sleep(this.#pausedUntil - this.#pace.now(), stopping);
    }
  }

  async #backOff(answer: Retry, tries: number, stopping: AbortSignal): Promise<void> {
    this.retries += 1;
    this.note = `${answer.reason}, trying again`;
    const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** (tries - 1), LONGEST_BACKOFF_MS);
    const ms = Math.ceil(answer.afterMs ?? backoff * (0.5 + this.#pace.random() / 2));
    if (answer.everyone) this.#pausedUntil = Math.max(this.#pausedUntil, this.#pace.now() + ms);
    else await this.#pace.sleep(ms, stopping);
  }

  #giveUp(answer: Retry, failures: number): Outcome {
    const detail = `${failures} tries failed: ${answer.reason}.`;
    if (answer.code === 'unreachable') {
      return { kind: 'stop', code: 'unreachable', detail: `The service cannot be reached. ${detail}` };
    }
    return { kind: 'refused', code: answer.code, detail, gaveUp: true };
  }
}

const COUNTED = { everyone: false, free: false } as const;

/** Sorts an answer into outcome or retry (CONTRACT's error table: only these statuses can end differently next time). */
function readAnswer(answer: HttpAnswer, now: number): Outcome | Retry {
  const { status, text, header } = answer;
  if (status >= 200 && status < 300) return readTaken(answer);
  const { code, detail } = readFault(text, status);
  const afterMs = retryAfter(header('retry-after'), now);
  const retry = { kind: 'retry', code, reason: `the server answered ${status} ${code}`, afterMs } as const;
  if (status === 429) return { ...retry, everyone: true, free: true };
  if (status >= 500 || status === 408) return { ...retry, everyone: afterMs !== null, free: false };
  if (code === 'idempotency_in_progress') return { ...retry, ...COUNTED };
  if (status < 400) return redirected(header('location'));
  if ([401, 403, 404, 405].includes(status)) return { kind: 'stop', code, detail };
  return { kind: 'refused', code, detail };
}

function redirected(location = 'another address'): Outcome {
  return { kind: 'stop', code: 'redirect', detail: `The server redirects to ${location}.` };
}

/** Loose on purpose: a newer server may say more than this program knows. */
const taken = submitted.pick({ status: true }).loose();
const fault = problem.pick({ detail: true, errors: true }).loose();

function readTaken({ text, header }: HttpAnswer): Outcome {
  const answer = taken.safeParse(parseJson(text));
  if (!answer.success) {
    return { kind: 'stop', code: 'unknown_answer', detail: 'What answers at this address is not Countersign.' };
  }
  const replayed = header('idempotent-replayed') === 'true';
  return { kind: 'taken', status: answer.data.status, replayed };
}

/** Code and one sentence of a problem answer; of any other answer, what can be said about it. */
function readFault(text: string, status: number): { code: string; detail: string } {
  const answer = fault.safeParse(parseJson(text));
  if (!answer.success) return { code: `http_${status}`, detail: `The server answered ${status} without saying why.` };
  const { code, detail, errors } = answer.data;
  const [first] = errors ?? [];
  return {
    code: typeof code === 'string' ? code : `http_${status}`,
    detail: first === undefined ? detail : `${first.pointer}: ${first.detail}`,
  };
}

/** Retry-After in milliseconds: seconds or an HTTP date (RFC 9110, 10.2.3); null when absent or unreadable. */
function retryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, SHORTEST_WISH_MS), LONGEST_WISH_MS);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'network error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
