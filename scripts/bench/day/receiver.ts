// Receives the webhooks of the bench day in its own process: answers at once and stores nothing.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface DayReceiver {
  url: string;
  close(): void;
}

export async function startDayReceiver(): Promise<DayReceiver> {
  const server = createServer((incoming, response) => {
    incoming.resume().once('end', () => response.writeHead(204).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}
