// Receivers that say something before they answer: 1xx, in whatever pieces and however often.
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { closeReceivers, closingAfter, tcpReceiver } from '../../test/fixtures/receivers.ts';
import { sendWebhook } from './send.ts';

const LOOPBACK = { allowCidrs: ['127.0.0.0/8'], allowHttp: true };

afterEach(closeReceivers);

/** The deadline is far: what is looked at here ends by itself. */
const send = (port: number) =>
  sendWebhook({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}', policy: LOOPBACK });

async function inPieces(socket: Socket, bytes: string): Promise<void> {
  socket.setNoDelay(true);
  for (const byte of bytes) await new Promise((written) => socket.write(byte, written));
  socket.end();
}

describe('what comes before an answer', () => {
  const interim = (status: string) => `HTTP/1.1 ${status}\r\nlink: </a>\r\n\r\n`;
  const FINAL = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello';

  it.each([
    ['100', '100 Continue'],
    ['102', '102 Processing'],
    ['103', '103 Early Hints'],
    ['one that nobody knows', '199 Soon'],
  ])('W8: an interim answer is no answer: %s', async (_, status) => {
    for (const bytes of [interim(status), interim(status).repeat(3)]) {
      const { port } = await closingAfter(bytes + FINAL);
      expect(await send(port)).toMatchObject({ httpStatus: 200, error: null, responseText: 'hello' });
    }
  });

  it('W8: in whatever pieces it comes', async () => {
    const { port } = await tcpReceiver((socket) => {
      socket.once('data', () => void inPieces(socket, interim('100 Continue') + interim('103 Early Hints') + FINAL));
    });
    expect(await send(port)).toMatchObject({ httpStatus: 200, error: null, responseText: 'hello' });
  });

  it('W8: what only looks like one in a body is kept as it is', async () => {
    const body = interim('100 Continue');
    const { port } = await closingAfter(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    expect(await send(port)).toMatchObject({ httpStatus: 200, responseText: body });
  });

  it.each([
    ['one that does not end', `HTTP/1.1 100 Continue\r\nx: ${'x'.repeat(20_000)}`, 'response_too_large'],
    ['without end', interim('100 Continue').repeat(20_000), 'response_too_large'],
    ['and then nothing', interim('100 Continue'), 'connection_reset'],
    ['cut', 'HTTP/1.1 100 Cont', 'connection_reset'],
  ])('W8: interim answers %s', async (_, bytes, error) => {
    const { port } = await closingAfter(bytes);
    expect(await send(port)).toMatchObject({ httpStatus: null, error });
  });
});
