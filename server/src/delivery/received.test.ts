// Interim responses (1xx) before the response, in any number and split in any way.
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { closeReceivers, closingAfter, tcpReceiver } from '../../test/fixtures/receivers.ts';
import { sendWebhook } from './send.ts';

const LOOPBACK = { allowCidrs: ['127.0.0.0/8'], allowHttp: true };

afterEach(closeReceivers);

/** The deadline is far away: these attempts end on their own. */
const send = (port: number) =>
  sendWebhook({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}', policy: LOOPBACK });

async function inPieces(socket: Socket, bytes: string): Promise<void> {
  socket.setNoDelay(true);
  for (const byte of bytes) await new Promise((written) => socket.write(byte, written));
  socket.end();
}

describe('data before a response', () => {
  const interim = (status: string) => `HTTP/1.1 ${status}\r\nlink: </a>\r\n\r\n`;
  const FINAL = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello';

  it.each([
    ['100', '100 Continue'],
    ['102', '102 Processing'],
    ['103', '103 Early Hints'],
    ['an unknown one', '199 Soon'],
  ])('W8: ignores an interim response: %s', async (_, status) => {
    for (const bytes of [interim(status), interim(status).repeat(3)]) {
      const { port } = await closingAfter(bytes + FINAL);
      expect(await send(port)).toMatchObject({ httpStatus: 200, error: null, responseText: 'hello' });
    }
  });

  it('W8: ignores it however it is split', async () => {
    const { port } = await tcpReceiver((socket) => {
      socket.once('data', () => void inPieces(socket, interim('100 Continue') + interim('103 Early Hints') + FINAL));
    });
    expect(await send(port)).toMatchObject({ httpStatus: 200, error: null, responseText: 'hello' });
  });

  it('W8: does not alter a body that looks like one', async () => {
    const body = interim('100 Continue');
    const { port } = await closingAfter(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    expect(await send(port)).toMatchObject({ httpStatus: 200, responseText: body });
  });

  it.each([
    ['one that does not end', `HTTP/1.1 100 Continue\r\nx: ${'x'.repeat(20_000)}`, 'response_too_large'],
    ['one after another', interim('100 Continue').repeat(20_000), 'response_too_large'],
    ['one followed by nothing', interim('100 Continue'), 'connection_reset'],
    ['cut', 'HTTP/1.1 100 Cont', 'connection_reset'],
  ])('W8: %s fails the attempt', async (_, bytes, error) => {
    const { port } = await closingAfter(bytes);
    expect(await send(port)).toMatchObject({ httpStatus: null, error });
  });
});
