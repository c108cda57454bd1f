// Tests the database layer: the schema is created once, changes and events commit together, no query leaves its tx.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '@countersign/shared/errors';
import { EVENTS_APPENDED } from '../../../src/db/connection/channels.ts';
import type { Tx } from '../../../src/db/database.ts';
import { Project } from '../../../src/db/entities/project.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { MIGRATIONS } from '../../../src/db/migrations/list.ts';
import type { Orm } from '../../../src/db/orm.ts';
import { SYSTEM } from '../../../src/domain/access/actor.ts';
import { createProjectFixture, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';
import { connectionTo } from '../../../../scripts/lib/processes/postgres-client.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
let notifications = 0;

beforeAll(async () => {
  fixture = await createProjectFixture(testEnv.services);
  await testEnv.signals.on(EVENTS_APPENDED, () => (notifications += 1));
});
beforeEach(async () => {
  // Notifications of the previous test may still be under way; one sent now arrives after them.
  const before = notifications;
  await testEnv.sql('select pg_notify(?, ?)', [EVENTS_APPENDED, '']);
  await expect.poll(() => notifications).toBeGreaterThan(before);
  notifications = 0;
});

const statement = (deliveryId = randomUUID()) => ({
  type: 'delivery.changed' as const,
  project_id: fixture.projectId,
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
  testEnv.sql<{ position: string }>(`select position from event where data->>'delivery_id' = ? order by position`, [
    id,
  ]);
const rename = (tx: Tx, name: string) => tx.em.nativeUpdate(Project, { id: fixture.projectId }, { name });
const nameNow = async () =>
  (await testEnv.sql<{ name: string }>('select name from project where id = ?', [fixture.projectId]))[0]?.name;

describe('write', () => {
  it('I6: commits the change, its event and the notification together', async () => {
    const event = statement();
    const result = await testEnv.services.db.write(async (tx) => {
      await rename(tx, 'Returns');
      tx.appendEvent(event);
      return 'done';
    });
    expect(result).toBe('done');
    expect(await nameNow()).toBe('Returns');
    expect(await recorded(event.delivery_id)).toHaveLength(1);
    await expect.poll(() => notifications).toBe(1);
  });

  it('I6: leaves neither change nor event after a rollback, and notifies nobody', async () => {
    const [lost, kept] = [statement(), statement()];
    const failing = testEnv.services.db.write(async (tx) => {
      tx.appendEvent(lost);
      await rename(tx, 'Lost');
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await nameNow()).not.toBe('Lost');
    expect(await recorded(lost.delivery_id)).toHaveLength(0);
    await testEnv.services.db.write(async (tx) => tx.appendEvent(kept));
    await expect.poll(() => notifications).toBe(1);
  });

  it('rolls the change back when the database refuses its event', async () => {
    const failing = testEnv.services.db.write(async (tx) => {
      await rename(tx, 'Half');
      tx.appendEvent({ ...statement(), project_id: randomUUID() });
    });
    await expect(failing).rejects.toThrow();
    expect(await nameNow()).not.toBe('Half');
  });

  it('notifies after the commit: a listener finds the event', async () => {
    const event = statement();
    const { promise: heard, resolve } = Promise.withResolvers<number>();
    await testEnv.signals.on(
      EVENTS_APPENDED,
      () => void recorded(event.delivery_id).then((rows) => resolve(rows.length)),
    );
    await testEnv.services.db.write(async (tx) => tx.appendEvent(event));
    expect(await heard).toBe(1);
  });

  it('notifies nobody without an event', async () => {
    await testEnv.services.db.write((tx) => rename(tx, 'Quiet'));
    await testEnv.services.db.write(async (tx) => tx.appendEvent(statement()));
    await expect.poll(() => notifications).toBe(1);
  });

  it('keeps the order of two events, and notifies once per transaction', async () => {
    const ids = Array.from({ length: 20 }, () => randomUUID());
    await testEnv.services.db.write(async (tx) => ids.forEach((id) => tx.appendEvent(statement(id))));
    const rows = await testEnv.sql<{ id: string }>(
      `select data->>'delivery_id' as id from event where data->>'delivery_id' = any(?::text[]) order by position`,
      [`{${ids.join(',')}}`],
    );
    expect(rows.map(({ id }) => id)).toEqual(ids);
    await expect.poll(() => notifications).toBe(1);
  });

  it('stores events with the time of our own clock and without a sequence number', async () => {
    const event = statement();
    await testEnv.services.db.write(async (tx) => tx.appendEvent(event));
    const [row] = await testEnv.sql<{ seq: string | null; created_at: string | Date }>(
      `select seq, created_at from event where data->>'delivery_id' = ?`,
      [event.delivery_id],
    );
    expect(row?.seq).toBeNull();
    expect(Math.abs(new Date(row?.created_at ?? 0).getTime() - testEnv.clock.now().getTime())).toBeLessThan(60_000);
  });

  it('passes a refusal through unchanged', async () => {
    const refusal = new Refusal('claim_lost', 'Gone.');
    await expect(testEnv.services.db.write(() => Promise.reject(refusal))).rejects.toBe(refusal);
    await expect(testEnv.services.db.read(() => Promise.reject(refusal))).rejects.toBe(refusal);
  });
});

describe('a query outside the open transaction', () => {
  it('is refused at once, reading or writing, and the transaction may continue', async () => {
    const { db } = testEnv.services;
    await db.write(async (tx) => {
      await expect(db.read((em) => em.execute('select 1'))).rejects.toThrow('outside the open transaction');
      await expect(db.write(() => Promise.resolve())).rejects.toThrow('outside the open transaction');
      await rename(tx, 'Gone on');
    });
    expect(await nameNow()).toBe('Gone on');
  });

  it('is refused at any call depth', async () => {
    const deep = async () => {
      await Promise.resolve();
      return testEnv.services.db.read((em) => em.execute('select 1'));
    };
    await expect(testEnv.services.db.write(() => Promise.all([deep()]))).rejects.toThrow(
      'outside the open transaction',
    );
  });

  it('does not affect a transaction that runs at the same time elsewhere', async () => {
    const { promise: open, resolve: opened } = Promise.withResolvers<undefined>();
    const { promise: held, resolve: go } = Promise.withResolvers<undefined>();
    const writing = testEnv.services.db.write(async (tx) => {
      await rename(tx, 'Beside');
      opened(undefined);
      await held;
    });
    await open;
    const reading = testEnv.services.db.read((em) => em.execute<{ one: number }[]>('select 1 as one'));
    go(undefined);
    await writing;
    expect(await reading).toEqual([{ one: 1 }]);
  });
});

const NAMES = MIGRATIONS.map(({ name }) => ({ name }));
const applied = (orm: Orm) =>
  orm.em.fork().execute<{ name: string }[]>('select name from mikro_orm_migrations order by id');

describe('the schema', () => {
  it('matches the entities, to the last column', async () => {
    expect(await testEnv.orm.schema.getUpdateSchemaSQL({ wrap: false })).toBe('');
  });

  it('was created by each migration once, and a second start creates nothing', async () => {
    expect(await applied(testEnv.orm)).toEqual(NAMES);
    await migrate(testEnv.orm, { connection: await connectionTo(testEnv.url) });
    expect(await applied(testEnv.orm)).toEqual(NAMES);
  });
});
