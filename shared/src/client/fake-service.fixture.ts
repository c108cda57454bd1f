// A fake service for client tests: a real HTTP server with scripted behaviour.
/// <reference types="node" />
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createClient, type Client, type ClientOptions } from '../client.ts';
import type { RetryClock } from './retry.ts';

export const PROJECT = '0199c0de-7a7e-7000-8000-00000000000a';
export const ITEM = '0199c0de-7a7e-7000-8000-0000000000ff';

export const NEW_ITEM = { project_id: PROJECT, input: { question: 'Why?' }, suggestion: 'Because.', confidence: 0.83 };

export interface Seen {
  readonly method: string;
  /** Path and query as received. */
  readonly url: string;
  /** The Idempotency-Key. */
  readonly key: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}
/** The response to a request; `attempt` counts from 1 per idempotency key. */
export type Behaviour = (seen: Seen, attempt: number, response: ServerResponse) => unknown;

const closing: (() => void)[] = [];

export function closeServices(): void {
  for (const close of closing.splice(0)) close();
}

/** Starts a service on a free port; `requests` lists the received requests. */
export async function fakeService(behaviour: Behaviour): Promise<{ url: string; requests: Seen[] }> {
  const requests: Seen[] = [];
  const attempts = new Map<string, number>();
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      const { method = '', url = '', headers } = request;
      const seen = { method, url, key: String(headers['idempotency-key']), body, headers };
      requests.push(seen);
      const attempt = (attempts.get(seen.key) ?? 0) + 1;
      attempts.set(seen.key, attempt);
      return behaviour(seen, attempt, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server must have a port.');
  return { url: `http://127.0.0.1:${address.port}`, requests };
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += String(part);
  return text;
}

export function answer(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Responds as the service does when it accepts an item. */
export function take(response: ServerResponse, status = 'queued', headers: Record<string, string> = {}): void {
  response.writeHead(201, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ id: ITEM, status, decision: null }));
}

/** Responds with a problem; `retryAfter` is the header value, every other property a member of the body. */
export function refuse(
  response: ServerResponse,
  fault: { status: number; code: string; retryAfter?: string; errors?: object[]; item?: object },
): void {
  const { retryAfter, ...members } = fault;
  const headers = { 'content-type': 'application/problem+json', 'x-request-id': 'r-1' };
  response.writeHead(fault.status, retryAfter === undefined ? headers : { ...headers, 'retry-after': retryAfter });
  response.end(JSON.stringify({ ...members, detail: `about ${fault.code}` }));
}

/**
 * A clock that only `sleep` advances, so tests never wait. It starts at 1 000 s; `slept` lists the waits in
 * milliseconds.
 */
export function fakeClock(random: () => number = () => 1): { slept: number[]; clock: RetryClock } {
  let now = 1_000_000;
  const slept: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    slept.push(ms);
    now += ms;
  };
  return { slept, clock: { now: () => now, random, sleep } };
}

/** A client of a new fake service; it never really waits, and `slept` lists the waits in milliseconds. */
export async function connected(
  behaviour: Behaviour,
  options: Partial<ClientOptions> = {},
): Promise<{ api: Client; requests: Seen[]; slept: number[] }> {
  const { url, requests } = await fakeService(behaviour);
  const { clock, slept } = fakeClock();
  return { api: createClient({ baseUrl: url, apiKey: 'csk_test', ...clock, ...options }), requests, slept };
}

/** The error that the promise rejects with; undefined when it resolves. */
export function failed(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}
