// Tests learnings as JSONL (LX): final ones, in the order of the event log; the same cut-off gives the same bytes.
import { type ExportFilter, exportFilter } from '@countersign/shared/schemas/exports';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { removeMember } from '../../../src/usecases/access/change-member.ts';
import { exportLearnings } from '../../../src/usecases/learnings/export-learnings.ts';
import { listExports, previewExport } from '../../../src/usecases/learnings/list-exports.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { finalizeOnce } from '../../../src/worker/finalize.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { anItem, aPerson, createProjectFixture, review, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
/** More than one read returns. */
const MANY = 120;

const relay = async () => {
  while ((await relayOnce(testEnv.services, testEnv.signals)).again);
};

/** An override in the fixture project that is final and in the event log, unless its undo window is still open. */
async function overridden(of: ProjectFixture, n: number, action: 'edit' | 'reject' = 'edit'): Promise<string> {
  const raw = `{"question":"Question ${n}"}`;
  const metadata = { raw: '{}', value: { model: `m-${n % 2}`, source: 's' } };
  const given = { input: { value: JSON.parse(raw) as object, raw }, riskFlags: n % 3 === 0 ? ['pii'] : [], metadata };
  const { id } = await anItem(testEnv.services, of, given);
  await review(testEnv.services, of.supervisor, { itemId: id, action, reason: n % 2 ? 'Wrong fact' : 'Too long' });
  return id;
}

async function linesOf(of: ProjectFixture, asked: Partial<ExportFilter> & { skip?: number } = {}, who = of.supervisor) {
  const { skip = 0, ...filter } = asked;
  const input = { projectId: of.projectId, filter: exportFilter.parse(filter), skip };
  const { through, lines } = await exportLearnings(testEnv.services, who, input);
  let text = '';
  for await (const some of lines) text += some;
  return { through, text, lines: text.split('\n').slice(0, -1) };
}
const idsOf = (lines: string[]) => lines.map((line) => (JSON.parse(line) as { item_id: string }).item_id);

beforeAll(async () => {
  fixture = await createProjectFixture(testEnv.services);
  for (let n = 0; n < MANY; n += 1) await overridden(fixture, n, n % 4 === 0 ? 'reject' : 'edit');
  await review(testEnv.services, fixture.anna, {
    itemId: (await anItem(testEnv.services, fixture)).id,
    action: 'approve',
  });
  await relay();
});

describe('LX2: an export', () => {
  it('has every override once, in the order in which they became final, and no approval', async () => {
    const { lines } = await linesOf(fixture);
    const final = `select item_id from event where project_id = ? and type = 'item.finalized' and data ->> 'action' <> 'approve' order by seq`;
    const rows = await testEnv.sql<{ item_id: string }>(final, [fixture.projectId]);
    expect(idsOf(lines)).toEqual(rows.map(({ item_id }) => item_id));
    expect(lines).toHaveLength(MANY);
  });

  it('omits what can still be undone, and contains it once it is final', async () => {
    const open = await createProjectFixture(testEnv.services, { undo_window_seconds: 30 });
    const itemId = await overridden(open, 1);
    await relay();
    expect((await linesOf(open)).lines).toEqual([]);
    await testEnv.sql('update decision set undo_until = now() - make_interval(secs => 0.001) where item_id = ?', [
      itemId,
    ]);
    while ((await finalizeOnce(testEnv.services)).again);
    await relay();
    expect(idsOf((await linesOf(open)).lines)).toEqual([itemId]);
  });

  it('of the same cut-off is the same to the byte after any later events; of a later one continues', async () => {
    const other = await createProjectFixture(testEnv.services);
    await overridden(other, 1);
    await relay();
    const first = await linesOf(other);
    await overridden(other, 2, 'reject');
    await relay();
    expect((await linesOf(other, { through: first.through })).text).toBe(first.text);
    const later = await linesOf(other);
    expect(later.text.startsWith(first.text)).toBe(true);
    expect(later.lines).toHaveLength(2);
    expect((await linesOf(other, { through: Number.MAX_SAFE_INTEGER })).through).toBe(later.through);
  });

  it.each<Partial<ExportFilter>>([{ format: 'chat' }, { format: 'preference' }, { split: 'train' }])(
    'interrupted anywhere resumes without a line missing or repeated: %j',
    async (filter) => {
      const whole = await linesOf(fixture, filter);
      const { through } = whole;
      await fc.assert(
        fc.asyncProperty(fc.nat(whole.lines.length + 2), async (skip) => {
          const rest = await linesOf(fixture, { ...filter, through, skip });
          expect([...whole.lines.slice(0, skip), ...rest.lines]).toEqual(whole.lines);
        }),
        { numRuns: 12 },
      );
    },
  );

  it('ends when the permission is removed', async () => {
    const other = await createProjectFixture(testEnv.services);
    for (let n = 0; n < 60; n += 1) await overridden(other, n);
    await relay();
    const input = { projectId: other.projectId, filter: exportFilter.parse({}), skip: 0 };
    const { lines } = await exportLearnings(testEnv.services, other.supervisor, input);
    await lines.next();
    await removeMember(testEnv.services, other.owner, { projectId: other.projectId, userId: other.supervisor.userId });
    await expect(lines.next()).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('LX1, LX3: the selection', () => {
  const count = async (filter: Partial<ExportFilter>) => (await linesOf(fixture, filter)).lines.length;

  it.each<[string, Partial<ExportFilter>, (n: number) => boolean]>([
    ['edits', { action: 'edit' }, (n) => n % 4 !== 0],
    ['rejections', { action: 'reject' }, (n) => n % 4 === 0],
    ['a reason', { reason: 'Wrong fact' }, (n) => n % 2 === 1],
    ['a flag', { flag: 'pii' }, (n) => n % 3 === 0],
    ['a model', { model: 'm-1' }, (n) => n % 2 === 1],
    ['a source', { source: 'another' }, () => false],
    ['all of them', { action: 'edit', reason: 'Wrong fact', flag: 'pii', model: 'm-1' }, (n) => n % 6 === 3],
    ['those that the preference format can hold', { format: 'preference' }, (n) => n % 4 !== 0],
    ['rejections in the chat format: there are none', { format: 'chat', action: 'reject' }, () => false],
  ])('exports the selection: %s', async (_, filter, answers) => {
    const expected = Array.from({ length: MANY }, (__, n) => n).filter(answers);
    expect(await count(filter)).toBe(expected.length);
  });

  it('the two sides of a split are disjoint and complete', async () => {
    const [train, test] = [await linesOf(fixture, { split: 'train' }), await linesOf(fixture, { split: 'test' })];
    const whole = await linesOf(fixture);
    expect(test.lines.length).toBeGreaterThan(0);
    expect([...train.lines, ...test.lines].toSorted()).toEqual(whole.lines.toSorted());
  });
});

describe('LX4: before and after', () => {
  const preview = (of: ProjectFixture, filter: Partial<ExportFilter> = {}, who: MemberActor = of.supervisor) =>
    previewExport(testEnv.services, who, { projectId: of.projectId, filter: exportFilter.parse(filter) });

  it.each<Partial<ExportFilter>>([{}, { format: 'chat' }, { split: 'test' }])(
    '%j: previews what the export will contain',
    async (filter) => {
      const { through, text, lines } = await linesOf(fixture, filter);
      expect(await preview(fixture, filter)).toEqual({
        ...{ through, lines: lines.length, bytes: Buffer.byteLength(text), estimated: false },
        first: lines.slice(0, 3).map((text) => ({ text, length: text.length })),
      });
    },
  );

  it('estimates when there are many', async () => {
    const many = await createProjectFixture(testEnv.services);
    const itemId = await overridden(many, 1);
    await relay();
    await manyMore(many, itemId, 1500);
    const { lines, bytes, estimated } = await preview(many);
    expect(estimated).toBe(true);
    expect(lines).toBe(1501);
    const { text } = await linesOf(many);
    expect(Math.abs(bytes / Buffer.byteLength(text) - 1)).toBeLessThan(0.05);
  });

  it('an empty selection is reported as empty', async () => {
    const empty = await createProjectFixture(testEnv.services);
    expect(await preview(empty)).toEqual({ through: 0, lines: 0, bytes: 0, estimated: false, first: [] });
    expect((await linesOf(empty)).text).toBe('');
  });

  const page = ({ projectId }: ProjectFixture, limit = 20, after?: string) => ({ projectId, limit, after });

  it('exports are listed with their user, and with their lines when sent to the end', async () => {
    const other = await createProjectFixture(testEnv.services);
    for (let n = 0; n < 60; n += 1) await overridden(other, n);
    await relay();
    const whole = await linesOf(other, { format: 'eval' });
    const filter = exportFilter.parse({ reason: 'Too long' });
    const broken = await exportLearnings(testEnv.services, other.owner, {
      projectId: other.projectId,
      filter,
      skip: 0,
    });
    await broken.lines.next();
    await broken.lines.return(undefined);
    const first = await listExports(testEnv.services, other.supervisor, page(other, 1));
    expect(first.rows).toMatchObject([
      { id: broken.id, filter: { format: 'raw', reason: 'Too long' }, lines: null, exported_by_name: 'Olga' },
    ]);
    const rest = await listExports(testEnv.services, other.supervisor, page(other, 1, first.nextCursor ?? ''));
    expect(rest.rows).toMatchObject([
      { filter: { format: 'eval', through: whole.through }, lines: 60, exported_by_name: 'Sam' },
    ]);
    expect(rest.nextCursor).toBeNull();
  });

  it('PM: exports are for members who see learnings', async () => {
    for (const who of [fixture.anna, await aPerson(testEnv.services)]) {
      const code = who === fixture.anna ? 'forbidden' : 'not_found';
      await expect(linesOf(fixture, {}, who)).rejects.toMatchObject({ code });
      await expect(preview(fixture, {}, who)).rejects.toMatchObject({ code });
      await expect(listExports(testEnv.services, who, page(fixture))).rejects.toMatchObject({ code });
    }
  });
});

/** Copies of an override, as this many items, each made final in turn. */
async function manyMore(of: ProjectFixture, itemId: string, count: number): Promise<void> {
  await testEnv.sql(
    `with fresh as (select gen_random_uuid() as item, gen_random_uuid() as decision, n from generate_series(1, ?::int) n),
       items as (insert into item select (jsonb_populate_record(i, jsonb_build_object('id', f.item))).* from item i, fresh f where i.id = ?::uuid)
     insert into decision select (jsonb_populate_record(d, jsonb_build_object('id', f.decision, 'item_id', f.item))).* from decision d, fresh f where d.item_id = ?::uuid`,
    [count, itemId, itemId],
  );
  await testEnv.sql(
    `insert into learning select (jsonb_populate_record(l, jsonb_build_object('id', gen_random_uuid(), 'item_id', d.item_id, 'decision_id', d.id))).*
     from learning l, decision d where l.item_id = ?::uuid and d.project_id = ?::uuid and d.item_id <> ?::uuid`,
    [itemId, of.projectId, itemId],
  );
  await testEnv.sql(
    `insert into event (id, project_id, type, item_id, actor, data, created_at)
     select gen_random_uuid(), e.project_id, e.type, d.item_id, e.actor, e.data, e.created_at
     from event e, decision d where e.item_id = ?::uuid and e.type = 'item.finalized' and d.project_id = ?::uuid and d.item_id <> ?::uuid`,
    [itemId, of.projectId, itemId],
  );
  await relay();
}
