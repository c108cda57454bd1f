// Tests the filters of the delivery log: the database matches the same rows as `answersDelivery`, page by page.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listDeliveries as endpoint } from '@countersign/shared/routes/deliveries';
import type { Delivery as Line } from '@countersign/shared/schemas/deliveries';
import { answersDelivery } from '@countersign/shared/filters/delivery-filter';
import { DELIVERY_STATES, DELIVERY_STATUSES } from '@countersign/shared/enums';
import type { DeliveryFilter } from '@countersign/shared/schemas/parts/delivery-filter';
import { createProject } from '@countersign/shared/routes/projects';
import { presentDelivery, presentDeliverySummary } from '../../../src/presenters/delivery.ts';
import { NO_EXTRAS } from '../../../src/usecases/webhooks/delivery-extras.ts';
import { listDeliveries } from '../../../src/usecases/webhooks/list-deliveries.ts';
import { summarizeDeliveries } from '../../../src/usecases/webhooks/summarize-deliveries.ts';
import { person } from '../../client.ts';
import { createProjectFixture, anItem, type ProjectFixture } from '../support/project-fixture.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let served: Served;
let fixture: ProjectFixture;
let others: ProjectFixture;
/** All rows of the project, newest first. */
let lines: Line[];

/** The result of the last attempt; the first row has none. */
const ANSWERS = [
  [null, null],
  [200, null],
  [202, null],
  [200, 'connection_reset'],
  [302, 'redirect_refused'],
  [404, 'http_4xx'],
  [429, 'http_4xx'],
  [503, 'http_5xx'],
  [null, 'timeout'],
  [null, 'dns_error'],
] as const;

async function fill(of: ProjectFixture, count: number): Promise<void> {
  const items = [await anItem(testEnv.services, of), await anItem(testEnv.services, of)];
  for (let at = 0; at < count; at += 1) {
    const status = DELIVERY_STATUSES[at % 5];
    // Only a 2xx is a success (WH1).
    const [httpStatus, error] = ANSWERS[status === 'succeeded' ? 1 + (at % 2) : at % ANSWERS.length] ?? ANSWERS[0];
    const id = testEnv.services.ids.uuid();
    await testEnv.sql(
      `insert into delivery (id, project_id, item_id, webhook_id, seq, body, status, attempt, schedule_from, http_status, error, created_at)
       values (?, ?, ?, ?, ?, '{}', ?, ?, 0, ?, ?, timestamptz '2026-03-01T12:00:00Z' + make_interval(secs => ?))`,
      // Every third was created at the same moment as the one before.
      [
        ...[id, of.projectId, items[at % 2]?.id, `evt_${id}`, at],
        ...[status, error === null && httpStatus === null ? 0 : 1, httpStatus, error, at - (at % 3)],
      ],
    );
  }
}

interface Page {
  rows: Line[];
  nextCursor: string | null;
}

async function read(filter: DeliveryFilter, given: { after?: string; limit?: number } = {}): Promise<Page> {
  const query = { projectId: fixture.projectId, after: given.after, limit: given.limit ?? 100, ...filter };
  const page = await listDeliveries(testEnv.services, fixture.supervisor, query);
  const rows = page.rows.map((row) => presentDelivery(row, page, page.extras.get(row.id) ?? NO_EXTRAS));
  return { rows, nextCursor: page.nextCursor };
}

/** The ids of all pages, one after the other. */
async function readAll(filter: DeliveryFilter, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const page = await read(filter, { limit, ...(after === undefined ? {} : { after }) });
    ids.push(...page.rows.map(({ id }) => id));
    after = page.nextCursor ?? undefined;
  } while (after !== undefined);
  return ids;
}

beforeAll(async () => {
  served = await serve(testEnv.services);
  fixture = await createProjectFixture(testEnv.services);
  others = await createProjectFixture(testEnv.services);
  await fill(fixture, 50);
  await fill(others, 10);
  lines = (await read({})).rows;
});

afterAll(() => served.close());

const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

