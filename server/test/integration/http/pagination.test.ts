// Tests pagination: with concurrent inserts, no row that existed at the start is missed or repeated.
import { beforeAll, describe, expect, it } from 'vitest';
import { listDeliveries } from '../../../src/usecases/webhooks/list-deliveries.ts';
import { listLearnings } from '../../../src/usecases/learnings/list-learnings.ts';
import { listQueue } from '../../../src/usecases/items/list-queue.ts';
import { encodeCursor } from '../../../src/usecases/cursor.ts';
import { readAnalytics } from '../../../src/usecases/analytics/read-analytics.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import {
  anItem,
  aPerson,
  createProjectFixture,
  items,
  review,
  type ProjectFixture,
} from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

beforeAll(async () => {
  fixture = await createProjectFixture(testEnv.services);
});

interface Page {
  ids: string[];
  next: string | null;
}

/** Reads every page, with `between` run after each. */
async function turn(
  page: (after: string | undefined) => Promise<Page>,
  between: () => Promise<unknown>,
): Promise<string[]> {
  const seen: string[] = [];
  for (let after: string | undefined; ;) {
    const { ids, next } = await page(after);
    seen.push(...ids);
    if (next === null) return seen;
    expect(ids.length).toBeGreaterThan(0);
    after = next;
    await between();
  }
}

const queuePage = (of: ProjectFixture, limit: number) => async (after: string | undefined) => {
  const query = { projectId: of.projectId, view: 'available' as const, after, limit };
  const { items: rows, nextCursor } = await listQueue(testEnv.services, of.anna, query);
  return { ids: rows.map(({ id }) => id), next: nextCursor };
};

function expectAllOnce(seen: string[], present: string[]): void {
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toEqual(expect.arrayContaining(present));
}

describe('the queue', () => {
  it.each([1, 3, 7, 100])('LC3: has pages of %i, oldest due first, with all items', async (limit) => {
    const place = await createProjectFixture(testEnv.services);
    const present = await items(testEnv.services, place, 7);
    const seen = await turn(queuePage(place, limit), () => Promise.resolve());
    expectAllOnce(
      seen,
      present.map(({ id }) => id),
    );
    const due = await testEnv.sql<{ id: string }>('select id from item where project_id = ? order by due_at, id', [
      place.projectId,
    ]);
    expect(seen).toEqual(due.map(({ id }) => id));
  });

  it('pages correctly while items arrive, are due earlier or at the same moment, and leave', async () => {
    const place = await createProjectFixture(testEnv.services);
    const present = (await items(testEnv.services, place, 10)).map(({ id }) => id);
    await testEnv.sql(`update item set due_at = date_trunc('second', now()) where project_id = ?`, [place.projectId]);
    const leaving = await anItem(testEnv.services, place);
    const seen = await turn(queuePage(place, 3), async () => {
      const { id } = await anItem(testEnv.services, place);
      await testEnv.sql(`update item set due_at = (select min(due_at) from item where project_id = ?) where id = ?`, [
        place.projectId,
        id,
      ]);
      await testEnv.sql(`update item set status = 'rejected' where id = ?`, [leaving.id]);
    });
    expectAllOnce(seen, present);
  });

  it('shows each view its own items, and counts what it shows', async () => {
    const place = await createProjectFixture(testEnv.services);
    const [mine, theirs, free] = await items(testEnv.services, place, 3);
    const escalated = await anItem(testEnv.services, place, { riskFlags: ['legal'] });
    await anItem(testEnv.services, place, { confidence: 1 });
    await claim(testEnv.services, place.supervisor, mine?.id ?? '');
    await claim(testEnv.services, place.anna, theirs?.id ?? '');
    const expected = {
      available: [free?.id, escalated.id],
      mine: [mine?.id],
      escalated: [escalated.id],
      all: [mine?.id, theirs?.id, free?.id, escalated.id],
    };
    for (const view of ['available', 'mine', 'escalated', 'all'] as const) {
      const query = { projectId: place.projectId, view, after: undefined, limit: 100 };
      const snapshot = await listQueue(testEnv.services, place.supervisor, query);
      expect(snapshot.items.map(({ id }) => id).sort(), view).toEqual(expected[view].sort());
      expect(snapshot.counts).toEqual({ available: 2, mine: 1, escalated: 1, all: 4 });
    }
    const reviewers = { projectId: place.projectId, view: 'available' as const, after: undefined, limit: 100 };
    expect((await listQueue(testEnv.services, place.anna, reviewers)).items.map(({ id }) => id)).toEqual([free?.id]);
  });

  it('of a foreign project returns 404; without any project it is empty', async () => {
    const stranger = await aPerson(testEnv.services);
    const query = { view: 'all' as const, after: undefined, limit: 10 };
    await expect(
      listQueue(testEnv.services, stranger, { ...query, projectId: fixture.projectId }),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await listQueue(testEnv.services, stranger, { ...query, projectId: undefined })).toMatchObject({
      items: [],
      nextCursor: null,
    });
  });
});

