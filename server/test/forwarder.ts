// A TCP proxy with a fixed address and a replaceable target: simulates an outage of Redis.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Forwarder {
  /** The address, which never changes. */
  readonly url: string;
  /** New connections go there; null: they are cut at once, and so is every open one. */
  target(url: string | null): void;
  /** Holds all bytes in both directions without an error; they arrive when it ends. */
  blackhole(silent: boolean): void;
  close(): Promise<void>;
}

export async function startForwarder(protocol: string): Promise<Forwarder> {
  let behind: URL | null = null;
  const sockets = new Set<Socket>();
  const trackSocket = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  let silent = false;
  /** Does not read what arrives. */
  const pauseOrResume = (socket: Socket) => (silent ? socket.pause() : socket.resume());
  const cut = () => sockets.forEach((socket) => socket.destroy());
  const server = createServer((frontProxy) => {
    trackSocket(frontProxy);
    if (behind === null) return void frontProxy.destroy();
    const back = connect(Number(behind.port), behind.hostname);
    trackSocket(back);
    frontProxy.on('close', () => back.destroy());
    back.on('close', () => frontProxy.destroy());
    frontProxy.pipe(back).pipe(frontProxy);
    for (const socket of [frontProxy, back]) pauseOrResume(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: (url) => {
      behind = url === null ? null : new URL(url);
      cut();
    },
    blackhole: (now) => {
      silent = now;
      sockets.forEach(pauseOrResume);
    },
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
