// A strict webhook consumer on loopback: verifies each request three ways, records it, and responds as the test sets.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { expect } from 'vitest';
import { HEADERS, verifyWebhook } from '@countersign/shared/webhook';
import {
  type DecisionRevised,
  type ItemDecided,
  type ItemExpired,
  type ItemWithdrawn,
  webhookEvent,
} from '@countersign/shared/schemas/parts/webhook-events';
import { exactly } from './client.ts';
import { ObservedList } from './observed-list.ts';

/** One request as it arrived. */
export interface Arrival {
  webhookId: string;
  /** The number in x-webhook-attempt. */
  attempt: number;
  body: string;
  event: ItemDecided | DecisionRevised;
  headers: Record<string, string | undefined>;
  /** When it arrived, in ms since the epoch. */
  at: number;
}

/** A test event as it arrived; it is no delivery and not among the arrivals. */
export type TestArrival = Pick<Arrival, 'webhookId' | 'attempt' | 'body' | 'headers'>;

/** The end of an item without a decision, as it arrived. */
export type EndingArrival = TestArrival & { event: ItemWithdrawn | ItemExpired };

export interface Reply {
  status: number;
  headers?: Record<string, string>;
}

export interface Receiver {
  readonly url: string;
  /** Verifies requests of this project with this secret, as the owner was shown it. */
  trust(projectId: string, secret: string): void;
  /** The status for decisions from now on; a promise holds the request until it resolves. Default: 200. Test events get 200. */
  answer: (arrival: Arrival) => Reply | Promise<Reply>;
  /** Everything that arrived and verified, in order. */
  readonly arrivals: readonly Arrival[];
  /** The same for ends without a decision. */
  readonly endings: readonly EndingArrival[];
  /**
   * The first arrival (with this webhook-id, or of this item) that no earlier `next` has returned; waits for it (`within` ms, 25
   * s).
   */
  next(id?: string, within?: number): Promise<Arrival>;
  /** The first end without a decision that no earlier call has returned; waits for it. */
  nextEnding(): Promise<EndingArrival>;
  /** The first test event that no earlier call has returned; waits for it. */
  nextTest(): Promise<TestArrival>;
  /** How many requests came, by webhook-id. */
  counts(): Record<string, number>;
  /** Stops. Throws when a request did not verify, violated the contract, or had other bytes under the same id. */
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const arrivals = new ObservedList<Arrival>('webhook');
  const tests = new ObservedList<TestArrival>('test event');
  const endings = new ObservedList<EndingArrival>('ending');
  const bodies = new Map<string, string>();
  const faults: unknown[] = [];
  const secrets = new Map<string, string>();
  const server = createServer((request, response) => {
    take(request, response).catch((fault: unknown) => {
      faults.push(fault);
      arrivals.fail(fault);
      response.writeHead(401).end();
    });
  });
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const { event, ...rest } = await verified(request, secrets);
    if (event.event === 'project.attention') return void response.writeHead(200).end();
    if (event.event === 'webhook.test') {
      tests.add(rest);
      return void response.writeHead(200).end();
    }
    const before = bodies.get(rest.webhookId);
    if (before !== undefined) expect(rest.body, `bytes of ${rest.webhookId}`).toBe(before);
    bodies.set(rest.webhookId, rest.body);
    if (event.event === 'item.withdrawn' || event.event === 'item.expired') {
      endings.add({ ...rest, event });
      return void response.writeHead(200).end();
    }
    const arrival = { ...rest, event };
    arrivals.add(arrival);
    const { status, headers } = await receiver.answer(arrival);
    response.writeHead(status, headers).end();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    trust: (projectId, secret) => void secrets.set(projectId, secret),
    answer: () => ({ status: 200 }),
    arrivals: arrivals.all,
    endings: endings.all,
    next: (id, within) =>
      arrivals.next(({ webhookId, event }) => [undefined, webhookId, event.item_id].includes(id), id ?? 'any', within),
    nextEnding: () => endings.next(() => true, 'any'),
    nextTest: () => tests.next(() => true, 'any'),
    counts: () => countBy(arrivals.all),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      if (faults.length > 0) throw faults[0];
    },
  };
  return receiver;
}

/** Reads the request and verifies it: plain HMAC by node:crypto, the standardwebhooks and svix packages, and our own `verifyWebhook`. */
async function verified(request: IncomingMessage, secrets: Map<string, string>) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('utf8');
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  // The unverified body only selects which secret to try.
  const { project_id: projectId } = JSON.parse(body) as { project_id: string };
  const secret = secrets.get(projectId) ?? 'no secret known';
  expect(request.method).toBe('POST');
  expect(headers['content-type']).toBe('application/json');
  expect(headers[HEADERS.signature]).toBe(createHmac('sha256', secret).update(body).digest('hex'));
  new Webhook(secret).verify(body, headers);
  new SvixWebhook(secret).verify(body, headers);
  expect(await verifyWebhook(body, headers, { secret, now: Date.now() / 1000 })).toBe(true);
  const webhookId = headers[HEADERS.id] ?? '';
  expect(webhookId).toMatch(/^evt_/);
  const event = exactly(webhookEvent, body);
  return { webhookId, attempt: Number(headers[HEADERS.attempt]), body, event, headers, at: Date.now() };
}

function countBy(arrivals: readonly Arrival[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { webhookId } of arrivals) counts[webhookId] = (counts[webhookId] ?? 0) + 1;
  return counts;
}
