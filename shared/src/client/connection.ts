// Calls one endpoint of the public API: builds the request, retries, and validates the reply.
import type { z } from 'zod';
import type { Endpoint } from '../contract/endpoint.ts';
import { ApiError, parseJson, UnexpectedAnswerError, type ResponseInfo } from './errors.ts';
import { Retrier, type RetryClock, type RetryOptions } from './retry.ts';
import { retryAfterSeconds } from './retry-after.ts';
import { sendOnce, type Fetch, type Incoming } from './transport.ts';

export interface ClientOptions {
  /** Base URL of the service, such as `https://review.example.org`; a trailing slash is allowed. */
  readonly baseUrl: string;
  /** Key of one project, `csk_…`. */
  readonly apiKey: string;
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

export class Connection {
  readonly #options: ClientOptions;
  readonly #base: string;
  readonly #fetch: Fetch;
  readonly #now: () => number;
  readonly #retrier: Retrier;

  /** Errors: `TypeError` for an unusable base URL or API key. */
  constructor(options: ClientOptions) {
    this.#options = options;
    this.#base = checkedBase(options.baseUrl);
    if (!/^[\x21-\x7e]+$/.test(options.apiKey))
      throw new TypeError('An API key must consist of printable ASCII characters.');
    // Called as a plain function: browsers reject a `fetch` detached from its window.
    this.#fetch = options.fetch ?? ((url, request) => fetch(url, request));
    const { now = () => Date.now(), random = () => Math.random(), sleep = timerSleep } = options;
    this.#now = now;
    this.#retrier = new Retrier({ now, random, sleep }, options.retry ?? {});
  }

  /** Errors: `ApiError`, `NetworkError`, `UnexpectedAnswerError`, and the reason of `signal` as soon as it aborts. */
  call<R>(endpoint: Target<R>, call: Call): Promise<Replied<R>> {
    const outgoing = {
      method: endpoint.method,
      url: this.#base + pathOf(endpoint.path, call.params) + queryOf(call.query),
      headers: {
        accept: 'application/json',
        'x-api-key': this.#options.apiKey,
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(call.body === undefined ? {} : { body: call.body }),
    };
    const timeoutSeconds = (call.waitSeconds ?? 0) + (this.#options.timeoutSeconds ?? TIMEOUT_SECONDS);
    const limits = { timeoutSeconds, ...(call.signal === undefined ? {} : { signal: call.signal }) };
    const attempt = async (): Promise<Replied<R>> =>
      readReply(this.#responseInfoOf(await sendOnce(this.#fetch, outgoing, limits)), endpoint.reply);
    return this.#retrier.run(attempt, call.signal);
  }

  #responseInfoOf({ status, headers, text }: Incoming): ResponseInfo {
    const header = (name: string): string | null => headers.get(name);
    const retryAfter = retryAfterSeconds(header('retry-after'), header('date'), this.#now());
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

function checkedBase(text: string): string {
  const base = text.replace(/\/+$/, '');
  if (!/^https?:\/\/[^/?#]+(\/[^?#]*)?$/i.test(base) || !URL.canParse(base)) {
    throw new TypeError('The base URL must be an HTTP URL such as https://review.example.org.');
  }
  return base;
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
