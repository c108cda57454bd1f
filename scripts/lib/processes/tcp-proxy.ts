// A round-robin TCP proxy in front of several server processes, like the proxy in production.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface FrontProxy {
  /** The address browsers open; it must be PUBLIC_BASE_URL of every process behind. */
  readonly url: string;
  /** Where connections go from now on. */
  serve(urls: readonly string[]): void;
  /** Ends every connection, and every new one at once, until `serve` is called again: the network is gone. */
  cut(): void;
  close(): Promise<void>;
}

/** Starts listening before there is anything behind it, so that the processes can be told their public address. `port`: 0, any. */
export async function startFrontProxy(port = 0): Promise<FrontProxy> {
  let targets: number[] = [];
  let turn = 0;
  const open = new Set<Socket>();
  /** A process that refuses connections is skipped: it is restarting. */
  const join = (client: Socket, tries: number): void => {
    const target = targets[turn++ % targets.length];
    if (target === undefined || tries === 0) return void client.destroy();
    const upstream = connect(target, '127.0.0.1');
    const lost = () => client.destroy();
    const refused = () => join(client, tries - 1);
    client.once('error', () => upstream.destroy());
    upstream.once('error', refused);
    upstream.once('connect', () => {
      upstream.off('error', refused).on('error', lost);
      client.pipe(upstream).pipe(client);
    });
  };
  const server: Server = createServer((client) => {
    open.add(client);
    client.on('error', () => undefined);
    client.once('close', () => open.delete(client));
    join(client, targets.length);
  });
  const hangUp = () => open.forEach((client) => client.destroy());
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    serve: (urls) => (targets = urls.map((url) => Number(new URL(url).port))),
    cut: () => {
      targets = [];
      hangUp();
    },
    close: async () => {
      server.close();
      // Remaining clients get no response any more: everything behind has stopped.
      hangUp();
      await once(server, 'close');
    },
  };
}
