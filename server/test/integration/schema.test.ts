// The schema: migrations and entities say the same, and however many processes start together, it is made once.
import { describe, expect, it } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import { MIGRATIONS } from '../../src/db/migrations/list.ts';
import { openOrm, type Orm } from '../../src/db/orm.ts';
import { ON_POSTGRES } from '../world.ts';
import { emptyDatabase, useServices } from './services.ts';

const NAMES = MIGRATIONS.map(({ name }) => ({ name }));
const applied = (orm: Orm) =>
  orm.em.fork().execute<{ name: string }[]>('select name from mikro_orm_migrations order by id');

describe('the schema', () => {
  const world = useServices();

  it('is what the entities say, to the last column', async () => {
    expect(await world.orm.schema.getUpdateSchemaSQL({ wrap: false })).toBe('');
  });

  it('was made by every migration once, and a second start makes nothing', async () => {
    expect(await applied(world.orm)).toEqual(NAMES);
    await migrate(world.orm, { kind: 'memory' });
    expect(await applied(world.orm)).toEqual(NAMES);
  });
});

describe.runIf(ON_POSTGRES)('an empty PostgreSQL database', () => {
  it('five processes that start together make the schema once, and none of them fails', async () => {
    const { url, remove } = await emptyDatabase();
    const target = { kind: 'postgres' as const, url, poolSize: 2 };
    const processes = await Promise.all(Array.from({ length: 5 }, () => openOrm(target)));
    try {
      await Promise.all(processes.map((orm) => migrate(orm, target)));
      expect(await applied(processes[0] as Orm)).toEqual(NAMES);
      expect(await (processes[4] as Orm).schema.getUpdateSchemaSQL({ wrap: false })).toBe('');
    } finally {
      await Promise.all(processes.map((orm) => orm.close()));
      await remove();
    }
  });
});
