// Requests that were sent before the ones in front of them had their answers: bounded over all connections of a server.
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createHttpServer } from './server.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

it('MB5: where a thousand of all connections stand behind others, the next such closes its connection; who asks one by one goes on', async () => {
  let [now, most, answers] = [0, 0, false];
  const server = createHttpServer((_, response) => {
    if (answers) return void response.end('ok');
    most = Math.max(most, (now += 1));
    response.once('close', () => (now -= 1));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const open = (text: string) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    socket.write(text);
    return socket;
  };

  const crowd = Array.from({ length: 30 }, () => open(REQUEST.repeat(60)).resume());
  await expect.poll(() => crowd.filter(({ closed }) => closed).length, { interval: 5 }).toBeGreaterThan(10);
  expect(most).toBeLessThanOrEqual(1000 + crowd.length);
  answers = true;
  const [answer] = (await once(open(REQUEST), 'data')) as [Buffer];
  expect(answer.toString()).toContain('200 OK');
});