describe('deliveries and learnings', () => {
  it('page the delivery log, newest first, while deliveries are added', async () => {
    const { id: itemId } = await anItem(testEnv.services, fixture);
    let made = 0;
    const add = async (at: string) => {
      const id = testEnv.services.ids.uuid();
      made += 1;
      await testEnv.sql(
        `insert into delivery (id, project_id, item_id, webhook_id, seq, body, status, attempt, created_at)
         values (?, ?, ?, ?, ?, '{}', 'succeeded', 1, ${at})`,
        [id, fixture.projectId, itemId, `evt_${id}`, made],
      );
      return id;
    };
    const present: string[] = [];
    for (let index = 0; index < 10; index += 1)
      present.push(await add(`now() - interval '${Math.floor(index / 4)} minutes'`));
    const page = async (after: string | undefined) => {
      const { rows, nextCursor } = await listDeliveries(testEnv.services, fixture.supervisor, {
        projectId: fixture.projectId,
        after,
        limit: 3,
      });
      return { ids: rows.map(({ id }) => id), next: nextCursor };
    };
    expectAllOnce(await turn(page, () => add('now()')), present);
  });

  it('page learnings, newest first, while overrides are made', async () => {
    const present: string[] = [];
    const override = async () => {
      const { id } = await anItem(testEnv.services, fixture);
      await review(testEnv.services, fixture.anna, { itemId: id, action: 'reject' });
      return id;
    };
    for (let index = 0; index < 5; index += 1) present.push(await override());
    await testEnv.sql(`update learning set created_at = date_trunc('second', now()) where project_id = ?`, [
      fixture.projectId,
    ]);
    const page = async (after: string | undefined) => {
      const { data, next_cursor } = await listLearnings(testEnv.services, fixture.supervisor, {
        projectId: fixture.projectId,
        filter: {},
        after,
        limit: 2,
      });
      return { ids: data.map(({ item_id }) => item_id), next: next_cursor };
    };
    expectAllOnce(await turn(page, override), present);
  });

  it('PM: are for supervisors and owners', async () => {
    const query = { projectId: fixture.projectId, after: undefined, limit: 1 };
    await expect(listDeliveries(testEnv.services, fixture.anna, query)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(listLearnings(testEnv.services, fixture.anna, { ...query, filter: {} })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});

describe('a cursor', () => {
  const ID = '0197f1a0-0000-7000-8000-000000000001';
  const coded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it.each([
    ['nothing', ''],
    ['no base64', '%%%'],
    ['no JSON', Buffer.from('[1').toString('base64url')],
    ['an object', coded({ at: 1, id: ID })],
    ['a text for a time', coded(['2026-03-01', ID])],
    ['half a millisecond', coded([1.5, ID])],
    ['no id', coded([1])],
    ['an invalid id', coded([1, '-'.repeat(36)])],
    ['an id with more after it', coded([1, `${ID}'`])],
    ['a time that is in no calendar', coded([8.64e15 + 1, ID])],
    ['a time long ago', coded([-8.64e15, ID])],
    ['a time in the far future', coded([8.64e15, ID])],
  ])('a cursor that is %s is refused by name', async (_, after) => {
    const page = { projectId: fixture.projectId, after, limit: 5 };
    const code = { code: 'invalid_cursor' };
    await expect(listQueue(testEnv.services, fixture.anna, { ...page, view: 'all' })).rejects.toMatchObject(code);
    await expect(listDeliveries(testEnv.services, fixture.supervisor, page)).rejects.toMatchObject(code);
    await expect(listLearnings(testEnv.services, fixture.supervisor, { ...page, filter: {} })).rejects.toMatchObject(
      code,
    );
  });

  it('of ours is accepted, also after the last row', async () => {
    const after = encodeCursor({ at: new Date('2999-01-01T00:00:00Z'), id: ID });
    const page = { projectId: fixture.projectId, after, limit: 5, view: 'all' as const };
    expect(await listQueue(testEnv.services, fixture.anna, page)).toMatchObject({ items: [], nextCursor: null });
  });
});

describe('an analytics window', () => {
  const read = (from: string, to: string, who = fixture.supervisor) =>
    readAnalytics(testEnv.services, who, {
      projectId: fixture.projectId,
      from: new Date(from),
      to: new Date(to),
      bucket: undefined,
    });

  it.each([
    ['before the first date of the database', '0000-01-01T00:00:00Z', '0000-01-02T00:00:00Z', '#/from'],
    ['that ends before it starts', '2026-03-02T00:00:00Z', '2026-03-01T00:00:00Z', '#/from'],
    ['that is invalid', '2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z', '#/from'],
    ['of a thousand years by day', '1970-01-01T00:00:00Z', '2970-01-01T00:00:00Z', '#/bucket'],
  ])('%s is refused by name', async (_, from, to, pointer) => {
    await expect(read(from, to)).rejects.toMatchObject({
      code: 'validation_failed',
      extras: { errors: [{ pointer }] },
    });
  });

  it('has every bucket in order, also at the end of the calendar; PM: not for reviewers', async () => {
    const { flow } = await read('9999-12-31T00:00:00Z', '9999-12-31T23:59:59Z');
    expect(flow).toHaveLength(24);
    expect(flow.map(({ at }) => at)).toEqual(flow.map(({ at }) => at).toSorted());
    await expect(read('2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z', fixture.anna)).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});
