// The database: its schema is made once, a change and its facts commit together or not at all, nothing slips past an open transaction.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '@countersign/shared/errors';
import { RECORDED } from '../../src/db/channels.ts';
import type { Tx } from '../../src/db/database.ts';
import { Project } from '../../src/db/entities/project.ts';
import { migrate } from '../../src/db/migrate.ts';
import { MIGRATIONS } from '../../src/db/migrations/list.ts';
import type { Orm } from '../../src/db/orm.ts';
import { SYSTEM } from '../../src/domain/actor.ts';
import { aScene, type Scene } from './scene.ts';
import { useServices } from './services.ts';
import { connectionTo } from '../../../scripts/lib/postgres-client.ts';

const world = useServices();
let scene: Scene;
let rings = 0;

beforeAll(async () => {
  scene = await aScene(world.services);
  await world.signals.on(RECORDED, () => (rings += 1));
});
beforeEach(async () => {
  // Rings of the test before may still be on their way; one of our own comes after them.
  const before = rings;
  await world.sql('select pg_notify(?, ?)', [RECORDED, '']);
  await expect.poll(() => rings).toBeGreaterThan(before);
  rings = 0;
});

const statement = (deliveryId = randomUUID()) => ({
  type: 'delivery.changed' as const,
  project_id: scene.projectId,
  actor: SYSTEM,
  delivery_id: deliveryId,
  item_id: randomUUID(),
  status: 'pending' as const,
  attempt: 1,
  http_status: null,
  error: null,
  next_attempt_at: null,
});

const recorded = (id: string) =>
  world.sql<{ position: string }>(`select position from event where data->>'delivery_id' = ? order by position`, [id]);
const rename = (tx: Tx, name: string) => tx.em.nativeUpdate(Project, { id: scene.projectId }, { name });
const nameNow = async () =>
  (await world.sql<{ name: string }>('select name from project where id = ?', [scene.projectId]))[0]?.name;

describe('write', () => {
  it('I6: the change, its fact and the ring come together', async () => {
    const fact = statement();
    const result = await world.services.db.write(async (tx) => {
      await rename(tx, 'Returns');
      tx.record(fact);
      return 'done';
    });
    expect(result).toBe('done');
    expect(await nameNow()).toBe('Returns');
    expect(await recorded(fact.delivery_id)).toHaveLength(1);
    await expect.poll(() => rings).toBe(1);
  });

  it('I6: a rollback leaves neither change nor fact, and rings nobody', async () => {
    const [lost, kept] = [statement(), statement()];
    const failing = world.services.db.write(async (tx) => {
      tx.record(lost);
      await rename(tx, 'Lost');
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await nameNow()).not.toBe('Lost');
    expect(await recorded(lost.delivery_id)).toHaveLength(0);
    await world.services.db.write(async (tx) => tx.record(kept));
    await expect.poll(() => rings).toBe(1);
  });

  it('a fact that the database refuses takes the change with it', async () => {
    const failing = world.services.db.write(async (tx) => {
      await rename(tx, 'Half');
      tx.record({ ...statement(), project_id: randomUUID() });
    });
    await expect(failing).rejects.toThrow();
    expect(await nameNow()).not.toBe('Half');
  });

  it('rings after the commit: whoever hears it finds the fact', async () => {
    const fact = statement();
    const { promise: heard, resolve } = Promise.withResolvers<number>();
    await world.signals.on(RECORDED, () => void recorded(fact.delivery_id).then((rows) => resolve(rows.length)));
    await world.services.db.write(async (tx) => tx.record(fact));
    expect(await heard).toBe(1);
  });

  it('without a fact nobody is rung', async () => {
    await world.services.db.write((tx) => rename(tx, 'Quiet'));
    await world.services.db.write(async (tx) => tx.record(statement()));
    await expect.poll(() => rings).toBe(1);
  });

  it('two statements keep their order, and one transaction rings once', async () => {
    const ids = Array.from({ length: 20 }, () => randomUUID());
    await world.services.db.write(async (tx) => ids.forEach((id) => tx.record(statement(id))));
    const rows = await world.sql<{ id: string }>(
      `select data->>'delivery_id' as id from event where data->>'delivery_id' = any(?::text[]) order by position`,
      [`{${ids.join(',')}}`],
    );
    expect(rows.map(({ id }) => id)).toEqual(ids);
    await expect.poll(() => rings).toBe(1);
  });

  it('a fact carries the time of our own clock, and waits unstamped for the relay', async () => {
    const fact = statement();
    await world.services.db.write(async (tx) => tx.record(fact));
    const [row] = await world.sql<{ seq: string | null; created_at: string | Date }>(
      `select seq, created_at from event where data->>'delivery_id' = ?`,
      [fact.delivery_id],
    );
    expect(row?.seq).toBeNull();
    expect(Math.abs(new Date(row?.created_at ?? 0).getTime() - world.clock.now().getTime())).toBeLessThan(60_000);
  });

  it('a refusal comes through as it is', async () => {
    const refusal = new Refusal('claim_lost', 'Gone.');
    await expect(world.services.db.write(() => Promise.reject(refusal))).rejects.toBe(refusal);
    await expect(world.services.db.read(() => Promise.reject(refusal))).rejects.toBe(refusal);
  });
});

describe('a query outside the open transaction', () => {
  it('is refused at once, reading or writing, and the transaction may go on without it', async () => {
    const { db } = world.services;
    await db.write(async (tx) => {
      await expect(db.read((em) => em.execute('select 1'))).rejects.toThrow('outside the open transaction');
      await expect(db.write(() => Promise.resolve())).rejects.toThrow('outside the open transaction');
      await rename(tx, 'Gone on');
    });
    expect(await nameNow()).toBe('Gone on');
  });

  it('is refused however deep the call', async () => {
    const deep = async () => {
      await Promise.resolve();
      return world.services.db.read((em) => em.execute('select 1'));
    };
    await expect(world.services.db.write(() => Promise.all([deep()]))).rejects.toThrow('outside the open transaction');
  });

  it('is none of a transaction that runs at the same time elsewhere', async () => {
    const { promise: open, resolve: opened } = Promise.withResolvers<undefined>();
    const { promise: held, resolve: go } = Promise.withResolvers<undefined>();
    const writing = world.services.db.write(async (tx) => {
      await rename(tx, 'Beside');
      opened(undefined);
      await held;
    });
    await open;
    const reading = world.services.db.read((em) => em.execute<{ one: number }[]>('select 1 as one'));
    go(undefined);
    await writing;
    expect(await reading).toEqual([{ one: 1 }]);
  });
});

const NAMES = MIGRATIONS.map(({ name }) => ({ name }));
const applied = (orm: Orm) =>
  orm.em.fork().execute<{ name: string }[]>('select name from mikro_orm_migrations order by id');

describe('the schema', () => {
  it('is what the entities say, to the last column', async () => {
    expect(await world.orm.schema.getUpdateSchemaSQL({ wrap: false })).toBe('');
  });

  it('was made by every migration once, and a second start makes nothing', async () => {
    expect(await applied(world.orm)).toEqual(NAMES);
    await migrate(world.orm, { connection: await connectionTo(world.url) });
    expect(await applied(world.orm)).toEqual(NAMES);
  });
});
