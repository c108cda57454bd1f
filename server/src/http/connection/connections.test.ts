// Connections beyond the limits are closed on arrival, per address and in total, with a reserve for the local machine.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryLimiter } from '../../limits/memory-limiter.ts';
import { policiesOf } from '../../limits/policies.ts';
import { limitConnections, type MaxConnections } from './connections.ts';

let http: Server;
const open: Socket[] = [];
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
});

async function serve(
  most: Partial<MaxConnections>,
  limiter: Parameters<typeof limitConnections>[2] = null,
): Promise<void> {
  // Idle connections stay open: only the limits close anything.
  http = createServer({ keepAliveTimeout: 0 }, (_, response) => void response.end('well'));
  limitConnections(http, { all: 100, ofAddress: Infinity, reserve: 0, ...most }, limiter);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
}

/** Whether a new connection gets a response; it stays open. */
async function isServed(localAddress: string): Promise<boolean> {
  const socket = connect({ port: (http.address() as AddressInfo).port, host: '127.0.0.1', localAddress });
  open.push(socket);
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const answered = new Promise<boolean>((resolve) => socket.once('data', () => resolve(true)));
  const closed = new Promise<boolean>((resolve) => socket.once('close', () => resolve(false)));
  return Promise.race([answered, closed]);
}

const [here, there] = ['127.0.0.1', '127.0.0.66'];

describe('A14: connections', () => {
  it('per address are limited: other addresses are served, and a closed connection frees a slot', async () => {
    await serve({ ofAddress: 2 });
    expect([await isServed(here), await isServed(here), await isServed(here)]).toEqual([true, true, false]);
    expect(await isServed(there)).toBe(true);
    open[0]?.destroy();
    await expect.poll(() => isServed(here)).toBe(true);
  });

  it('per process are limited, with a reserve for the local machine', async () => {
    await serve({ all: 1, reserve: 1 });
    expect([await isServed(here), await isServed(here), await isServed(here)]).toEqual([true, true, false]);
  });

  it('per process are limited, and remote clients cannot use the reserve of the local machine', async () => {
    await serve({ all: 1, reserve: 1 });
    expect(await isServed(here)).toBe(true);
    const elsewhere = new Socket();
    Object.defineProperty(elsewhere, 'remoteAddress', { value: '203.0.113.5' });
    http.emit('connection', elsewhere);
    expect(elsewhere.destroyed).toBe(true);
    expect(await isServed(here)).toBe(true);
  });

  it('connections that are idle are closed when the process is full, and those with a request stay', async () => {
    await serve({ all: 2 });
    http.removeAllListeners('request');
    http.on('request', ({ url }, response) => url === '/slow' || response.end('well'));
    const slow = connect({ port: (http.address() as AddressInfo).port, host: here });
    open.push(slow);
    const asked = once(http, 'request');
    slow.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await asked;
    expect(await isServed(here)).toBe(true);
    const idle = open.at(-1);
    const elsewhere = new Socket();
    Object.defineProperty(elsewhere, 'remoteAddress', { value: '203.0.113.5' });
    http.emit('connection', elsewhere);
    await expect.poll(() => idle?.closed).toBe(true);
    expect(slow.closed).toBe(false);
  });

  it('of one address are rate limited, whether or not the earlier ones are still open', async () => {
    let now = 0;
    const policies = { ...policiesOf(), connection: { quota: 2, windowSeconds: 10 } };
    await serve({}, createMemoryLimiter(policies, { now: () => new Date(now) }));
    const comes = async (from: string) => {
      const served = await isServed(from);
      open.at(-1)?.destroy();
      return served;
    };
    expect([await comes(here), await comes(here), await comes(here)]).toEqual([true, true, false]);
    expect(await comes(there)).toBe(true);
    now += 5000;
    expect([await comes(here), await comes(here)]).toEqual([true, false]);
  });
});
