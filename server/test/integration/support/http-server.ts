// Serves HTTP over the test's own services: a real port, in this process, so that a test can inspect and break things.
import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../../src/http/app.ts';
import { createHttpServer, type HttpTimeouts } from '../../../src/http/connection/server.ts';
import type { Probes } from '../../../src/http/middleware/health.ts';
import type { RoundRobin } from '../../../src/limits/round-robin.ts';
import type { Traces } from '../../../src/telemetry/steps.ts';
import { createTelemetry } from '../../../src/telemetry/telemetry.ts';
import type { Services } from '../../../src/usecases/services.ts';
import { watchedLogger } from '../../log-watch.ts';
import type { TestEnvironment } from '../../test-environment.ts';

export interface Served {
  /** The part of a test environment that the callers of `client.ts` need. */
  testEnv: TestEnvironment;
  /** The logged failures (`internal`), with their errors. */
  failures: { path: string; err: { message: string } }[];
  close(): Promise<void>;
}

/** Entries from this level on are failures. */
const ERROR = 50;

interface ServeOptions {
  /** TRUSTED_PROXY_HOPS. */
  proxyHops?: number;
  /** The timeout for receiving a request. */
  patience?: Partial<HttpTimeouts>;
  /** Whose large body is read next; default: as in a server process. */
  bodies?: RoundRobin;
  /** Receives the steps of items. */
  traces?: Pick<Traces, 'send'>;
}

export async function serve(
  services: Services,
  { proxyHops = 0, patience, bodies, traces }: ServeOptions = {},
): Promise<Served> {
  const failures: Served['failures'] = [];
  const log = watchedLogger((line) => {
    const logEntry = JSON.parse(line) as Served['failures'][number] & { level: number };
    if (logEntry.level >= ERROR) failures.push(logEntry);
  });
  const probes: Probes = {
    phase: () => 'serving',
    database: () => Promise.resolve(true),
    lockStore: () => Promise.resolve(true),
  };
  const app = createApp(
    { ...services, log },
    { site: null, probes, proxyHops, metrics: { source: createTelemetry(traces), token: null } },
  );
  const handle = app.callback();
  const server = createHttpServer((request, response) => void handle(request, response), patience, bodies);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const testEnv: Pick<TestEnvironment, 'baseUrl' | 'url'> = { baseUrl: services.baseUrl, url: () => url };
  return {
    testEnv: testEnv as TestEnvironment,
    failures,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export interface Sent {
  method: string;
  path: string;
  /** Several values become several header lines. */
  headers?: Record<string, string | string[]>;
  /** Sent as it is; several parts are sent one by one, chunked. */
  body?: string | Buffer | Buffer[] | undefined;
}

export interface Raw {
  status: number;
  headers: Headers;
  text: string;
}

/** Timeout of a response, in milliseconds, after which it counts as a hang. */
const HANG_MS = 20_000;

/** Sends one request with any method, path and bytes, also those that `fetch` refuses to send. */
export async function ask(served: Served, { method, path, headers = {}, body }: Sent): Promise<Raw> {
  const { promise, resolve, reject } = Promise.withResolvers<Raw>();
  const length = body === undefined || Array.isArray(body) ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const sent = httpRequest(
    served.testEnv.url(),
    { method, path, headers: { ...length, ...headers }, signal: AbortSignal.timeout(HANG_MS) },
    (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: toHeaders(answer.headers),
          text: Buffer.concat(chunks).toString(),
        }),
      );
    },
  );
  // A refusal may close the connection while the rest of the body is still under way: the response counts.
  sent.on('error', (error) => setTimeout(() => reject(error), 5000));
  if (Array.isArray(body)) for (const part of body) sent.write(part);
  sent.end(Array.isArray(body) ? undefined : body);
  return promise;
}

function toHeaders(headers: IncomingHttpHeaders): Headers {
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Headers(pairs);
}
