// Attacks memory with unfinished bodies and unread responses: no other tenant notices (`npm run test:soak`).
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { LIMITS } from '@countersign/shared/limits';
import {
  type Attack,
  ATTACKER_ADDRESS,
  costOf,
  expectBearable,
  PLACES,
  startTarget,
  type Target,
} from '../../attack.ts';
import { aSubmission, openProject, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { cleanUpAfterwards } from '../../embedded-service.ts';
import { SOAK } from '../../soak.ts';

/** Twelve owners with a tenth each request more than the total. */
const OWNERS = 12;
const CONNECTIONS = 150;
const PIECE = Buffer.alloc(256 * 1024, 'x');

/** Connections that never read, reopened when closed, until the signal. `writeRequest` writes what each sends. */
async function crowd(
  target: Target,
  until: AbortSignal,
  writeRequest: (socket: Socket, index: number) => void,
  { repeatMs = 20, stepMs = 0 } = {},
): Promise<string> {
  let opened = 0;
  const one = async (index: number) => {
    await delay(index * stepMs);
    while (!until.aborted) {
      const socket = connect({
        port: Number(new URL(target.url).port),
        host: '127.0.0.1',
        localAddress: ATTACKER_ADDRESS,
      });
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      socket.on('error', () => undefined).once('close', () => resolve());
      socket.once('connect', () => socket.pause());
      opened += 1;
      writeRequest(socket, index);
      const over = () => socket.destroy();
      until.addEventListener('abort', over, { once: true });
      await closed;
      until.removeEventListener('abort', over);
      await delay(repeatMs);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => one(index)));
  return `${opened} connections`;
}

const head = (line: string, headers: Record<string, string | number>) =>
  [`${line} HTTP/1.1`, ...Object.entries({ host: 'x', ...headers }).map((pair) => pair.join(': ')), '', ''].join(
    '\r\n',
  );

const owners = async (target: Target, count: number): Promise<OpenProject[]> => {
  const found: OpenProject[] = [];
  for (let n = 0; n < count; n += 1) found.push(await openProject(await person(target.testEnv)));
  return found;
};

const JSON_TYPE = { 'content-type': 'application/json' };

/** All but the end of a body. */
function begin(socket: Socket, line: string, headers: Record<string, string>, bytes: number): void {
  socket.write(head(line, { ...JSON_TYPE, ...headers, 'content-length': bytes }));
  for (let sent = 0; sent + PIECE.length < bytes; sent += PIECE.length) socket.write(PIECE);
}

const unread: Attack = async (target, until) => {
  const [of] = await owners(target, 1);
  if (of === undefined) throw new Error('One was asked for.');
  for (let n = 0; n < 12; n += 1) await of.pipeline.submit(aSubmission({ input: 'x'.repeat(250_000) }));
  const list = head('GET /api/public/items?limit=100', { 'x-api-key': of.pipeline.apiKey });
  return crowd(target, until, (socket) => socket.write(list.repeat(8)));
};

const withKeys: Attack = async (target, until) => {
  const all = await owners(target, OWNERS);
  return crowd(target, until, (socket, index) => {
    const of = all[index % OWNERS];
    begin(socket, 'POST /api/public/items/batch', { 'x-api-key': of?.pipeline.apiKey ?? '' }, LIMITS.batchBytes);
  });
};

const withSessions: Attack = async (target, until) => {
  const all = await owners(target, OWNERS);
  return crowd(target, until, (socket, index) => {
    const cookie = all[index % OWNERS]?.owner.cookieHeader() ?? '';
    begin(socket, 'POST /api/projects', { cookie, origin: target.baseUrl }, 2 * LIMITS.itemBytes);
  });
};

const withNeither: Attack = (target, until) =>
  crowd(target, until, (socket, index) => {
    const path = index % 2 === 0 ? '/api/public/inbound/nobody' : '/api/auth/verify';
    begin(socket, `POST ${path}`, { origin: target.baseUrl }, LIMITS.itemBytes);
    socket.write(PIECE.subarray(0, PIECE.length - 1));
  });

/**
 * Each byte is a separate piece: a buffer of pieces needs a hundred times the memory. Ten a second: this does not attack the CPU.
 */
const inPieces: Attack = async (target, until) => {
  const all = await owners(target, OWNERS);
  const pieces = Buffer.from('1\r\nx\r\n'.repeat(40_000));
  const send = (socket: Socket, index: number) => {
    const headers = { 'x-api-key': all[index % OWNERS]?.pipeline.apiKey ?? '', 'transfer-encoding': 'chunked' };
    socket.write(head('POST /api/public/items/batch', { ...JSON_TYPE, ...headers }));
    for (let sent = 0; sent < 50; sent += 1) socket.write(pieces);
  };
  return crowd(target, until, send, { repeatMs: 15_000, stepMs: 100 });
};

const ATTACKS: Readonly<Record<string, Attack>> = {
  'lists that are never read': unread,
  'bodies that never end, with keys': withKeys,
  'bodies that never end, with sessions': withSessions,
  'bodies that never end, with neither': withNeither,
  'bodies in pieces of a byte': inPieces,
};

cleanUpAfterwards();

describe.runIf(SOAK).each(PLACES)('an attack on the memory of a service on %s', (place) => {
  it.each(Object.keys(ATTACKS))(
    'MB1: %s leave another tenant nearly unaffected',
    { timeout: 120_000 },
    async (name) => {
      const target = await startTarget(place);
      const cost = await costOf(target, `${name} (${place})`, ATTACKS[name] as Attack);
      await target.close();
      expectBearable(cost);
    },
  );
});
