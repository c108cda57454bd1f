// Tests migrations beside running processes: applied once, without blocking, and an older version keeps working.
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate, requireSchema } from '../../../src/db/migrate.ts';
import { MIGRATIONS } from '../../../src/db/migrations/list.ts';
import { SchemaChange } from '../../../src/db/migrations/schema-change.ts';
import { openOrm, type Orm } from '../../../src/db/orm.ts';
import { emptyDatabase, migratedDatabase, type OwnDatabase } from '../../fixtures/test-database.ts';
import { connectTo, connectionTo } from '../../../../scripts/lib/processes/postgres-client.ts';

class Column extends SchemaChange {
  override up(): void {
    this.addSql('alter table "item" add column "next" text null');
  }
}

class Index extends SchemaChange {
  override isTransactional = () => false;

  override up(): void {
    this.addSql('drop index concurrently if exists "item_next"');
    this.addSql('create index concurrently "item_next" on "item" ("next")');
  }
}

const NEXT = [
  { name: '9998-column', class: Column },
  { name: '9999-index', class: Index },
];

const applied = async (orm: Orm) => {
  const rows = await orm.em.fork().execute<{ name: string }[]>('select name from mikro_orm_migrations order by id');
  return rows.map(({ name }) => name);
};
const NAMES = MIGRATIONS.map(({ name }) => name);
const NEXT_NAMES = [...NAMES, ...NEXT.map(({ name }) => name)];

describe('the schema, migrated by several processes', () => {
  let database: OwnDatabase;
  let busy: pg.Client;
  const open: Orm[] = [];

  /** A process of this version, or of one with more migrations. */
  const start = async (more: typeof NEXT = []) => {
    const connection = await connectionTo(database.url);
    const orm = await openOrm({ connection, poolSize: 2 });
    const migrations = orm.config.get('migrations');
    orm.config.set('migrations', { ...migrations, migrationsList: [...MIGRATIONS, ...more] });
    open.push(orm);
    return {
      orm,
      require: () => requireSchema(orm, { connection }),
      migrate: (patienceMs?: number) => migrate(orm, { connection }, patienceMs),
    };
  };
  const use = async (made: OwnDatabase) => {
    database = made;
    busy = await connectTo(made.url);
  };

  beforeEach(() => {
    open.length = 0;
  });
  afterEach(async () => {
    await busy.end();
    await Promise.all(open.map((orm) => orm.close()));
    await database.remove();
  });

  it('is created once by five processes that start together on an empty database, and none of them fails', async () => {
    await use(await emptyDatabase());
    const processes = await Promise.all(Array.from({ length: 5 }, () => start()));
    await Promise.all(processes.map((one) => one.migrate()));
    expect(await applied(processes[0]!.orm)).toEqual(NAMES);
    expect(await processes[4]!.orm.schema.getUpdateSchemaSQL({ wrap: false })).toBe('');
  });

  it('gets an index that is built concurrently, while other processes wait for their turn', async () => {
    await use(await migratedDatabase());
    const processes = await Promise.all(Array.from({ length: 5 }, () => start(NEXT)));
    await Promise.all(processes.map((one) => one.migrate()));
    expect(await applied(processes[0]!.orm)).toEqual(NEXT_NAMES);
    const { rows } = await busy.query(
      `select indisvalid as valid from pg_index where indexrelid = 'item_next'::regclass`,
    );
    expect(rows).toEqual([{ valid: true }]);
  });

  it('takes no lock when no migration is missing', async () => {
    await use(await migratedDatabase());
    await busy.query('select pg_advisory_lock(7202611201)');
    const { orm, migrate: up } = await start();
    await up();
    expect(await applied(orm)).toEqual(NAMES);
  });

  it('waits for a busy table without blocking those who use it', async () => {
    await use(await migratedDatabase());
    const { orm, migrate: up } = await start(NEXT.slice(0, 1));
    await busy.query('begin; lock table item in row exclusive mode');
    const changing = up();
    await expect
      .poll(
        async () =>
          (await busy.query(`select from pg_locks where not granted and relation = 'item'::regclass`)).rowCount,
      )
      .toBe(1);
    // This query waits in the lock queue behind the migration, which gives way.
    await orm.em.fork().execute('select count(*) from item');
    expect(await applied(orm)).toEqual(NAMES);
    await busy.query('commit');
    await changing;
    expect(await applied(orm)).toEqual([...NAMES, '9998-column']);
  });

  it('says so when a table stays busy, and keeps what was created before', async () => {
    await use(await migratedDatabase());
    const { orm, migrate: up } = await start([
      {
        name: '9997-before',
        class: class extends Column {
          override up(): void {
            this.addSql('alter table "project" add column "next" text null');
          }
        },
      },
      ...NEXT,
    ]);
    await busy.query('begin; lock table item in row exclusive mode');
    await expect(up(0)).rejects.toMatchObject({ code: '55P03' });
    expect(await applied(orm)).toEqual([...NAMES, '9997-before']);
    await busy.query('rollback');
    await up();
    expect(await applied(orm)).toEqual([...NAMES, '9997-before', '9998-column', '9999-index']);
  });

  it('a schema newer than the process is left unchanged', async () => {
    await use(await migratedDatabase());
    const newer = await start(NEXT);
    await newer.migrate();
    const older = await start();
    await older.migrate();
    await older.require();
    expect(await applied(older.orm)).toEqual(NEXT_NAMES);
  });

  it('is required by a command, which changes nothing: it is complete, older, or missing beside the table of another program', async () => {
    await use(await migratedDatabase());
    await (await start()).require();
    const newer = await start(NEXT);
    await expect(newer.require()).rejects.toMatchObject({ state: 'older' });
    expect(await applied(newer.orm)).toEqual(NAMES);
    await busy.query(`update mikro_orm_migrations set name = 'other-' || name`);
    await expect(newer.require()).rejects.toMatchObject({ state: 'missing' });
  });
});
