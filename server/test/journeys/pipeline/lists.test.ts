// Tests the lists of a pipeline: its items newest first, and the final decisions in the order of the event log.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listEvents, listItems } from '@countersign/shared/routes/public';
import type { PublicEvent, PublicItem } from '@countersign/shared/schemas/public';
import { undoDecision } from '@countersign/shared/routes/queue';
import type { ErrorCode } from '@countersign/shared/errors';
import { ITEM_STATUSES } from '@countersign/shared/enums';
import { aSubmission, openProject, type OpenProject, review } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { useTestEnvironment } from '../../test-environment.ts';
import { endUndoWindows } from '../resilience/expire-leases.ts';

const testEnv = useTestEnvironment();
let owner: Person;
let receiver: Receiver;

beforeAll(async () => {
  owner = await person(testEnv);
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

/** Every page from the first on; `between` runs after each page. */
async function allItems(
  of: OpenProject,
  query: { limit?: number; status?: PublicItem['status']; since?: Date; until?: Date } = {},
  between: (page: number) => Promise<unknown> = () => Promise.resolve(),
): Promise<PublicItem[]> {
  const items: PublicItem[] = [];
  let after: string | undefined;
  for (let page = 0; ; page += 1) {
    const all = { limit: 100, ...query, ...(after === undefined ? {} : { after }) };
    const { data, has_more, next_cursor } = await of.pipeline.call(listItems, { query: all }, { process: page });
    items.push(...data);
    expect(has_more).toBe(next_cursor !== null);
    expect(data.length).toBeLessThanOrEqual(all.limit);
    if (next_cursor === null) return items;
    expect(data).toHaveLength(all.limit);
    after = next_cursor;
    await between(page);
  }
}

async function submitMany(of: OpenProject, count: number): Promise<string[]> {
  const items = Array.from({ length: count }, () => ({ project_id: of.id, ...aSubmission() }));
  const answer = await of.pipeline.submitBatchRaw(JSON.stringify({ items }));
  if (!answer.ok) throw new Error(answer.text);
  return answer.reply.results.flatMap((result) => ('id' in result ? [result.id] : []));
}

const idsOf = (items: { id: string }[]) => items.map(({ id }) => id);

describe('GET /items', () => {
  it('returns every item once, newest first, while others submit and where many arrived at the same time', async () => {
    const project = await openProject(owner);
    const before = [...(await submitMany(project, 30)), ...(await submitMany(project, 11))];
    const items = await allItems(project, { limit: 7 }, () => submitMany(project, 3));
    expect(idsOf(items)).toEqual(before.toReversed());
    expect(new Set(items.map((item) => item.created_at)).size).toBeLessThanOrEqual(2);
    const now = await allItems(project, { limit: 1 });
    expect(now).toHaveLength(41 + 5 * 3);
    expect(idsOf(now.slice(-41))).toEqual(before.toReversed());
  });

  it('LC2: filters by the public status; a provisional decision does not show', async () => {
    const project = await openProject(owner, { settings: { undo_window_seconds: 30 } });
    const [open, decided, undone] = await submitMany(project, 3);
    for (const id of [decided, undone]) await review(owner, id ?? '', 'reject');
    await owner.call(undoDecision, { params: { id: undone ?? '' } });
    const { id: automatic } = await project.pipeline.submit(aSubmission({ confidence: 0.99 }));
    const { id: refused } = await project.pipeline.submit(aSubmission({ confidence: 0.1 }));
    const { id: escalated } = await project.pipeline.submit(aSubmission({ risk_flags: ['legal'] }));
    await review(owner, escalated, 'finalize');
    const expected: Record<string, (string | undefined)[]> = {
      queued: [undone, decided, open],
      auto_approved: [automatic],
      rejected: [refused],
      escalated: [escalated],
    };
    for (const status of ITEM_STATUSES) {
      const items = await allItems(project, { status, limit: 2 });
      expect(idsOf(items), status).toEqual(expected[status] ?? []);
      for (const item of items) expect(item.status).toBe(status);
    }
    const provisional = (await allItems(project)).filter(({ status }) => status === 'queued' || status === 'escalated');
    for (const item of provisional) expect(item).toMatchObject({ decision: null, decided_at: null });
  });

  it('returns the same as GET /items/:id for an item', async () => {
    const project = await openProject(owner);
    const [id = ''] = await submitMany(project, 1);
    await review(owner, id, 'edit');
    const [listed] = await allItems(project);
    expect(listed).toEqual(await project.pipeline.read(id));
    expect(listed).toMatchObject({ status: 'approved', decided_at: listed?.decision?.decided_at });
  });

  it('includes the time of since and excludes that of until; any offset means the same time', async () => {
    const project = await openProject(owner);
    for (let n = 0; n < 3; n += 1) await submitMany(project, 2);
    const items = await allItems(project);
    const moments = items.map((item) => new Date(item.created_at).getTime());
    const at = moments[3] ?? 0;
    const expected = (kept: (time: number) => boolean) => items.filter((_, n) => kept(moments[n] ?? 0));
    expect(await allItems(project, { since: new Date(at) })).toEqual(expected((time) => time >= at));
    expect(await allItems(project, { until: new Date(at) })).toEqual(expected((time) => time < at));
    const shifted = `${new Date(at + 2 * 3_600_000).toISOString().slice(0, -1)}+02:00`;
    const { data } = await project.pipeline.call(listItems, { query: { since: shifted as unknown as Date } });
    expect(data).toEqual(expected((time) => time >= at));
  });

  it('never shows another project’s items, not with its cursor either', async () => {
    const [mine, theirs] = [await openProject(owner), await openProject(owner)];
    const [first = '', second = ''] = [...(await submitMany(mine, 1)), ...(await submitMany(mine, 1))];
    await submitMany(theirs, 3);
    const page = await theirs.pipeline.call(listItems, { query: { limit: 1 } });
    const query = { after: page.next_cursor ?? '' };
    expect(idsOf((await mine.pipeline.call(listItems, { query })).data)).toEqual([second, first]);
    expect(idsOf((await mine.pipeline.call(listItems, { query: { cursor: query.after } })).data)).toHaveLength(2);
  });

  it.each<[string, ErrorCode, string?]>([
    ['limit=0', 'validation_failed', '#/query/limit'],
    ['limit=101', 'validation_failed', '#/query/limit'],
    ['limit=1.5', 'validation_failed', '#/query/limit'],
    ['limit=ten', 'validation_failed', '#/query/limit'],
    ['limit=', 'validation_failed', '#/query/limit'],
    ['limit=1&limit=2', 'validation_failed', '#/query/limit'],
    ['status=decided', 'validation_failed', '#/query/status'],
    ['status=', 'validation_failed', '#/query/status'],
    ['since=yesterday', 'validation_failed', '#/query/since'],
    ['since=2026-01-01', 'validation_failed', '#/query/since'],
    ['until=2026-02-30T00:00:00Z', 'validation_failed', '#/query/until'],
    ['state=queued', 'validation_failed', '#/query/state'],
    ['__proto__=1', 'validation_failed', '#/query/__proto__'],
    ['after=', 'invalid_cursor'],
    ['after=nonsense', 'invalid_cursor'],
    [`after=${Buffer.from('[-1,"x"]').toString('base64url')}`, 'invalid_cursor'],
    ['cursor=%00', 'invalid_cursor'],
  ])('GET /items?%s is refused', async (search, code, pointer) => {
    const project = await openProject(owner);
    const refused = await refusalOf(project, `${listItems.path}?${search}`);
    expect([refused.code, refused.errors?.[0]?.pointer]).toEqual([code, pointer]);
  });

  it.each(['0000-01-01T00:00:00Z', '0000-01-01T00:00:00+14:00', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59-12:00'])(
    'accepts times at the ends of the calendar: %s',
    async (moment) => {
      const project = await openProject(owner);
      await submitMany(project, 1);
      const time = moment as unknown as Date;
      const since = await project.pipeline.attempt(listItems, { query: { since: time } });
      const until = await project.pipeline.attempt(listItems, { query: { until: time } });
      const counts = [since, until].map((answer) => (answer.ok ? answer.reply.data.length : answer.text));
      expect(counts).toEqual(moment.startsWith('9') ? [0, 1] : [1, 0]);
    },
  );
});

async function refusalOf(of: OpenProject, path: string) {
  const answer = await fetch(testEnv.url() + path, { headers: { 'x-api-key': of.pipeline.apiKey } });
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  return (await answer.json()) as { code: ErrorCode; errors?: { pointer: string }[] };
}

/** The feed from `after` on, once it has so many events. */
async function feed(of: OpenProject, count: number, after?: string): Promise<PublicEvent[]> {
  const read = async () =>
    (await of.pipeline.call(listEvents, { query: { limit: 100, ...(after ? { after } : {}) } })).data;
  await expect.poll(async () => (await read()).length, { interval: 25 }).toBe(count);
  return read();
}

describe('GET /events', () => {
  it('I5: lists every final decision once, in order, with the id and the body of its webhook', async () => {
    const project = await openProject(owner, { receiver });
    const ids = await submitMany(project, 3);
    await review(owner, ids[0] ?? '', 'approve');
    const { id: automatic } = await project.pipeline.submit(aSubmission({ confidence: 0.99, suggestion: { a: 1 } }));
    await project.pipeline.submit(aSubmission({ confidence: 0.1 }));
    await review(owner, ids[1] ?? '', 'edit');
    await review(owner, ids[2] ?? '', 'reject');
    const events = await feed(project, 4);
    expect(events.map((event) => event.item_id)).toEqual([ids[0], automatic, ids[1], ids[2]]);
    expect(events[1]).toMatchObject({ status: 'approved', reviewer_id: null, decision: { output: { a: 1 } } });
    for (const event of events.filter(({ item_id }) => item_id !== automatic)) {
      const { webhookId, body } = await receiver.next(event.item_id);
      expect({ ...(JSON.parse(body) as object), id: webhookId }).toEqual(event);
      const answer = await fetch(testEnv.url(1) + listEvents.path, {
        headers: { 'x-api-key': project.pipeline.apiKey },
      });
      // Byte for byte: the delivered body follows the id.
      expect(await answer.text()).toContain(`{"id":"${webhookId}",${body.slice(1)}`);
    }
  });

  it('pages by cursor; the cursor is present when nothing is new, stays, and continues after a crash', async () => {
    const project = await openProject(owner);
    const empty = await project.pipeline.call(listEvents);
    expect(empty).toMatchObject({ data: [], has_more: false });
    const again = await project.pipeline.call(listEvents, { query: { after: empty.next_cursor } });
    expect(again).toEqual(empty);
    const ids = await submitMany(project, 5);
    for (const id of ids) await review(owner, id);
    await feed(project, 5, empty.next_cursor);
    const first = await project.pipeline.call(listEvents, { query: { after: empty.next_cursor, limit: 3 } });
    expect(first).toMatchObject({ has_more: true, data: ids.slice(0, 3).map((id) => ({ item_id: id })) });
    await testEnv.kill9();
    await testEnv.restart();
    const rest = await project.pipeline.call(listEvents, { query: { after: first.next_cursor, limit: 2 } });
    expect(rest).toMatchObject({ has_more: false, data: ids.slice(3).map((id) => ({ item_id: id })) });
    const end = await project.pipeline.call(listEvents, { query: { after: rest.next_cursor } });
    expect(end).toEqual({ data: [], has_more: false, next_cursor: rest.next_cursor });
    const { id } = await project.pipeline.submit(aSubmission({ confidence: 0.99 }));
    expect(await feed(project, 1, rest.next_cursor)).toMatchObject([{ item_id: id }]);
  });

  it('LC2: a provisional decision is listed when its undo window has passed, one that was undone never', async () => {
    const project = await openProject(owner, { settings: { undo_window_seconds: 30 } });
    const [kept = '', undone = ''] = await submitMany(project, 2);
    await review(owner, undone, 'reject');
    await owner.call(undoDecision, { params: { id: undone } });
    await review(owner, kept, 'edit');
    expect((await project.pipeline.call(listEvents)).data).toEqual([]);
    await endUndoWindows(testEnv);
    const [event] = await feed(project, 1);
    expect(event).toMatchObject({ item_id: kept, decision: (await project.pipeline.read(kept)).decision });
  });

  it('refuses a cursor of another project that is beyond its own events', async () => {
    const [busy, quiet] = [await openProject(owner), await openProject(owner)];
    const [id = ''] = await submitMany(busy, 1);
    await review(owner, id);
    await feed(busy, 1);
    const { next_cursor: after } = await busy.pipeline.call(listEvents);
    expect((await refusalOf(quiet, `${listEvents.path}?after=${after}`)).code).toBe('invalid_cursor');
    expect((await refusalOf(busy, `${listEvents.path}?after=${after}*!`)).code).toBe('invalid_cursor');
    expect((await busy.pipeline.call(listEvents, { query: { after } })).data).toEqual([]);
  });

  it.each(['after=nonsense', 'after=', `after=${Buffer.from('seq:-1').toString('base64url')}`])(
    'GET /events?%s is refused',
    async (search) => {
      const project = await openProject(owner);
      expect((await refusalOf(project, `${listEvents.path}?${search}`)).code).toBe('invalid_cursor');
    },
  );
});
