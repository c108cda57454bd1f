// Tests reported mistakes (MR) and a person's own figures (OF1) on the database.
import { describe, expect, it } from 'vitest';
import { DECIDED, OVERTURNED, readOwnFigures } from '../../../src/usecases/analytics/read-own-figures.ts';
import { answerMistake, listMistakes, readMistake, reportMistake } from '../../../src/usecases/decisions/mistakes.ts';
import { revise } from '../../../src/usecases/decisions/revise.ts';
import { undoDecision } from '../../../src/usecases/decisions/undo-decision.ts';
import { archiveProject } from '../../../src/usecases/projects/lifecycle.ts';
import { listChanges } from '../../../src/usecases/projects/list-changes.ts';
import { finalizeOnce } from '../../../src/worker/finalize.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { anItem, aPerson, createProjectFixture, review, useProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const fixture = useProjectFixture(testEnv);

const decided = async (who = fixture.anna, action: 'approve' | 'reject' = 'reject', of = fixture) => {
  const { id } = await anItem(testEnv.services, of);
  await review(testEnv.services, who, { itemId: id, action });
  return id;
};
const report = (itemId: string, who = fixture.anna, note: string | null = 'I misread the date.') =>
  reportMistake(testEnv.services, who, { itemId, note });
const answer = (itemId: string, overturned: boolean, who = fixture.supervisor) =>
  answerMistake(testEnv.services, who, { itemId, overturned });
const read = (itemId: string, who: MemberActor) => readMistake(testEnv.services, who, itemId);
const list = async (who: MemberActor, state: 'open' | 'answered' = 'open', after?: string, limit = 50) =>
  listMistakes(testEnv.services, who, { state, after, limit });
const idsOf = async (who: MemberActor, state: 'open' | 'answered' = 'open') =>
  (await list(who, state)).rows.map(({ itemId }) => itemId);

/** Half past twelve, by which the figures are read. */
const NOON = new Date(Date.UTC(2026, 4, 20, 12, 30));
const figures = (who: MemberActor, zone = 'UTC') =>
  readOwnFigures({ ...testEnv.services, clock: { ...testEnv.services.clock, now: () => NOON } }, who, zone);
const decidedAt = (itemId: string, hours: number) =>
  testEnv.sql('update decision set decided_at = ?::timestamptz where item_id = ?', [
    new Date(NOON.getTime() - hours * 3_600_000),
    itemId,
  ]);

