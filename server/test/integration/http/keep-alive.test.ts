// Tests several requests on one connection: a refused one must not affect the next.
import { Agent, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProjectFixture, type ProjectFixture } from '../support/project-fixture.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let fixture: ProjectFixture;
let served: Served;

beforeAll(async () => {
  fixture = await createProjectFixture(inside.services);
  served = await serve(inside.services);
});
afterAll(() => served.close());

/** Sends a request over the agent's one connection, and reads the response to its end. */
async function send(agent: Agent, sent: { method: string; path: string; headers?: object; body?: Buffer }) {
  const headers = { 'x-api-key': fixture.apiKey, 'content-type': 'application/json', ...sent.headers };
  const outgoing = request(served.testEnv.url() + sent.path, { method: sent.method, headers, agent });
  outgoing.end(sent.body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return { status: answer.statusCode, reused: outgoing.reusedSocket };
}

describe('a refused body', () => {
  const large = Buffer.alloc(1024 * 1024, 'x');
  const noise = randomBytes(2 * 1024 * 1024);

  it.each<[string, object, Buffer, number]>([
    ['too large, plain', {}, large, 413],
    ['too large after decompression', { 'content-encoding': 'gzip' }, gzipSync(noise), 413],
    ['not of its declared encoding', { 'content-encoding': 'gzip' }, large, 400],
    ['in an unknown encoding', { 'content-encoding': 'zstd' }, large, 415],
    ['not declared as JSON', { 'content-type': 'text/plain' }, large, 415],
  ])('%s: leaves the connection usable for the next request', async (_, headers, body, status) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      const refused = await send(agent, { method: 'POST', path: '/api/public/items', headers, body });
      expect(refused.status).toBe(status);
      const next = await send(agent, { method: 'GET', path: '/api/public/items?limit=1' });
      expect(next).toEqual({ status: 200, reused: true });
    } finally {
      agent.destroy();
    }
  });
});
