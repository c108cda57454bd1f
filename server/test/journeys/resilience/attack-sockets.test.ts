// Attacks the live socket, as fast as one machine can: another tenant must not notice (`npm run test:soak`).
import { Agent, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'vitest';
import {
  type Attack,
  ATTACKER_ADDRESS,
  costOf,
  expectBearable,
  PLACES,
  startTarget,
  type Target,
} from '../../attack.ts';
import { cleanUpAfterwards } from '../../embedded-service.ts';
import { SOAK } from '../../soak.ts';
import { frameOf } from './raw-socket.ts';

/** A well-formed session that does not exist: what a guess looks like. */
const guess = () => `__Host-sid=${crypto.randomUUID()}.${randomBytes(32).toString('base64url')}`;

/** Upgrades at the socket's address; null when the service refuses or closes. */
function open(target: Target, cookie: string): Promise<Duplex | null> {
  const { promise, resolve } = Promise.withResolvers<Duplex | null>();
  const asked = request(`${target.url}/socket.io/?EIO=4&transport=websocket`, {
    localAddress: ATTACKER_ADDRESS,
    agent: false,
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': randomBytes(16).toString('base64'),
      origin: target.baseUrl,
      cookie,
    },
  });
  asked.once('upgrade', (_, socket: Duplex) => {
    socket.on('error', () => undefined);
    resolve(socket.resume());
  });
  asked.once('response', (response) => {
    response.resume();
    resolve(null);
  });
  asked.once('error', () => resolve(null));
  asked.end();
  return promise;
}

const aborted = (until: AbortSignal) =>
  new Promise<void>((resolve) => until.addEventListener('abort', () => resolve(), { once: true }));

/** Writes the same bytes for as long as they are accepted. */
async function pour(socket: Duplex, bytes: Buffer, until: AbortSignal): Promise<number> {
  let times = 0;
  const over = aborted(until);
  while (!until.aborted && !socket.destroyed) {
    times += 1;
    if (!socket.write(bytes)) await Promise.race([drained(socket), over]);
    else await delay(0);
  }
  socket.destroy();
  return times;
}

function drained(socket: Duplex): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => {
    socket.off('drain', done).off('close', done);
    resolve();
  };
  socket.on('drain', done).on('close', done);
  return promise;
}

/** Clients that each open a connection, send these frames, and reconnect when cut off. */
function flood(frames: Buffer, clients = 4): Attack {
  return async (target, until) => {
    let connections = 0;
    let poured = 0;
    const client = async () => {
      while (!until.aborted) {
        const socket = await open(target, guess());
        if (socket === null) {
          await delay(5);
          continue;
        }
        connections += 1;
        poured += (await pour(socket, frames, until)) * frames.length;
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    return `${connections} connections, ${Math.round(poured / 1024)} KiB sent`;
  };
}

const repeated = (count: number, ...args: Parameters<typeof frameOf>) => {
  const frame = frameOf(...args);
  return Buffer.concat(Array.from({ length: count }, () => frame));
};

/** Opens connections as fast as it can, sends nothing, and holds those it gets. */
const openManySockets: Attack = async (target, until) => {
  const held = new Set<Duplex>();
  let opened = 0;
  const client = async () => {
    while (!until.aborted) {
      const socket = await open(target, guess());
      if (socket === null) continue;
      opened += 1;
      held.add(socket);
      socket.once('close', () => held.delete(socket));
    }
  };
  await Promise.all(Array.from({ length: 32 }, client));
  const left = held.size;
  for (const socket of held) socket.destroy();
  return `${opened} connections opened, ${left} of them open at the end`;
};

/** Sends requests as fast as it can, over this many connections, each with a cookie from `cookie`. */
function refusalCodeOf(path: string, cookie: () => string): Attack {
  return async (target, until) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 32 });
    const statuses = new Map<number, number>();
    const client = async () => {
      while (!until.aborted) {
        const status = await statusOf(`${target.url}${path}`, { agent, headers: { cookie: cookie() } });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 32 }, client));
    agent.destroy();
    return [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  };
}

/** The status of the response; 0 without one. */
function statusOf(url: string, options: { agent: Agent; headers: Record<string, string> }): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const asked = request(url, { localAddress: ATTACKER_ADDRESS, ...options }, (response) => {
    response.resume().once('close', () => resolve(response.statusCode ?? 0));
  });
  asked.once('error', () => resolve(0));
  asked.end();
  return promise;
}

/** Upgrades without a session, as fast as they are refused. */
const anonymous: Attack = async (target, until) => {
  let refused = 0;
  const client = async () => {
    while (!until.aborted) if ((await open(target, 'nothing=here')) === null) refused += 1;
  };
  await Promise.all(Array.from({ length: 32 }, client));
  return `${refused} handshakes refused`;
};

const EMPTY = Buffer.alloc(0);

const ATTACKS: Readonly<Record<string, Attack>> = {
  'CONNECT again and again': flood(repeated(10_000, Buffer.from('40'))),
  'pings of WebSocket': flood(repeated(10_000, Buffer.from('x'), { opcode: 9 })),
  'fragments without an end': flood(
    Buffer.concat([frameOf(EMPTY, { final: false }), repeated(10_000, EMPTY, { opcode: 0, final: false })]),
  ),
  'large packets': flood(repeated(16, Buffer.alloc(64 * 1024, 'x'))),
  'handshakes without a session': anonymous,
  'connections that say nothing': openManySockets,
  'guessed sessions over HTTP': refusalCodeOf('/api/session', guess),
};

cleanUpAfterwards();

describe.runIf(SOAK).each(PLACES)('an attack on the sockets of a service on %s', (place) => {
  it.each(Object.keys(ATTACKS))('%s: leaves another tenant nearly unaffected', { timeout: 120_000 }, async (name) => {
    const target = await startTarget(place);
    const cost = await costOf(target, `${name} (${place})`, ATTACKS[name] as Attack);
    await target.close();
    expectBearable(cost);
  });
});
