// Receives the webhooks of all programs of the race, and records when that of an item arrived.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PeerReceiver {
  url: string;
  /** Resolves with the time (`performance.now`) at which a webhook that names this item arrived; at once if it has. */
  arrival(id: string): Promise<number>;
  close(): void;
}

/** Ids are found as whole words or numbers in the body: each program has its own shape. */
export async function startPeerReceiver(): Promise<PeerReceiver> {
  const arrived = new Map<string, number>();
  const awaited = new Map<string, (at: number) => void>();
  const note = (id: string, at: number) => {
    if (!arrived.has(id)) arrived.set(id, at);
    awaited.get(id)?.(at);
    awaited.delete(id);
  };
  const server = createServer((incoming, response) => {
    const at = performance.now();
    let body = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    incoming.once('end', () => {
      response.writeHead(204).end();
      for (const [id] of body.matchAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32}/g)) note(id, at);
      const number = /"task": ?(?:\{"id": ?)?(\d+)/.exec(body)?.[1];
      if (number !== undefined) note(number, at);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    arrival: (id) => {
      const at = arrived.get(id);
      return at === undefined ? new Promise((resolve) => awaited.set(id, resolve)) : Promise.resolve(at);
    },
    close: () => server.close(),
  };
}
