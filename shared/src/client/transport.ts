// One request and its whole answer, with a time limit and an abort that leave nothing behind.
import { NetworkError } from './errors.ts';

/** The part of a `fetch` request that the client uses. */
export interface HttpRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** Fires when the caller gives up or the time limit is over. */
  readonly signal: AbortSignal;
  /** An API key and a body are for one address: the answer says where it moved, a person decides. */
  readonly redirect: 'manual';
  /** Cookies are ignored by the public API. */
  readonly credentials: 'omit';
}

/** The part of a `fetch` answer that the client reads. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** `fetch`, or anything that does the same: rejects when no answer came, an answer of any status is one. */
export type Fetch = (url: string, request: HttpRequest) => Promise<HttpAnswer>;

export type Outgoing = Pick<HttpRequest, 'method' | 'headers' | 'body'> & { readonly url: string };
export type Incoming = Pick<HttpAnswer, 'status' | 'headers'> & { readonly text: string };

/**
 * Sends once and reads the answer to its end. Errors: `NetworkError` when no whole answer came within `timeoutSeconds`;
 * the signal's reason when it fired first.
 */
export async function sendOnce(
  fetch: Fetch,
  { url, ...outgoing }: Outgoing,
  { timeoutSeconds, signal }: { timeoutSeconds: number; signal?: AbortSignal },
): Promise<Incoming> {
  signal?.throwIfAborted();
  // By hand, because `AbortSignal.any` is missing in Node 20.0 and keeps every call alive that shares a long-lived signal.
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
    throw new NetworkError(late ? `no answer within ${timeoutSeconds} s` : reasonOf(error), error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** `fetch` of Node hides the reason in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'network error';
  for (const fault of [error.cause, error]) {
    if (fault instanceof Error && 'code' in fault && typeof fault.code === 'string') return fault.code;
  }
  return error.cause instanceof Error ? error.cause.message : error.message;
}
