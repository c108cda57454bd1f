// A read that somebody waits for ends in time (DB1), and nothing else does.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type Database } from '../../src/db/database.ts';
import { anItem, aScene, type Scene } from './scene.ts';
import { ask, serve, type Served } from './served.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;
let served: Served;
let db: Database;

beforeAll(async () => {
  scene = await aScene(world.services);
  db = createDatabase(world.orm, { ...world.services, readLimitMs: 150 });
  served = await serve({ ...world.services, db });
});
afterAll(() => served.close());

const sleep = (em: { execute: (sql: string) => Promise<unknown> }) => em.execute('select pg_sleep(0.6)');

it('DB1: a read that was asked for is ended, refused with when to come back, and counted', async () => {
  const before = db.cutOff();
  await expect(db.asked(() => db.read(sleep))).rejects.toMatchObject({
    code: 'unavailable',
    extras: { retryAfter: 5 },
  });
  expect(db.cutOff()).toBe(before + 1);
});

it('DB1: what changes something, and what a worker reads, has no limit, on the same connections', async () => {
  for (let n = 0; n < 3; n += 1) {
    await db.asked(() => db.read((em) => em.execute('select 1')));
    await db.asked(() => db.write(({ em }) => sleep(em)));
    await db.asked(() => db.statement(sleep));
    await db.read(sleep);
    const shown = await db.asked(() =>
      db.read((em) => em.execute<{ statement_timeout: string }[]>('show statement_timeout')),
    );
    expect(shown).toEqual([{ statement_timeout: '150ms' }]);
  }
});

it('DB1: a request whose read takes too long is 503, and the next one is answered', async () => {
  const { id } = await anItem(world.services, scene);
  const get = () =>
    ask(served, { method: 'GET', path: `/api/public/items/${id}`, headers: { 'x-api-key': scene.apiKey } });
  expect((await get()).status).toBe(200);
  const refused = await world.services.db.write(async ({ em }) => {
    await em.execute('lock table item in access exclusive mode');
    return get();
  });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect(JSON.parse(refused.text)).toMatchObject({
    code: 'unavailable',
    detail: expect.stringContaining('too long') as string,
  });
  expect((await get()).status).toBe(200);
});
