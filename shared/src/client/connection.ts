// Calls one endpoint of the public API: builds the request, retries, and validates the reply.
import type { z } from 'zod';
import type { Endpoint } from '../contract/endpoint.ts';
import { ApiError, parseJson, UnexpectedAnswerError, type ResponseInfo } from './errors.ts';
import { Retrier, type RetryClock, type RetryOptions } from './retry.ts';
import { retryAfterSeconds } from './retry-after.ts';
import { configure, type Configuration, type Configured } from './configuration.ts';
import { sendOnce, type Fetch, type Incoming } from './transport.ts';

export interface ClientOptions extends Configuration {
  /** Time limit of one request in seconds, in addition to the wait that it requests. Default 30. */
  readonly timeoutSeconds?: number;
  readonly retry?: RetryOptions;
  /** Default: the platform's `fetch`. */
  readonly fetch?: Fetch;
  /** Default: the platform's clock. A caller that passes `sleep` also passes the `now` that it advances. */
  readonly now?: RetryClock['now'];
  readonly random?: RetryClock['random'];
  readonly sleep?: RetryClock['sleep'];
}

/** The parts of an endpoint that a call needs. */
export interface Target<R> extends Pick<Endpoint, 'method' | 'path'> {
  readonly reply: z.ZodType<R> | null;
}

/** The parameters of a call. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  /** Seconds that the service is asked to wait before it responds. */
  readonly waitSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Repeats the call until this time, in milliseconds by the clock of the client, instead of as `RetryOptions` say. */
  readonly until?: number | undefined;
}

/** A reply, and whether it stems from an earlier request with the same idempotency key. */
export interface Replied<R> {
  readonly reply: R;
  readonly replayed: boolean;
  /** The seconds of `x-expected-wait-seconds`; null without it. */
  readonly expectedWaitSeconds: number | null;
  /** The reply as received. */
  readonly text: string;
}

const TIMEOUT_SECONDS = 30;
/** The least time that one request gets, in seconds, however soon its call ends. */
const SHORTEST_REQUEST_SECONDS = 1;

export class Connection {
  readonly clock: RetryClock;
  readonly projectId: string | undefined;
  readonly #configured: Configured;
  readonly #timeoutSeconds: number;
  readonly #fetch: Fetch;
  readonly #retrier: Retrier;

  /** Errors: `TypeError` for a missing or unusable base URL or API key, and for limits of retries that are not numbers. */
  constructor(options: ClientOptions) {
    this.#configured = configure(options);
    this.projectId = this.#configured.projectId;
    this.#timeoutSeconds = options.timeoutSeconds ?? TIMEOUT_SECONDS;
    // Called as a plain function: browsers reject a `fetch` detached from its window.
    this.#fetch = options.fetch ?? ((url, request) => fetch(url, request));
    const { now = () => Date.now(), random = () => Math.random(), sleep = timerSleep } = options;
    this.clock = { now, random, sleep };
    this.#retrier = new Retrier(this.clock, options.retry ?? {});
  }

  /** Errors: `ApiError`, `NetworkError`, `UnexpectedAnswerError`, and the reason of `signal` as soon as it aborts. */
  call<R>(endpoint: Target<R>, call: Call): Promise<Replied<R>> {
    const outgoing = {
      method: endpoint.method,
      url: this.#configured.baseUrl + pathOf(endpoint.path, call.params) + queryOf(call.query),
      headers: {
        accept: 'application/json',
        'x-api-key': this.#configured.apiKey,
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(call.body === undefined ? {} : { body: call.body }),
    };
    const attempt = async (): Promise<Replied<R>> => {
      const limits = { timeoutSeconds: this.#secondsFor(call), signal: call.signal };
      return readReply(this.#responseInfoOf(await sendOnce(this.#fetch, outgoing, limits)), endpoint.reply);
    };
    return this.#retrier.run(attempt, call.signal, call.until);
  }

  /** The time limit of the next request of this call. */
  #secondsFor({ waitSeconds = 0, until = Infinity }: Call): number {
    const left = Math.max(SHORTEST_REQUEST_SECONDS, (until - this.clock.now()) / 1000);
    return waitSeconds + Math.min(this.#timeoutSeconds, left);
  }

  #responseInfoOf({ status, headers, text }: Incoming): ResponseInfo {
    const header = (name: string): string | null => headers.get(name);
    const retryAfter = retryAfterSeconds(header('retry-after'), header('date'), this.clock.now());
    return { status, text, header, retryAfter };
  }
}

function readReply<R>(response: ResponseInfo, schema: z.ZodType<R> | null): Replied<R> {
  if (response.status < 200 || response.status >= 300) throw new ApiError(response);
  const reply = schema?.safeParse(parseJson(response.text));
  if (reply?.success !== true) throw new UnexpectedAnswerError(response, reply?.error);
  const expected = Number(response.header('x-expected-wait-seconds') ?? Number.NaN);
  return {
    reply: reply.data,
    replayed: response.header('idempotent-replayed') === 'true',
    expectedWaitSeconds: Number.isFinite(expected) ? expected : null,
    text: response.text,
  };
}

function pathOf(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

function queryOf(query: Readonly<Record<string, string | number | undefined>> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

function timerSleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}