describe('a filter of the delivery log', () => {
  it('matches what the page matches, for one field and for all of them, at any page size', async () => {
    expect(lines).toHaveLength(50);
    const filters = fc.record({
      status: some(fc.constantFrom(...DELIVERY_STATES)),
      code: some(fc.constantFrom('200', '202', '404', '599', '100', '2xx', '3xx', '4xx', '5xx', 'none')),
      event: fc.option(
        fc.nat(49).map((at) => lines[at]?.webhook_id),
        { nil: undefined, freq: 1 },
      ),
      item: some(fc.constantFrom(...new Set(lines.map(({ item_id }) => item_id)))),
    });
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 12 }), async (filter, limit) => {
        const expected = lines.filter((line) => answersDelivery(filter, line)).map(({ id }) => id);
        expect(await readAll(filter, limit)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('has fields that each match something and exclude something', async () => {
    const [first] = lines;
    const each: DeliveryFilter[] = [
      ...[
        { status: 'failed' as const },
        { status: 'dead' as const },
        { code: '2xx' },
        { code: '404' },
        { code: 'none' },
      ],
      ...[{ event: first?.webhook_id }, { item: first?.item_id }],
    ];
    for (const filter of each) {
      const { rows } = await read(filter);
      expect([rows.length > 0, rows.length < lines.length], JSON.stringify(filter)).toEqual([true, true]);
    }
  });

  it('“none” means tried without a response: an untried delivery is not among them', async () => {
    const { rows } = await read({ code: 'none' });
    expect(new Set(rows.map(({ error }) => error))).toEqual(new Set(['timeout', 'dns_error']));
  });

  it('does not change the meaning of a cursor', async () => {
    const { nextCursor } = await read({}, { limit: 20 });
    const { rows } = await read({ status: 'failed' }, { after: nextCursor ?? '' });
    const older = lines.slice(20).filter(({ error }) => error !== null);
    expect(rows.map(({ id }) => id)).toEqual(older.map(({ id }) => id));
  });

  it('finds nothing by an id of another project, and nothing of it under any filter', async () => {
    const [theirs] = await testEnv.sql<{ webhook_id: string; item_id: string }>(
      'select webhook_id, item_id from delivery where project_id = ?',
      [others.projectId],
    );
    expect((await read({ event: theirs?.webhook_id })).rows).toEqual([]);
    expect((await read({ item: theirs?.item_id })).rows).toEqual([]);
    expect((await read({ code: 'none' })).rows.length).toBe(
      lines.filter((line) => answersDelivery({ code: 'none' }, line)).length,
    );
  });

  it('is refused without the permission to see deliveries, with any filter', async () => {
    const query = { projectId: fixture.projectId, after: undefined, limit: 1, code: 'none' };
    await expect(listDeliveries(testEnv.services, fixture.anna, query)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(listDeliveries(testEnv.services, others.owner, query)).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each([
    ['status', 'gone'],
    ['code', '1xx'],
    ['code', '600'],
    ['event', 'not-an-event'],
    ['event', 'evt_\0'],
    ['item', '42'],
    ['item', "' or true --"],
  ])('a bad value is refused by name: %s=%s', async (field, value) => {
    const owner = await person(served.testEnv);
    const { id } = await owner.call(createProject, { body: { name: 'Refunds' } });
    const query = { [field]: value } as object;
    const { errors } = await owner.refused('validation_failed', endpoint, { params: { id }, query });
    expect(errors?.map(({ pointer }) => pointer)).toEqual([`#/query/${field}`]);
  });
});

describe('WH11: the figures of the delivery log', () => {
  const figures = async (of: ProjectFixture) =>
    presentDeliverySummary(await summarizeDeliveries(testEnv.services, of.supervisor, of.projectId));

  it('count what the log lists under each filter', async () => {
    const { counts, recent, abilities } = await figures(fixture);
    for (const [status, counted] of Object.entries(counts)) {
      const filter = status === 'all' ? {} : { status: status as NonNullable<DeliveryFilter['status']> };
      expect(counted, status).toBe(lines.filter((line) => answersDelivery(filter, line)).length);
    }
    // All are older than a day, and the project has no URL.
    expect(recent).toEqual({ succeeded: 0, dead: 0, limited: false, p95_ms: null });
    expect(abilities).toEqual({ retry_all: false });
  });

  it('say how many of the last 24 hours arrived or ended without, and how long attempts took', async () => {
    const recent = await createProjectFixture(testEnv.services);
    await fill(recent, 10);
    await testEnv.sql(`update delivery set created_at = now() - interval '1 hour' where project_id = ?`, [
      recent.projectId,
    ]);
    // One that was cancelled or waits has no result; a lost lease measures another worker's attempt.
    await testEnv.sql(
      `update delivery set status = case seq when 0 then 'cancelled' when 8 then 'dead' when 9 then 'pending' else 'succeeded' end where project_id = ?`,
      [recent.projectId],
    );
    await testEnv.sql(
      `insert into attempt (delivery_id, n, url, started_at, total_ms, error)
       select id, n, 'http://a.test/', now(), case n when 3 then 9000 else seq * 10 + n end, case n when 3 then 'lease_lost' end
       from delivery, generate_series(1, 3) n where project_id = ? and seq between 1 and 5`,
      [recent.projectId],
    );
    expect((await figures(recent)).recent).toEqual({ succeeded: 7, dead: 1, limited: false, p95_ms: 52 });
  });

  it('are for those who see deliveries', async () => {
    const read = (who: ProjectFixture['owner']) => summarizeDeliveries(testEnv.services, who, fixture.projectId);
    await expect(read(fixture.anna)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(read(others.owner)).rejects.toMatchObject({ code: 'not_found' });
  });
});
