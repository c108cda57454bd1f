// The contract client: calls one route of `shared/` and returns its value or throws a named error.
import type { ErrorCode, FieldError } from '@countersign/shared/errors';
import type { Problem } from '@countersign/shared/schemas/parts/problem';
import type { Route } from '@countersign/shared/routes/route';
import { jsonText } from '@countersign/shared/json/json';
import { observeServerTime } from '../time/clock.svelte.ts';

const TIMEOUT_MS = 10_000;
/** For a file of another host, which our server has 60 s to fetch (MP3). */
const FILE_TIMEOUT_MS = 65_000;

/** The server answered with a refusal or an error (RFC 9457). `detail` says what to do; `retryAfter` is in seconds. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly title: string;
  readonly detail: string;
  readonly errors: FieldError[];
  readonly request_id: string | null;
  readonly holder: Problem['holder'];
  readonly expires_at: Problem['expires_at'];
  readonly retryAfter: number | null;

  constructor(problem: Partial<Problem> & { status: number; code: ErrorCode }, retryAfter: number | null) {
    super(`${problem.code}: ${problem.detail ?? problem.title ?? ''}`);
    this.name = 'ApiProblem';
    this.status = problem.status;
    this.code = problem.code;
    this.title = problem.title ?? 'Countersign is unavailable right now';
    this.detail = problem.detail ?? '';
    this.errors = problem.errors ?? [];
    this.request_id = problem.request_id ?? null;
    this.holder = problem.holder;
    this.expires_at = problem.expires_at;
    this.retryAfter = retryAfter;
  }
}

/** Whether an error is a refusal with one of these codes. */
export const isRefusal = (error: unknown, codes: readonly ErrorCode[]): error is ApiProblem =>
  error instanceof ApiProblem && codes.includes(error.code);

/** No answer arrived: the network is down, or the server exceeded the time limit. The request may still have had effect. */
export class NetworkFailure extends Error {
  readonly kind: 'unreachable' | 'timeout';

  constructor(kind: 'unreachable' | 'timeout') {
    super(kind === 'timeout' ? 'The server took too long to respond' : "Can't reach the server");
    this.name = 'NetworkFailure';
    this.kind = kind;
  }
}

interface Options {
  signal?: AbortSignal;
  /** How long to wait for the answer; 10 s by default. */
  timeoutMs?: number;
  /** Makes a repeated request safe where the endpoint accepts a key. */
  idempotencyKey?: string;
}

type Part<Name extends string, T> = [T] extends [undefined]
  ? { [N in Name]?: undefined }
  : undefined extends T
    ? { [N in Name]?: T }
    : { [N in Name]: T };

/** The input of one endpoint. Query members are optional: the server has the defaults. */
export type CallInput<P, Q, B> = Part<'params', P> &
  ([Q] extends [undefined] ? { query?: undefined } : { query?: Partial<Q> }) &
  Part<'body', B> &
  Options;

type Rest<P, Q, B> =
  Record<never, never> extends CallInput<P, Q, B> ? [input?: CallInput<P, Q, B>] : [input: CallInput<P, Q, B>];

interface AnyInput extends Options {
  params?: unknown;
  query?: unknown;
  body?: unknown;
}

const sessionListeners = new Set<() => void>();

/** Calls `listener` at each 401 on a call that requires a session. Returns the function that stops it. */
export function whenSessionMissing(listener: () => void): () => void {
  sessionListeners.add(listener);
  return () => void sessionListeners.delete(listener);
}

/** Calls those listeners: the live connection may be the first to learn that the session has ended. */
export function reportSessionMissing(): void {
  for (const listener of sessionListeners) listener();
}

/**
 * Calls an endpoint. Returns the parsed body, `undefined` for 204. Throws {@link ApiProblem} for every refusal, {@link
 * NetworkFailure} when no answer arrived, and the signal's reason when aborted.
 */
