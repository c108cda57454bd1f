// Tests that a read for a waiting request times out (DB1), and that nothing else does.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type Database } from '../../../src/db/database.ts';
import { anItem, createProjectFixture, type ProjectFixture } from '../support/project-fixture.ts';
import { ask, serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
/** Long enough that no small statement reaches it, however slow the machine is. */
const LIMIT_MS = 2000;
let fixture: ProjectFixture;
let served: Served;
let db: Database;

beforeAll(async () => {
  fixture = await createProjectFixture(testEnv.services);
  db = createDatabase(testEnv.orm, { ...testEnv.services, readLimitMs: LIMIT_MS });
  served = await serve({ ...testEnv.services, db });
});
afterAll(() => served.close());

type Asks = { execute: <T>(sql: string) => Promise<T> };
const endless = (em: Asks) => em.execute('select pg_sleep(3600)');
const limitOf = async (em: Asks) =>
  (await em.execute<{ statement_timeout: string }[]>('show statement_timeout'))[0]?.statement_timeout;

it('DB1: a read for a request is ended, refused with Retry-After, and counted', async () => {
  const before = db.cutOff();
  await expect(db.withReadLimit(() => db.read(endless))).rejects.toMatchObject({
    code: 'unavailable',
    extras: { retryAfter: 5 },
  });
  expect(db.cutOff()).toBe(before + 1);
});

it('DB1: writes, and reads by a worker, have no timeout, on the same connections', async () => {
  for (let n = 0; n < 3; n += 1) {
    expect(await db.withReadLimit(() => db.read(limitOf))).toBe('2s');
    expect(await db.withReadLimit(() => db.write(({ em }) => limitOf(em)))).toBe('0');
    expect(await db.withReadLimit(() => db.statement(limitOf))).toBe('0');
    expect(await db.read(limitOf)).toBe('0');
  }
});

it('DB1: a request whose read takes too long gets 503, and the next one succeeds', async () => {
  const { id } = await anItem(testEnv.services, fixture);
  const get = () =>
    ask(served, { method: 'GET', path: `/api/public/items/${id}`, headers: { 'x-api-key': fixture.apiKey } });
  expect((await get()).status).toBe(200);
  const refused = await testEnv.services.db.write(async ({ em }) => {
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
