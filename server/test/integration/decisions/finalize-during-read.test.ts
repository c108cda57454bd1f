// Tests LC2 during reads: a decision that becomes final between two reads never shows with the status before it.
import { describe, expect, it } from 'vitest';
import { Decision } from '../../../src/db/entities/decision.ts';
import { Item } from '../../../src/db/entities/item.ts';
import type { Em } from '../../../src/db/orm.ts';
import { presentPublicItem } from '../../../src/presenters/item.ts';
import { listPublicItems } from '../../../src/usecases/items/list-public-items.ts';
import { readPublicItem } from '../../../src/usecases/items/read-item.ts';
import type { Services } from '../../../src/usecases/services.ts';
import { anItem, createProjectFixture, review } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();

/** Services that run `event` right before they read rows of that kind. */
function interrupted(event: () => Promise<unknown>, kind: typeof Decision | typeof Item = Decision): Services {
  const { services } = testEnv;
  const betweenReads = (em: Em) =>
    new Proxy(em, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== 'function') return member;
        const method = (...args: unknown[]) => (member as (...args: unknown[]) => unknown).apply(target, args);
        if (name !== 'find' && name !== 'findOne') return method;
        return async (...args: unknown[]) => {
          if (args[0] === kind) await event();
          return method(...args);
        };
      },
    });
  return { ...services, db: { ...services.db, read: (work) => services.db.read((em) => work(betweenReads(em))) } };
}

describe('LC2: a pipeline that reads during a decision', () => {
  it.each(['one item', 'the list'])('sees the item before or after, never a mix: %s', async (which) => {
    const fixture = await createProjectFixture(testEnv.services);
    const { id } = await anItem(testEnv.services, fixture);
    const services = interrupted(() => review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' }));
    const query = { status: undefined, since: undefined, until: undefined, after: undefined, limit: 1 };
    const read =
      which === 'one item'
        ? await readPublicItem(services, fixture.pipeline, id)
        : (await listPublicItems(services, fixture.pipeline, query)).rows[0];
    if (read === undefined) throw new Error('It is there.');
    expect(presentPublicItem(read.item, read.decision)).toMatchObject({
      status: 'queued',
      decision: null,
      decided_at: null,
    });
  });

  it('lists no item with another status than requested', async () => {
    const fixture = await createProjectFixture(testEnv.services, { undo_window_seconds: 0 });
    const [first, second] = [await anItem(testEnv.services, fixture), await anItem(testEnv.services, fixture)];
    const decide = () => review(testEnv.services, fixture.anna, { itemId: second.id, action: 'approve' });
    const query = { status: 'queued' as const, since: undefined, until: undefined, after: undefined, limit: 5 };
    const { rows } = await listPublicItems(interrupted(decide, Item), fixture.pipeline, query);
    expect(rows.map(({ item }) => item.id)).toEqual([first.id]);
  });
});