export async function call<P, Q, B, R>(route: Route<P, Q, B, R>, ...[input]: Rest<P, Q, B>): Promise<R> {
  const given: AnyInput = input ?? {};
  const sentAt = Date.now();
  const response = await send(addressOf(route.path, given), requestOf(route, given), given);
  const date = Date.parse(response.headers.get('date') ?? '');
  if (!Number.isNaN(date)) observeServerTime({ from: date, to: date + 2000, sentAt });
  await refuseUnlessOk(response);
  // The reply comes from a server of the same version as this page, so the route's type describes its shape and it is not
  // parsed again.
  return (response.status === 204 ? undefined : await readJson(response)) as R;
}

/** Reads a file of our server. Throws as {@link call} does. */
export async function readFile(address: string): Promise<Blob> {
  const response = await openFile(address);
  try {
    return await response.blob();
  } catch {
    throw new NetworkFailure('unreachable');
  }
}

/** Asks whether our server serves a file, without reading it. Throws as {@link call} does. */
export async function checkFile(address: string): Promise<void> {
  const response = await openFile(address);
  await response.body?.cancel();
}

/** A file may come from the browser's cache, as elements get it. */
async function openFile(address: string): Promise<Response> {
  const response = await send(address, { method: 'GET', cache: 'default' }, { timeoutMs: FILE_TIMEOUT_MS });
  await refuseUnlessOk(response);
  return response;
}

async function refuseUnlessOk(response: Response): Promise<void> {
  if (response.ok) return;
  const problem = await readProblem(response);
  if (problem.code === 'session_missing') reportSessionMissing();
  throw problem;
}

/** Fills the parameters into `/api/projects/:id` and appends the query. */
export function addressOf(path: string, { params, query }: { params?: unknown; query?: unknown }): string {
  const values = new Map(Object.entries(params ?? {}));
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values.get(name))));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) search.set(name, String(value));
  }
  return search.size === 0 ? filled : `${filled}?${search}`;
}

function requestOf({ method }: Pick<Route, 'method'>, { body, idempotencyKey: key }: AnyInput): RequestInit {
  if (method === 'GET') return { method: 'GET' };
  // Changes must be declared as JSON: a form of another site cannot do that.
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) };
  const init: RequestInit = { method, headers };
  // A reviewer's text and numbers are sent exactly as written (jsonText).
  if (body !== undefined) init.body = jsonText(body);
  return init;
}

async function send(
  address: string,
  init: RequestInit,
  { signal, timeoutMs = TIMEOUT_MS }: Options,
): Promise<Response> {
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    return await fetch(address, {
      cache: 'no-store',
      ...init,
      credentials: 'same-origin',
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
  } catch {
    signal?.throwIfAborted();
    throw new NetworkFailure(limit.aborted ? 'timeout' : 'unreachable');
  }
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await parseBody(await response.text());
  } catch {
    throw new NetworkFailure('unreachable');
  }
}

/**
 * Suggestions of a pipeline and schemas of owners are read as they were written, by a parser that is loaded with the first of them.
 * All other answers are plain JSON.
 */
async function parseBody(text: string): Promise<unknown> {
  if (!/"(suggestion|answer_schema)":[^n]/.test(text)) return JSON.parse(text);
  const { parseJson } = await import('../values/json/lossless.ts');
  try {
    return parseJson(text);
  } catch {
    return JSON.parse(text);
  }
}

async function readProblem(response: Response): Promise<ApiProblem> {
  const seconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
  const retryAfter = Number.isNaN(seconds) ? null : seconds;
  const { status } = response;
  if (response.headers.get('content-type')?.includes('json')) {
    const body: unknown = await response.json().catch(() => null);
    if (isProblem(body)) return new ApiProblem(body, retryAfter);
  }
  // Not from our server: from a proxy, or an HTML page.
  const code = status === 401 ? 'session_missing' : status === 404 ? 'not_found' : 'unavailable';
  const request_id = response.headers.get('x-request-id') ?? undefined;
  return new ApiProblem({ status, code, request_id }, retryAfter);
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'status' in body;
}
