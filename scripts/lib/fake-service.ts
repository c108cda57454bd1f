// A stand-in for the service, for the tests of the submitter: a real HTTP server that behaves as badly as a test wants.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readLines } from './read-lines.ts';
import { submitFile, type SubmitOptions } from './submit-file.ts';
import { LINE_BYTES } from './submit-line.ts';
import type { Pace } from './submit-request.ts';
import type { Summary } from './submit-tally.ts';

export const PROJECT = '0199c0de-7a7e-7000-8000-00000000000a';
export const ITEM = '0199c0de-7a7e-7000-8000-0000000000ff';

interface Seen {
  readonly key: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}
/** What the service does with a request; `attempt` counts from 1 per idempotency key. */
type Behaviour = (seen: Seen, attempt: number, response: ServerResponse) => unknown;

const closing: (() => void)[] = [];

export function closeServices(): void {
  for (const close of closing.splice(0)) close();
}

/** Starts a service on a free port; `requests` lists what came in. */
export async function fakeService(behaviour: Behaviour): Promise<{ url: string; requests: Seen[] }> {
  const requests: Seen[] = [];
  const attempts = new Map<string, number>();
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      const key = String(request.headers['idempotency-key']);
      const seen = { key, body, headers: request.headers };
      requests.push(seen);
      const attempt = (attempts.get(key) ?? 0) + 1;
      attempts.set(key, attempt);
      return behaviour(seen, attempt, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return { url: `http://127.0.0.1:${address.port}`, requests };
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += String(part);
  return text;
}

/** Answers as the service does when it takes an item. */
export function take(response: ServerResponse, status = 'queued', headers: Record<string, string> = {}): void {
  response.writeHead(201, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ id: ITEM, status, decision: null }));
}

/** Answers with a problem; `retryAfter` is the header's value, everything else a member of the body. */
export function refuse(
  response: ServerResponse,
  fault: { status: number; code: string; retryAfter?: string; errors?: object[] },
): void {
  const { retryAfter, ...members } = fault;
  response.writeHead(fault.status, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
  response.end(JSON.stringify({ ...members, detail: `about ${fault.code}` }));
}

/** A clock that only sleeping moves: nothing is waited for. It starts at 1 000 s; `slept` lists the waits in milliseconds. */
export function fakePace(): { slept: number[]; pace: Pace } {
  let now = 1_000_000;
  const slept: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    slept.push(ms);
    now += ms;
  };
  return { slept, pace: { now: () => now, random: () => 1, sleep } };
}

/** Submits a file's text with four workers, unless told otherwise. */
export function run(url: string, text: string, options: Partial<SubmitOptions> = {}): Promise<Summary> {
  return submitFile(readLines(bytes(text), LINE_BYTES), {
    url,
    apiKey: 'csk_test',
    projectId: PROJECT,
    concurrency: 4,
    pace: fakePace().pace,
    signal: new AbortController().signal,
    ...options,
  });
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** The text of a file with so many items, `{"input":0}` and on. */
export function items(count: number): string {
  return Array.from({ length: count }, (_, index) => `{"input":${index}}\n`).join('');
}
