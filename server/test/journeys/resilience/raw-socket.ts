// A raw WebSocket client: a manual upgrade, then any bytes and any frames, also those that no library would send.
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Person } from '../../client.ts';

export interface RawSocket {
  /** Sends these bytes after the upgrade, as they are. */
  bytes(data: Uint8Array): void;
  /** Sends one frame; a text frame, final and masked unless told otherwise. */
  frame(payload: string | Uint8Array, options?: FrameOptions): void;
  /** Reads nothing from now on. */
  pause(): void;
  /** Joins the main namespace as a client does, and waits until the server says so. */
  join(): Promise<void>;
  /** What the server sent: the text of each frame, `pong` or `close` for those without. */
  readonly received: readonly string[];
  /** Resolves when the server sends a close frame or disconnects. */
  readonly closed: Promise<unknown>;
  /** Resolves when the server disconnects. This client never answers a close frame. */
  readonly gone: Promise<unknown>;
  close(): void;
}

export interface FrameOptions {
  opcode?: number;
  final?: boolean;
  reserved?: number;
  masked?: boolean;
  /** The length that the frame claims to have; 64 bits. */
  claims?: bigint;
}

/** Upgrades at the socket's address. Throws the status when the server refuses. */
export async function rawSocket(
  person: Person,
  { process, headers = {} }: { process?: number; headers?: Record<string, string> } = {},
): Promise<RawSocket> {
  const upgrade = request(`${person.testEnv.url(process)}/socket.io/?EIO=4&transport=websocket`, {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': randomBytes(16).toString('base64'),
      origin: person.testEnv.baseUrl,
      cookie: person.cookieHeader(),
      ...headers,
    },
  });
  upgrade.end();
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  upgrade.once('upgrade', (_, socket: Duplex, head: Buffer) => {
    // Data that arrived with the response.
    if (head.length > 0) socket.unshift(head);
    resolve(socket);
  });
  upgrade.once('error', reject);
  upgrade.once('response', (response) => {
    response.resume();
    reject(new Error(`refused with ${response.statusCode}`));
  });
  return over(await promise);
}

const NAMES: Readonly<Record<number, string>> = { 8: 'close', 10: 'pong' };

function over(socket: Duplex): RawSocket {
  const goodbye = Promise.withResolvers<undefined>();
  const gone = Promise.withResolvers<undefined>();
  const received: string[] = [];
  const joined = Promise.withResolvers<undefined>();
  let buffer: Buffer = Buffer.alloc(0);
  // A server that has cut the connection makes writes fail, as it may.
  socket.on('error', () => undefined);
  socket.on('close', () => {
    goodbye.resolve(undefined);
    gone.resolve(undefined);
  });
  socket.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (let read = readFrame(buffer); read !== null; read = readFrame(buffer)) {
      buffer = buffer.subarray(read.length);
      received.push(NAMES[read.opcode] ?? read.payload);
      if (read.opcode === 8) goodbye.resolve(undefined);
      if (read.payload.startsWith('40')) joined.resolve(undefined);
    }
  });
  const frame: RawSocket['frame'] = (payload, options) => void socket.write(frameOf(Buffer.from(payload), options));
  return {
    bytes: (data) => void socket.write(data),
    frame,
    join: async () => {
      frame('40');
      await Promise.race([joined.promise, goodbye.promise.then(() => Promise.reject(new Error('closed, not joined')))]);
    },
    received,
    pause: () => void socket.pause(),
    closed: goodbye.promise,
    gone: gone.promise,
    close: () => socket.destroy(),
  };
}

/** The first complete frame of the server, whose frames are not masked; null while there is none. */
function readFrame(buffer: Buffer): { opcode: number; payload: string; length: number } | null {
  if (buffer.length < 4)
    return buffer.length >= 2 && buffer[1] === 0 ? { opcode: (buffer[0] ?? 0) & 15, payload: '', length: 2 } : null;
  const short = (buffer[1] ?? 0) & 127;
  const head = short === 126 ? 4 : 2;
  const length = head + (short === 126 ? buffer.readUInt16BE(2) : short);
  if (short === 127) throw new Error('The server sends no frame as long as that.');
  if (buffer.length < length) return null;
  return { opcode: (buffer[0] ?? 0) & 15, payload: buffer.toString('utf8', head, length), length };
}

/** The bytes of one frame; its length is written as short as it can be, unless it is a claim. */
export function frameOf(payload: Buffer, options: FrameOptions = {}): Buffer {
  const { opcode = 1, final = true, reserved = 0, masked = true } = options;
  const start = (final ? 0x80 : 0) | (reserved << 4) | opcode;
  const length = lengthOf(options.claims ?? BigInt(payload.length), options.claims !== undefined);
  length[0] = (length[0] ?? 0) | (masked ? 0x80 : 0);
  const head = Buffer.concat([Buffer.from([start]), length]);
  if (!masked) return Buffer.concat([head, payload]);
  const mask = randomBytes(4);
  return Buffer.concat([head, mask, payload.map((byte, n) => byte ^ (mask[n % 4] ?? 0))]);
}

function lengthOf(length: bigint, isClaim: boolean): Buffer {
  if (length < 126n && !isClaim) return Buffer.from([Number(length)]);
  const long = Buffer.alloc(9, 127);
  long.writeBigUInt64BE(length, 1);
  return long;
}