describe('MR1, MR2: a reported mistake', () => {
  it('reaches the supervisors and owners of the project, and nobody else', async () => {
    const id = await decided();
    await report(id);
    expect((await list(fixture.supervisor)).rows).toMatchObject([
      {
        ...{ itemId: id, action: 'reject', decidedBy: 'Anna', reportedBy: 'Anna', note: 'I misread the date.' },
        ...{ overturned: null, answeredBy: null, abilities: { overturn: true, uphold: true, report: false } },
      },
    ]);
    expect(await idsOf(fixture.owner)).toEqual([id]);
    expect(await idsOf(fixture.anna)).toEqual([]);
    expect(await idsOf(await aPerson(testEnv.services))).toEqual([]);
    expect((await read(id, fixture.anna)).report).toMatchObject({ note: 'I misread the date.' });
    expect(await read(id, fixture.ben)).toEqual({ report: null, mayReport: false });
  });

  it('is one per decision: its author replaces the note, and nobody else reports it again', async () => {
    const id = await decided();
    await report(id);
    await report(id, fixture.anna, 'It is the amount.');
    await expect(report(id, fixture.supervisor)).rejects.toMatchObject({ code: 'validation_failed' });
    expect((await list(fixture.supervisor)).rows).toMatchObject([{ note: 'It is the amount.' }]);
  });

  it('is one line of the change log, however often its note is replaced; the same note tells nobody again', async () => {
    const id = await decided();
    const told = async () =>
      (await testEnv.sql(`select id from event where type = 'project.changed' and data -> 'changed' @> '["mistakes"]'`))
        .length;
    const before = await told();
    await report(id);
    await report(id);
    expect(await told()).toBe(before + 1);
    await report(id, fixture.anna, 'It is the amount.');
    expect(await told()).toBe(before + 2);
    const page = { projectId: fixture.projectId, after: undefined, limit: 10, action: undefined, kind: undefined };
    const { rows } = await listChanges(testEnv.services, fixture.owner, page);
    expect(rows.filter(({ action }) => action === 'mistake.reported')).toHaveLength(1);
  });

  it('is refused for another person’s decision, for one by the rules, and for one that can be undone', async () => {
    const id = await decided();
    await expect(report(id, fixture.ben)).rejects.toMatchObject({ code: 'forbidden' });
    const automatic = await anItem(testEnv.services, fixture, { confidence: 0.99 });
    await expect(report(automatic.id, fixture.supervisor)).rejects.toMatchObject({ code: 'validation_failed' });
    const slow = await createProjectFixture(testEnv.services, { undo_window_seconds: 30 });
    const provisional = await decided(slow.anna, 'reject', slow);
    await expect(report(provisional, slow.anna)).rejects.toMatchObject({
      code: 'validation_failed',
      detail: expect.stringContaining('Undo it') as string,
    });
    await testEnv.sql(`update decision set undo_until = now() - interval '1 ms' where item_id = ?`, [provisional]);
    while ((await finalizeOnce(testEnv.services)).again);
    await report(provisional, slow.anna);
    expect(await idsOf(slow.supervisor)).toEqual([provisional]);
  });

  it('changes nothing in an archived project (AR1)', async () => {
    const [open, other] = [await decided(), await decided()];
    await report(open);
    await archiveProject(testEnv.services, fixture.owner, fixture.projectId);
    await expect(report(other)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(answer(open, true)).rejects.toMatchObject({ code: 'forbidden' });
    expect((await list(fixture.supervisor)).rows).toMatchObject([
      { itemId: open, abilities: { overturn: false, uphold: false } },
    ]);
  });

  it('is listed newest first, page by page without gap or repetition', async () => {
    const ids = [];
    for (let n = 0; n < 5; n += 1) {
      const id = await decided();
      await report(id);
      ids.unshift(id);
    }
    const seen = [];
    for (let after: string | undefined, more = true; more;) {
      const page = await list(fixture.supervisor, 'open', after, 2);
      seen.push(...page.rows.map(({ itemId }) => itemId));
      more = page.nextCursor !== null;
      after = page.nextCursor ?? undefined;
    }
    expect([...seen].sort()).toEqual([...ids].sort());
    expect(seen).toHaveLength(5);
  });
});

describe('MR2, MR3: after a revision', () => {
  const revised = async (who = fixture.anna) => {
    const id = await decided(who);
    await report(id, fixture.owner, 'The date is wrong.');
    await revise(testEnv.services, fixture.owner, {
      ...{ itemId: id, action: 'approve', revises: undefined },
      ...{ output: null, reason: 'Right after all', note: null },
    });
    return id;
  };

  it('the person whose decision was reported still sees the report, and how it was answered', async () => {
    const id = await revised();
    expect(await read(id, fixture.anna)).toMatchObject({
      report: { decidedBy: 'Anna', note: 'The date is wrong.', overturned: true },
      mayReport: false,
    });
    expect((await read(id, fixture.ben)).report).toBeNull();
  });

  it('MR1: none is reported in the revision, because an item has one report', async () => {
    const id = await revised();
    expect(await read(id, fixture.owner)).toMatchObject({ mayReport: false });
    await expect(report(id, fixture.owner)).rejects.toMatchObject({
      code: 'validation_failed',
      detail: expect.stringMatching(/^A mistake in this item was already reported/) as string,
    });
  });
});

describe('MR3, MR4: the answer', () => {
  it('overturns: the learning is excluded, the sent decision stays, and the change log says who did what', async () => {
    const id = await decided();
    await report(id);
    const before = await testEnv.sql('select action, output, final_at from decision where item_id = ?', [id]);
    const deliveries = await testEnv.sql('select id, body, status from delivery where item_id = ?', [id]);
    await answer(id, true);
    expect(await idsOf(fixture.supervisor)).toEqual([]);
    expect((await list(fixture.supervisor, 'answered')).rows).toMatchObject([{ overturned: true, answeredBy: 'Sam' }]);
    expect(await testEnv.sql('select excluded from learning where item_id = ?', [id])).toEqual([{ excluded: true }]);
    expect(await testEnv.sql('select action, output, final_at from decision where item_id = ?', [id])).toEqual(before);
    expect(await testEnv.sql('select id, body, status from delivery where item_id = ?', [id])).toEqual(deliveries);
    const page = { projectId: fixture.projectId, after: undefined, limit: 10, action: undefined, kind: undefined };
    const { rows } = await listChanges(testEnv.services, fixture.owner, page);
    expect(rows.map(({ action, subject }) => [action, subject]).sort()).toEqual(
      expect.arrayContaining([
        ['learning.excluded', 'Wrong fact'],
        ['mistake.overturned', 'Anna'],
        ['mistake.reported', 'Anna'],
      ]) as unknown[],
    );
  });

  it('upholds: the learning stays', async () => {
    const id = await decided();
    await report(id);
    await answer(id, false);
    expect(await testEnv.sql('select excluded from learning where item_id = ?', [id])).toEqual([{ excluded: false }]);
    expect((await read(id, fixture.anna)).report).toMatchObject({ overturned: false, answeredBy: 'Sam' });
  });

  it('is given once, by someone who may, and never upholds one’s own decision', async () => {
    const id = await decided(fixture.supervisor);
    await expect(answer(id, true, fixture.owner)).rejects.toMatchObject({ code: 'validation_failed' });
    await report(id, fixture.supervisor);
    await expect(answer(id, false)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(answer(id, true, fixture.ben)).rejects.toMatchObject({ code: 'forbidden' });
    await answer(id, false, fixture.owner);
    await expect(answer(id, true)).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(report(id, fixture.supervisor)).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('of two people who answer at once, one is heard', async () => {
    const id = await decided();
    await report(id);
    const outcomes = await Promise.allSettled([answer(id, true), answer(id, false, fixture.owner)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('OF1: a person’s own figures', () => {
  it('count today, the last hour and what was overturned in 30 days, without what was undone', async () => {
    const slow = await createProjectFixture(testEnv.services, { undo_window_seconds: 30 });
    const [wrong, right, earlier, old] = [
      await decided(),
      await decided(fixture.anna, 'approve'),
      await decided(),
      await decided(),
    ];
    await report(wrong);
    await answer(wrong, true);
    await decidedAt(wrong, 0.5);
    await decidedAt(right, 2);
    await decidedAt(earlier, 24);
    await decidedAt(old, 31 * 24);
    const { id } = await anItem(testEnv.services, slow);
    await review(testEnv.services, slow.anna, { itemId: id, action: 'approve' });
    await decidedAt(id, 0.5);
    expect(await figures(slow.anna)).toMatchObject({ today: { decided: 1 }, last_hour: 1 });
    await undoDecision(testEnv.services, slow.anna, id);
    expect(await figures(slow.anna)).toMatchObject({ today: { decided: 0 }, last_30_days: { decided: 0 } });
    expect(await figures(fixture.anna)).toEqual({
      today: { decided: 2, by_action: { approve: 1, edit: 0, reject: 1, respond: 0, finalize: 0 } },
      last_hour: 1,
      last_30_days: { decided: 3, overturned: 1 },
    });
    expect(await figures(fixture.ben)).toMatchObject({ today: { decided: 0 }, last_30_days: { overturned: 0 } });
  });

  it.each([
    ['UTC', 12, 1],
    ['UTC', 13, 0],
    ['Asia/Tokyo', 21, 1],
    ['Asia/Tokyo', 22, 0],
    ['America/Los_Angeles', 5, 1],
    ['America/Los_Angeles', 6, 0],
  ])('begin the day at midnight in %s: %d hours ago counts %d', async (zone, hours, count) => {
    await decidedAt(await decided(), hours);
    expect(await figures(fixture.anna, zone)).toMatchObject({ today: { decided: count } });
  });

  it('read the decisions of 30 days from an index, however many there are before', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    await decidedAt(id, 1);
    await insertOldDecisions(fixture.anna.userId, id, 100_000);
    expect(await figures(fixture.anna)).toMatchObject({ last_30_days: { decided: 1, overturned: 0 } });
    const since = new Date(NOON.getTime() - 30 * 24 * 3_600_000);
    const plans = [
      await planOf(DECIDED, [since, since, fixture.anna.userId, since]),
      await planOf(OVERTURNED, [fixture.anna.userId, since, since]),
    ];
    for (const node of plans.flatMap(nodesOf)) {
      const visited = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
      expect(visited, JSON.stringify(node)).toBeLessThanOrEqual(1);
    }
  });
});

interface Plan {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

async function planOf(sql: string, values: unknown[]): Promise<Plan> {
  const [row] = await testEnv.sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (analyze, format json) ${sql}`, values);
  if (row === undefined) throw new Error('There is a plan.');
  return row['QUERY PLAN'][0].Plan;
}

/** Decisions of this person, older than 30 days, each on an item of its own; every hundredth is overturned. */
async function insertOldDecisions(userId: string, itemId: string, many: number): Promise<void> {
  const columns = async (table: string, changed: readonly string[]) => {
    const rows = await testEnv.sql<{ name: string }>(
      `select column_name as name from information_schema.columns
       where table_schema = current_schema() and table_name = ? order by ordinal_position`,
      [table],
    );
    return rows
      .map(({ name }) => `"${name}"`)
      .filter((name) => !changed.includes(name))
      .join(', ');
  };
  const item = await columns('item', ['"id"']);
  await testEnv.sql(
    `insert into item (id, ${item}) select gen_random_uuid(), ${item} from item, generate_series(1, ${many}) where id = ?`,
    [itemId],
  );
  const decision = await columns('decision', ['"id"', '"item_id"', '"decided_at"']);
  await testEnv.sql(
    `insert into decision (id, item_id, decided_at, ${decision})
     select gen_random_uuid(), i.id, ?::timestamptz - make_interval(days => 31, mins => row_number() over ()::int), ${decision
       .split(', ')
       .map((name) => `d.${name}`)
       .join(', ')}
     from decision d, item i where d.item_id = ? and i.project_id = ? and i.id <> ?`,
    [NOON, itemId, fixture.projectId, itemId],
  );
  await testEnv.sql(
    `insert into mistake_report (item_id, project_id, decision_id, decided_by, reported_by, note, reported_at, overturned, answered_by, answered_at)
     select item_id, ?, id, ?, ?, null, decided_at + interval '1 hour', true, ?, now() from decision
     where reviewer_id = ? and decided_at < ?::timestamptz and get_byte(uuid_send(id), 15) < 3`,
    [fixture.projectId, userId, userId, userId, userId, new Date(NOON.getTime() - 31 * 24 * 3_600_000)],
  );
  await testEnv.sql('vacuum analyze decision');
  await testEnv.sql('vacuum analyze mistake_report');
}
