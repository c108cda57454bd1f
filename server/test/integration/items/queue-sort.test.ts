// Tests the sorts of the queue: the database orders rows as `QUEUE_ORDER` does, page by page, at any length.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { QUEUE_VIEWS, type QueueView } from '@countersign/shared/enums';
import type { QueuePage } from '@countersign/shared/schemas/queue';
import { answers } from '@countersign/shared/filters/queue-filter';
import type { QueueFilter } from '@countersign/shared/schemas/parts/queue-filter';
import { QUEUE_ORDER, QUEUE_SORTS, type QueueSort } from '@countersign/shared/filters/queue-order';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import type { Em } from '../../../src/db/orm.ts';
import { presentQueue } from '../../../src/presenters/item.ts';
import { listQueue, readQueueRows } from '../../../src/usecases/items/list-queue.ts';
import { decodeQueueCursor, type KeyValues } from '../../../src/usecases/items/queue-order.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { createProjectFixture, anItem, grantRole, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
/** Anna is a reviewer of both: in the one with audits the confidence is hidden from her, and not from its supervisor. */
let open: ProjectFixture;
let audited: ProjectFixture;

/** In UTF-16 units the emoji comes before U+FF21, by code points after it. */
const FLAGS = ['pii', 'PII', 'a,b', 'Ａ', '😀', 'é', 'e', 'pi', '1', '0', "it's", '\u0001', 'x'.repeat(100)];
const CONFIDENCES = [0, 1, 0.5, 0.1, 0.7000000000000001, 0.7, 5e-324];

/** Copies of the one item of a project, with few different values, so that many are equal in one or more of them. */
async function fill({ projectId, anna }: ProjectFixture): Promise<void> {
  const copies = Array.from({ length: 40 }, (_, n) => ({
    status: n % 4 === 0 ? 'escalated' : 'queued',
    confidence: CONFIDENCES[(n * 5) % CONFIDENCES.length],
    risk_flags: [[], [FLAGS[n % FLAGS.length]], [FLAGS[(n * 7) % FLAGS.length], 'pii']][n % 3],
    preview: n % 2 === 0 ? 'even' : 'odd',
    claimed_by: n % 9 === 0 ? anna.userId : null,
    created: n % 5,
    due: (n * 3) % 7,
  }));
  await testEnv.sql(
    `insert into item (id, project_id, status, input, suggestion, confidence, risk_flags, preview, rule, auto_threshold, review_threshold,
       matched_flags, settings_version, version, created_at, due_at, claimed_by, claim_expires_at)
     select gen_random_uuid(), project_id, copy.status, input, suggestion, copy.confidence,
       array(select json_array_elements_text(copy.risk_flags)), copy.preview, rule, auto_threshold, review_threshold, '{}', 1, 1,
       created_at + created * interval '1 second', due_at + due * interval '1 second', copy.claimed_by,
       case when copy.claimed_by is not null then now() + interval '1 hour' end
     from item, json_to_recordset(?::json) as copy(status text, confidence float8, risk_flags json, preview text, claimed_by uuid,
       created int, due int)
     where project_id = ?`,
    [JSON.stringify(copies), projectId],
  );
}

beforeAll(async () => {
  open = await createProjectFixture(testEnv.services);
  audited = await createProjectFixture(testEnv.services, { audit_rate: 1 });
  await grantRole(testEnv.services, audited, { who: open.anna });
  for (const fixture of [open, audited]) {
    await anItem(testEnv.services, fixture);
    await fill(fixture);
  }
});

interface Asked {
  sort: QueueSort;
  view?: QueueView;
  filter?: QueueFilter;
  after?: string | undefined;
  limit?: number;
}

async function page(who: MemberActor, { view = 'all', after, limit = 500, ...asked }: Asked): Promise<QueuePage> {
  const snapshot = await listQueue(testEnv.services, who, { projectId: undefined, view, after, limit, ...asked });
  return presentQueue(snapshot, { projectId: undefined, now: new Date() });
}

