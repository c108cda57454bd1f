// Tests `/healthz` and `/readyz`: what they answer in each phase of a process, and for stores that do not respond.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { health, type Phase } from './health.ts';

let server: Server;
let phase: Phase;
let stores: { database: boolean; lockStore: boolean };
/** Runs while a probe waits for the database. */
let meanwhile: () => void;

beforeEach(async () => {
  [phase, stores, meanwhile] = ['serving', { database: true, lockStore: true }, () => undefined];
  const app = new Koa();
  const database = async () => {
    await Promise.resolve();
    meanwhile();
    return stores.database;
  };
  app.use(health({ phase: () => phase, database, lockStore: () => Promise.resolve(stores.lockStore) }));
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function ask(path: string): Promise<[number, unknown]> {
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  return [answer.status, await answer.json()];
}

describe('/readyz', () => {
  it.each([
    ['serving', [true, true], [200, 'ok']],
    ['serving', [true, false], [200, 'degraded']],
    ['serving', [false, true], [503, 'unavailable']],
    ['starting', [true, true], [503, 'starting']],
    ['starting', [false, true], [503, 'starting']],
    ['stopping', [true, true], [503, 'stopping']],
    ['stopping', [false, false], [503, 'stopping']],
  ] as const)(
    'of a %s process whose database and lock store respond (%j): %j',
    async (now, respond, [code, status]) => {
      const [database, lockStore] = respond;
      [phase, stores] = [now, { database, lockStore }];
      expect(await ask('/readyz')).toEqual([code, { status, database, lock_store: lockStore }]);
    },
  );

  it('answers 503 when the stop begins while it waits for the database', async () => {
    meanwhile = () => void (phase = 'stopping');
    expect(await ask('/readyz')).toMatchObject([503, { status: 'stopping' }]);
  });
});

it.each(['starting', 'serving', 'stopping'] as const)('/healthz of a %s process: 200', async (now) => {
  [phase, stores] = [now, { database: false, lockStore: false }];
  expect(await ask('/healthz')).toEqual([200, { status: 'ok' }]);
});
