// Tests that a row becomes the same entity as in the ORM, without being managed by it.
import type { EntityClass, EntityDictionary } from '@mikro-orm/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { Decision } from '../../../src/db/entities/decision.ts';
import { Item } from '../../../src/db/entities/item.ts';
import { entityFromRow } from '../../../src/db/entity-from-row.ts';
import type { Em } from '../../../src/db/orm.ts';
import { rawQuery } from '../../../src/db/raw-query.ts';
import { anItem, createProjectFixture, review } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let itemId = '';

beforeAll(async () => {
  const { services } = testEnv;
  const fixture = await createProjectFixture(services);
  const item = await anItem(services, fixture, { riskFlags: ['a "quoted" one', 'null'], allowedActions: ['approve'] });
  itemId = item.id;
  await review(services, fixture.supervisor, { itemId, action: 'approve' });
});

async function rowOf<E>(em: Em, text: string): Promise<EntityDictionary<E>> {
  const [row] = await rawQuery<EntityDictionary<E>>(em, text, [itemId]);
  if (row === undefined) throw new Error('The row is missing.');
  return row;
}

describe('an entity from a row', () => {
  async function expectTheSame<E extends object>(entity: EntityClass<E>, text: string): Promise<void> {
    await testEnv.services.db.read(async (em) => {
      const row = await rowOf<E>(em, text);
      const own = entityFromRow(em, entity, row);
      const managed = em.map<E>(entity, row) as Readonly<Record<string, unknown>>;
      expect(Object.keys(own)).toEqual(em.getMetadata(entity).props.map(({ name }) => name));
      for (const [key, value] of Object.entries(own)) expect(value, key).toEqual(managed[key]);
    });
  }

  it('has the values that the ORM reads', async () => {
    await expectTheSame(Item, 'select * from item where id = $1');
    await expectTheSame(Decision, 'select * from decision where item_id = $1');
  });

  it('is not managed, and lacks what the row lacks', async () => {
    await testEnv.services.db.read(async (em) => {
      const row = await rowOf<Item>(em, 'select id, decided_at from item where id = $1');
      expect(entityFromRow(em, Item, row)).toEqual({ id: itemId, decidedAt: expect.any(Date) as Date });
      expect([...em.getUnitOfWork().getIdentityMap()]).toEqual([]);
    });
  });
});
