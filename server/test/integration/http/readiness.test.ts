// Tests readiness during a start: 503 on METRICS_PORT until PORT accepts requests.
import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../src/embedded/address.ts';
import { type Running, start } from '../../../src/start.ts';
import { migratedDatabase } from '../../fixtures/test-database.ts';

it.each(['web', 'web,worker'])('a process with ROLES=%s is ready when it accepts requests on PORT', async (ROLES) => {
  const database = await migratedDatabase();
  const ports = { PORT: String(await freePort()), METRICS_PORT: String(await freePort()) };
  const [opened, pages] = [Promise.withResolvers<unknown>(), Promise.withResolvers<void>()];
  const SECRET_KEYS = `test:${randomBytes(32).toString('base64')}`;
  const env = { ...ports, ROLES, DATABASE_URL: database.url, SECRET_KEYS, LOG_LEVEL: 'silent' };
  const starting: Promise<Running> = start(env, { pagesBuilt: pages.promise, onDatabase: opened.resolve });
  onTestFinished(async () => {
    pages.resolve();
    await (await starting).stop();
    await database.remove();
  });
  const ask = async (port: string, path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return [answer.status, await answer.json()] as unknown;
  };

  await Promise.race([opened.promise, starting]);
  expect(await ask(ports.METRICS_PORT, '/readyz')).toEqual([
    503,
    { status: 'starting', database: true, lock_store: true },
  ]);
  expect(await ask(ports.METRICS_PORT, '/healthz')).toEqual([200, { status: 'ok' }]);
  await expect(ask(ports.PORT, '/readyz')).rejects.toThrow('fetch failed');

  pages.resolve();
  await starting;
  for (const port of Object.values(ports)) expect(await ask(port, '/readyz')).toMatchObject([200, { status: 'ok' }]);
});
