// Sends one prepared item through the client and returns the result for the item and for the run.
import {
  ApiError,
  createClient,
  NetworkError,
  RawJson,
  UnexpectedAnswerError,
  type Client,
  type ClientOptions,
  type Retry,
} from '../../../shared/src/client.ts';
import type { ItemStatus } from '../../../shared/src/enums.ts';
import { ANSWER_WITHIN_SECONDS } from './http.ts';
import type { Ready, Refused } from './line.ts';

/** Time and chance, passed in. `sleep` takes milliseconds and ends early, without an error, when the signal fires. */
export type RetryClock = Required<Pick<ClientOptions, 'now' | 'random' | 'sleep'>>;

/** Where items are sent and how. `baseUrl` is the service's address. */
export type Target = Required<Pick<ClientOptions, 'baseUrl' | 'apiKey' | 'fetch'>>;

/** The result for one item. `stop`: no further line can succeed. `unsent`: the run ended before a response came. */
export type Outcome =
  | { readonly kind: 'taken'; readonly status: ItemStatus; readonly replayed: boolean }
  | (Refused & { readonly gaveUp?: true })
  | { readonly kind: 'stop'; readonly code: string; readonly detail: string }
  | { readonly kind: 'unsent' };

const TRIES = 10;
/** Before the first response, the address is more likely wrong than the server busy. */
const TRIES_BEFORE_FIRST_ANSWER = 3;

/** Sends items to one target; pauses that the server asks for hold for every item. */
export class Sender {
  retries = 0;
  /** What all items wait for at the moment, or an empty text. */
  note = '';
  #answered = false;
  readonly #client: Client;

  constructor(target: Target, clock: RetryClock) {
    // A file may take as long as the server's limits make it take.
    const retry = { tries: TRIES, seconds: Infinity, onRetry: (next: Retry) => this.#onRetry(next) };
    this.#client = createClient({ ...target, ...clock, timeoutSeconds: ANSWER_WITHIN_SECONDS, retry });
  }

  /** Sends until there is an outcome; `stopping` ends waits, not the request in flight. Never throws for what a server does. */
  async send(item: Ready, stopping: AbortSignal): Promise<Outcome> {
    try {
      const options = { idempotencyKey: item.key, signal: stopping };
      const { status, replayed } = await this.#client.submit(new RawJson(item.body), options);
      this.#answered = true;
      this.note = '';
      return { kind: 'taken', status, replayed };
    } catch (error) {
      const settled = error instanceof UnexpectedAnswerError || (error instanceof ApiError && !error.temporary);
      if (stopping.aborted && !settled) return { kind: 'unsent' };
      if (settled) this.note = '';
      return outcomeOf(error);
    }
  }

  #onRetry({ error, tries }: Retry): void {
    if (error instanceof ApiError) this.#answered = true;
    if (!this.#answered && tries >= TRIES_BEFORE_FIRST_ANSWER) throw error;
    this.retries += 1;
    this.note = `${reasonOf(error)}, trying again`;
  }
}

/** Sorts the client's final errors: about this line, or about every line. */
function outcomeOf(error: unknown): Outcome {
  if (error instanceof UnexpectedAnswerError) {
    return { kind: 'stop', code: 'unknown_answer', detail: 'What answers at this address is not Countersign.' };
  }
  if (error instanceof NetworkError) {
    const detail = `The service cannot be reached. ${error.tries} tries failed: ${error.reason}.`;
    return { kind: 'stop', code: 'unreachable', detail };
  }
  if (!(error instanceof ApiError)) throw error;
  const { status, code, detail } = error;
  if (error.temporary) {
    return { kind: 'refused', code, detail: `${error.tries} tries failed: ${reasonOf(error)}.`, gaveUp: true };
  }
  if (status < 400) return { kind: 'stop', code: 'redirect', detail };
  if ([401, 403, 404, 405].includes(status)) return { kind: 'stop', code, detail };
  const [first] = error.errors;
  return { kind: 'refused', code, detail: first === undefined ? detail : `${first.pointer}: ${first.detail}` };
}

function reasonOf(error: ApiError | NetworkError): string {
  return error instanceof NetworkError ? error.reason : `the server answered ${error.status} ${error.code}`;
}
