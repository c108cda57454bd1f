// Unauthenticated pages and files: limited per address, by rate and by unread responses.
import { once } from 'node:events';
import { get, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import Koa from 'koa';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { ANONYMOUS, EXPECTED } from '../../limits/memory-limits.ts';
import { createMemoryLimiter } from '../../limits/memory-limiter.ts';
import { policiesOf } from '../../limits/policies.ts';
import { MemoryBudget } from '../../limits/memory-budget.ts';
import { anonymous } from '../app.ts';
import { health } from './health.ts';
import { problems } from '../response/problem.ts';

/** More than the kernel buffers of both ends can hold. */
const LARGE = Buffer.alloc(32 * 1024 * 1024);
const [HERE, THERE] = ['127.0.0.1', '127.0.0.66'];
let server: Server;
let budget: MemoryBudget;
let probed: number;
let answerProbe: (good: boolean) => void;

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function serve({ quota = 1000 } = {}): Promise<void> {
  budget = new MemoryBudget({ ...ANONYMOUS, perStranger: 2 * EXPECTED.small, waitMs: 1 });
  probed = 0;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  answerProbe = resolve;
  const probe = () => ((probed += 1), promise);
  const policies = { ...policiesOf(), anonymous: { quota, windowSeconds: 10 } };
  const limiter = createMemoryLimiter(policies, { now: () => new Date(0) });
  const app = new Koa();
  app.use(problems(pino({ level: 'silent' })));
  app.use(health({ phase: () => 'serving', database: probe, lockStore: () => Promise.resolve(true) }));
  app.use(anonymous({ limiter, memory: { anonymous: budget } }));
  app.use((ctx) => void (ctx.body = ctx.path === '/large' ? LARGE : 'small'));
  server = app.listen(0, HERE);
  await once(server, 'listening');
}

const port = () => (server.address() as AddressInfo).port;

async function ask(path: string, localAddress = HERE) {
  const asked = get({ host: HERE, port: port(), path, localAddress, agent: false });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
}

describe('RL10: an unauthenticated request', () => {
  it('is counted by address, and a connection over the limit is closed', async () => {
    await serve({ quota: 2 });
    expect([(await ask('/')).status, (await ask('/nowhere')).status]).toEqual([200, 200]);
    const { status, headers } = await ask('/');
    expect([status, headers['retry-after'], headers.connection]).toEqual([429, '5', 'close']);
    expect((await ask('/', THERE)).status).toBe(200);
    expect((await ask('/healthz')).status).toBe(200);
  });

  it('is not counted for the readiness probe, which all concurrent callers share', async () => {
    await serve({ quota: 1 });
    const asked = Array.from({ length: 5 }, () => ask('/readyz'));
    await expect.poll(() => probed).toBe(1);
    // Waits until all connections have arrived.
    const connections = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
    await expect.poll(connections).toBe(5);
    await ask('/healthz');
    answerProbe(true);
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(probed).toBe(1);
  });
});

it('MB7: shared responses that are never read count by address, and other addresses are served', async () => {
  await serve();
  const unread = Array.from({ length: 2 }, () => {
    const socket = connect(port(), HERE).on('error', () => undefined);
    socket.pause().write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    return socket;
  });
  await expect.poll(() => budget.taken).toBe(2 * EXPECTED.small);
  expect((await ask('/')).status).toBe(503);
  expect((await ask('/', THERE)).status).toBe(200);
  for (const socket of unread) socket.destroy();
  await expect.poll(() => budget.taken).toBe(0);
  expect((await ask('/')).status).toBe(200);
});
