// A TCP door with a fixed address and a house behind it that may burn down and be rebuilt elsewhere: Redis for a world that loses it.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Forwarder {
  /** The same address all the time. */
  readonly url: string;
  /** New connections go there; null: they are cut at once, and so is every open one. */
  target(url: string | null): void;
  close(): Promise<void>;
}

export async function startForwarder(protocol: string): Promise<Forwarder> {
  let behind: URL | null = null;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const cut = () => sockets.forEach((socket) => socket.destroy());
  const server = createServer((front) => {
    keep(front);
    if (behind === null) return void front.destroy();
    const back = connect(Number(behind.port), behind.hostname);
    keep(back);
    front.on('close', () => back.destroy());
    back.on('close', () => front.destroy());
    front.pipe(back).pipe(front);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: (url) => {
      behind = url === null ? null : new URL(url);
      cut();
    },
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
