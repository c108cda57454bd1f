// Sends one request and reads the whole response, with a time limit and an abort signal that leak nothing.
import { NetworkError } from './errors.ts';

/** The part of a `fetch` request that the client uses. */
export interface HttpRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** Aborts when the caller cancels or the time limit passes. */
  readonly signal: AbortSignal;
  /** An API key and a body are for one address: a redirect is reported, not followed. */
  readonly redirect: 'manual';
  /** Cookies are ignored by the public API. */
  readonly credentials: 'omit';
}

/** The part of a `fetch` response that the client uses. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** `fetch` or a compatible function: rejects without a response; a response of any status resolves. */
export type Fetch = (url: string, request: HttpRequest) => Promise<HttpAnswer>;

export type Outgoing = Pick<HttpRequest, 'method' | 'headers' | 'body'> & { readonly url: string };
export type Incoming = Pick<HttpAnswer, 'status' | 'headers'> & { readonly text: string };

/**
 * Sends one request and reads the response to its end. Errors: `NetworkError` without a complete response within
 * `timeoutSeconds`; the reason of the signal when it aborted first.
 */
export async function sendOnce(
  fetch: Fetch,
  { url, ...outgoing }: Outgoing,
  { timeoutSeconds, signal }: { timeoutSeconds: number; signal?: AbortSignal | undefined },
): Promise<Incoming> {
  signal?.throwIfAborted();
  // Not `AbortSignal.any`: Node 20.0 lacks it, and it retains every call that shares a long-lived signal.
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  let late = false;
  const onTimeout = (): void => {
    late = true;
    stop.abort();
  };
  const timer = setTimeout(onTimeout, timeoutSeconds * 1000);
  try {
    const request = { ...outgoing, signal: stop.signal, redirect: 'manual', credentials: 'omit' } as const;
    const answer = await fetch(url, request);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  } catch (error) {
    signal?.throwIfAborted();
    throw new NetworkError(late ? `no response within ${timeoutSeconds} s` : reasonOf(error), error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Node's `fetch` puts the reason into the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'network error';
  for (const fault of [error.cause, error]) {
    if (fault instanceof Error && 'code' in fault && typeof fault.code === 'string') return fault.code;
  }
  return error.cause instanceof Error ? error.cause.message : error.message;
}