/** All pages of a list, and where each ended. */
async function pages(who: MemberActor, asked: Asked): Promise<{ rows: ItemRow[]; ends: QueuePage['until'][] }> {
  const rows: ItemRow[] = [];
  const ends: QueuePage['until'][] = [];
  for (let after: string | undefined; ;) {
    const { data, next_cursor, until } = await page(who, { ...asked, after });
    rows.push(...data);
    if (next_cursor === null) return { rows, ends };
    expect(data.length).toBeGreaterThan(0);
    ends.push(until);
    after = next_cursor;
  }
}

const filter: fc.Arbitrary<QueueFilter> = fc.constantFrom<QueueFilter>(
  {},
  { flag: 'pii' },
  { text: 'even' },
  { min_confidence: 0.1, max_confidence: 0.7 },
  { flag: 'none' },
);

describe('QU25: pages of a sorted queue', () => {
  it('together are the whole list, sorted, without a gap or a repetition', async () => {
    const who = fc.constantFrom('anna', 'supervisor');
    const asked = fc.record({
      sort: fc.constantFrom(...QUEUE_SORTS),
      view: fc.constantFrom(...QUEUE_VIEWS),
      filter,
      limit: fc.integer({ min: 1, max: 30 }),
    });
    let most = 0;
    await fc.assert(
      fc.asyncProperty(who, asked, async (name, { sort, ...rest }) => {
        const actor = name === 'anna' ? open.anna : audited.supervisor;
        const inDueOrder = await page(actor, { view: rest.view, sort: 'due' });
        const wanted = inDueOrder.data.filter((row) => answers(rest.filter, row)).toSorted(QUEUE_ORDER[sort]);
        const { rows, ends } = await pages(actor, { sort, ...rest });
        expect(rows).toEqual(wanted);
        const compare = QUEUE_ORDER[sort];
        for (const [at, end] of ends.entries()) {
          const covered = rows.filter((row) => end !== null && compare(row, end) <= 0);
          expect(covered.length).toBe(Math.min(rows.length, (at + 1) * rest.limit));
        }
        most = Math.max(most, ends.length);
      }),
      {
        numRuns: 60,
        // Many pages of each order, independent of what is drawn.
        examples: QUEUE_SORTS.map((sort) => ['anna', { sort, view: 'all', filter: {}, limit: 3 }]),
      },
    );
    expect(most).toBeGreaterThan(10);
  });

  it('AU3: by confidence, items whose confidence is hidden come last, in due order', async () => {
    const { data } = await page(open.anna, { sort: 'confidence' });
    const hidden = data.filter(({ project_id }) => project_id === audited.projectId);
    expect(hidden).toHaveLength(41);
    expect(hidden.every(({ confidence }) => confidence === null)).toBe(true);
    expect(data.slice(-41)).toEqual(hidden.toSorted(QUEUE_ORDER.due));
    const { rows, ends } = await pages(open.anna, { sort: 'confidence', limit: 50 });
    expect([rows.length, ends[0]?.confidence]).toEqual([82, null]);
  });

  it.each(QUEUE_SORTS)('by %s: a cursor of another sort is refused, and says which it is of', async (sort) => {
    for (const other of QUEUE_SORTS.filter((each) => each !== sort)) {
      const { next_cursor } = await page(open.anna, { sort: other, limit: 3 });
      await expect(page(open.anna, { sort, after: next_cursor ?? '' })).rejects.toMatchObject({
        code: 'invalid_cursor',
        message: expect.stringContaining(`sort=${other}`) as string,
      });
    }
  });

  it.each(QUEUE_SORTS)('by %s: a cursor with a character more is refused', async (sort) => {
    const { next_cursor } = await page(open.anna, { sort, limit: 3 });
    const after = `${next_cursor}*`;
    await expect(page(open.anna, { sort, after })).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  const ID = '0197f1a0-0000-7000-8000-000000000001';
  const AT = '2026-03-01T00:00:00.000Z';
  it.each([
    ['newest', [AT]],
    ['newest', ['2026-03-01', ID]],
    ['newest', ['0000-01-01T00:00:00.000Z', ID]],
    ['newest', ['2026-02-31T25:00:00.000Z', ID]],
    ['newest', [AT, ID, ID]],
    ['newest', [AT, 'x']],
    ['confidence', ['0.5', AT, ID]],
    ['confidence', [3, AT, ID]],
    ['confidence', [null, AT, ID]],
    ['flag', [0, AT, ID]],
    ['flag', ['0a\0', AT, ID]],
    ['flag', ['0\ud83d', AT, ID]],
    ['flag', [`0${'x'.repeat(101)}`, AT, ID]],
  ] as const)('by %s: a cursor of %j is refused by name', async (sort, values) => {
    const after = Buffer.from(JSON.stringify([sort, ...values])).toString('base64url');
    await expect(page(open.anna, { sort, after })).rejects.toMatchObject({ code: 'invalid_cursor' });
  });
});

describe('a queue of 50 000', () => {
  let long: ProjectFixture;
  const LENGTH = 50_000;

  beforeAll(async () => {
    long = await createProjectFixture(testEnv.services);
    await anItem(testEnv.services, long);
    await testEnv.sql(
      `insert into item (id, project_id, status, input, suggestion, confidence, risk_flags, preview, rule, auto_threshold, review_threshold,
         matched_flags, settings_version, version, created_at, due_at)
       select gen_random_uuid(), project_id, case when n % 20 = 0 then 'escalated' else 'queued' end, input, suggestion,
         (n::bigint * 7919 % 1000) / 1000.0, case n % 3 when 0 then '{}' else array['f' || n % 11] end,
         case when n % 10000 = 0 then 'needle' else 'hay' end, rule, auto_threshold, review_threshold, '{}', 1, 1,
         created_at - (n::bigint * 104729 % 50021) * interval '1 second', due_at + n * interval '1 second'
       from item, generate_series(1, ${LENGTH - 1}) n where project_id = ?`,
      [long.projectId],
    );
    await testEnv.sql('analyze item');
  });

  /** How many rows of the table have been visited on this connection. */
  const visits = async (em: Em): Promise<number> => {
    const [row] = await em.execute<{ n: string }[]>(
      `select coalesce(idx_tup_fetch, 0) + seq_tup_read as n from pg_stat_xact_user_tables where relname = 'item'`,
    );
    return Number(row?.n);
  };
  const visited = (ask: (em: Em) => Promise<unknown>): Promise<number> =>
    testEnv.services.db.read((em) =>
      em.transactional(async (inside) => {
        const before = await visits(inside);
        await ask(inside);
        return (await visits(inside)) - before;
      }),
    );

  it.each(QUEUE_SORTS)('by %s: no page reads more than its rows of each status', async (sort) => {
    const scope = {
      all: [long.projectId],
      escalated: [long.projectId],
      blind: new Set<string>(),
      userId: long.supervisor.userId,
    };
    const read = (view: QueueView, after: KeyValues | null) =>
      visited(async (em) => {
        const asked = { view, sort, filter: {}, after, limit: 100 };
        expect((await readQueueRows(em, scope, asked)).items).toHaveLength(100);
      });
    for (const view of ['available', 'escalated', 'all'] as const) {
      const { next_cursor } = await page(long.supervisor, { sort, view, limit: 500 });
      expect(await read(view, null), view).toBeLessThanOrEqual(2 * 101);
      const after = decodeQueueCursor(sort, next_cursor ?? '');
      expect(await read(view, after), `${view}, second page`).toBeLessThanOrEqual(2 * 101);
    }
  });

  it.each(QUEUE_SORTS)('by %s: a filter searches one part at a time, and finds every match once', async (sort) => {
    const found: ItemRow[] = [];
    let requests = 0;
    for (let after: string | undefined; ;) {
      const { data, next_cursor } = await page(long.supervisor, { sort, filter: { text: 'needle' }, after });
      found.push(...data);
      requests += 1;
      if (next_cursor === null) break;
      after = next_cursor;
    }
    expect(requests).toBeGreaterThan(1);
    expect([found.length, new Set(found.map(({ id }) => id)).size]).toEqual([4, 4]);
    expect(found).toEqual(found.toSorted(QUEUE_ORDER[sort]));
  });
});
