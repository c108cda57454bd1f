// Tests which responses are compressed: none with a secret, and only for our own pages (A23).
import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Koa from 'koa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Endpoint } from '@countersign/shared/contract/endpoint';
import { ENDPOINTS, endpointOf } from '@countersign/shared/contract/endpoints';
import { readOpenApi } from '@countersign/shared/routes/openapi';
import { readItem } from '@countersign/shared/routes/public';
import { listQueue } from '@countersign/shared/routes/queue';
import { readWebhook } from '@countersign/shared/routes/webhook';
import { compressResponse, mayCompress } from './compression.ts';

/** Names of what nobody else may learn. */
const SECRET = /(^|_)(secrets?|token|nonce|signature|password|cookie|csrf|api_key|url)$/;

/** The names of members anywhere in its response. */
const namesIn = ({ reply }: Endpoint): string[] => {
  if (reply === null) return [];
  const schema = JSON.stringify(z.toJSONSchema(reply, { unrepresentable: 'any', io: 'input' }));
  return [...schema.matchAll(/"(\w+)":\{/g)].map(([, name = '']) => name);
};

const endpoints = ENDPOINTS.map(([name, endpoint]) => [name, endpoint] as const);

describe('A23: whether a response may be compressed', () => {
  it.each(endpoints)('%s: not with a secret, nor after a change, nor for a pipeline', (_, endpoint) => {
    const secrets = namesIn(endpoint).filter((name) => SECRET.test(name));
    const isDescription = endpoint.path === readOpenApi.path;
    const expected = isDescription || (endpoint.method === 'GET' && endpoint.auth === 'session');
    const isListed = mayCompress(endpoint);
    if (!expected) expect(isListed).toBe(false);
    if (isListed && !isDescription) expect(secrets).toEqual([]);
  });

  it('leaves few out: pages read most of what they show compressed', () => {
    const read = endpoints.filter(([, { method, auth }]) => method === 'GET' && auth === 'session');
    const left = read.filter(([, endpoint]) => !mayCompress(endpoint)).map(([name]) => name);
    expect(left.sort()).toEqual([
      'listChanges',
      'listEndpoints',
      'listInboundSources',
      'listProjects',
      'readDelivery',
      'readOnboarding',
      'readProject',
      'readWebhook',
    ]);
  });
});

const LARGE = JSON.stringify({ data: Array.from({ length: 200 }, (_, index) => `The item number ${index}`) });
const shared = Buffer.from(LARGE);
let url: string;
let served: { endpoint: Endpoint; body: string | Buffer };
const app = new Koa().use(async (ctx) => {
  ctx.body = served.body;
  ctx.type = 'application/json';
  await compressResponse(ctx, served.endpoint);
});
const callback = app.callback();
const server = createServer((incoming, response) => void callback(incoming, response));
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => void server.close());

const PAGE = { 'sec-fetch-site': 'same-origin', 'accept-encoding': 'gzip, deflate, br' };

async function ask(
  of: typeof served,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ headers: IncomingMessage['headers']; bytes: Buffer }> {
  served = of;
  const [response] = (await once(request(url, { method, headers }).end(), 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { headers: response.headers, bytes: Buffer.concat(chunks) };
}

const queue = { endpoint: endpointOf(listQueue) as Endpoint, body: LARGE };

describe('A23: a response', () => {
  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
  ])('is compressed for a page that accepts %s', async (accepted, encoding) => {
    const { headers, bytes } = await ask(queue, { ...PAGE, 'accept-encoding': accepted });
    expect(headers).toMatchObject({ 'content-encoding': encoding, 'content-type': 'application/json; charset=utf-8' });
    expect(Number(headers['content-length'])).toBe(bytes.length);
    expect(bytes.length).toBeLessThan(LARGE.length / 4);
    const plain = encoding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes);
    expect(plain.toString()).toBe(LARGE);
    expect(headers.vary).toBe('accept-encoding, sec-fetch-site');
  });

  it('has the same headers for HEAD, and no content', async () => {
    const [get, head] = [await ask(queue, PAGE), await ask(queue, PAGE, 'HEAD')];
    const of = ({ headers }: typeof get) => [headers['content-encoding'], headers['content-length'], headers.vary];
    expect([of(head), head.bytes.length]).toEqual([of(get), 0]);
  });

  const webhook = { endpoint: endpointOf(readWebhook) as Endpoint, body: LARGE };
  const item = { endpoint: endpointOf(readItem) as Endpoint, body: LARGE };
  it.each<[string, typeof served, Record<string, string>]>([
    ['for a client that accepts none', queue, { ...PAGE, 'accept-encoding': 'identity' }],
    ['for a client that says nothing of it', queue, { 'sec-fetch-site': 'same-origin' }],
    ['for a page of another site', queue, { ...PAGE, 'sec-fetch-site': 'cross-site' }],
    ['for a page of a sibling', queue, { ...PAGE, 'sec-fetch-site': 'same-site' }],
    ['for an address that was typed', queue, { ...PAGE, 'sec-fetch-site': 'none' }],
    ['for a browser that does not say who asks', queue, { 'accept-encoding': 'br' }],
    ['below two kibibytes', { ...queue, body: LARGE.slice(0, 2047) }, PAGE],
    ['with a secret', webhook, PAGE],
    ['for a pipeline', item, PAGE],
  ])('is sent as it is %s', async (_, of, headers) => {
    const answer = await ask(of, headers);
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.bytes.toString()).toBe(of.body.toString());
  });

  it('is compressed once where it is the same for everybody, for any client', async () => {
    const of = { endpoint: endpointOf(readOpenApi) as Endpoint, body: shared };
    const [first, second] = [await ask(of, { 'accept-encoding': 'br' }), await ask(of, { 'accept-encoding': 'br' })];
    expect(brotliDecompressSync(first.bytes).toString()).toBe(LARGE);
    expect(second.bytes).toEqual(first.bytes);
    expect(second.headers.vary).toBe('accept-encoding');
  });
});
