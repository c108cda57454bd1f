// How long an idle connection stays open: longer than in any proxy in front.
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpServer, type HttpTimeouts } from './server.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n';
let server: Server;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

async function serve(patience: Partial<HttpTimeouts> = {}): Promise<number> {
  server = createHttpServer((_, response) => void response.end('ok'), patience).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function open(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

describe('A15: an idle connection', () => {
  /** One request over a keep-alive connection, to the end of its response. */
  const askOver = async (socket: Socket): Promise<string> => {
    socket.write(`${REQUEST}\r\n`);
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    return chunk.toString();
  };

  it.each([
    ['nginx, AWS', 60],
    ['others', 75],
    ['Caddy', 120],
  ])('stays open longer than in %s, and says so', async (_, seconds) => {
    const said = await askOver(open(await serve()));
    expect(Number(/^keep-alive: timeout=(\d+)/im.exec(said)?.[1])).toBeGreaterThan(seconds);
  });

  it('stays open for the configured time', async () => {
    const said = await askOver(open(await serve({ keepAliveMs: 620_000 })));
    expect(said).toMatch(/^keep-alive: timeout=620\r$/im);
  });

  it('outlives the header timeout, and serves the next request', async () => {
    const port = await serve({ headersMs: 60, requestMs: 120, checkEveryMs: 20 });
    const kept = open(port);
    expect(await askOver(kept)).toContain('200 OK');
    // Other connections run into that timeout meanwhile, one after the other.
    for (let n = 0; n < 3; n += 1) await once(open(port).resume(), 'close');
    expect(await askOver(kept)).toContain('200 OK');
  });
});
