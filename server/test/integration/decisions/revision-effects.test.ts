// What follows from a revision: learnings and their exports, reports of mistakes, figures, and retention (RV5 to RV7).
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type ExportFilter, exportFilter } from '@countersign/shared/schemas/exports';
import { REVISION_ACTIONS, type RevisionAction } from '@countersign/shared/review-actions';
import { readCalibration } from '../../../src/usecases/analytics/read-calibration.ts';
import { readOwnFigures } from '../../../src/usecases/analytics/read-own-figures.ts';
import { answerMistake, readMistake, reportMistake } from '../../../src/usecases/decisions/mistakes.ts';
import { listPublicEvents } from '../../../src/usecases/decisions/list-public-events.ts';
import { revise } from '../../../src/usecases/decisions/revise.ts';
import { exportLearnings } from '../../../src/usecases/learnings/export-learnings.ts';
import { listLearnings } from '../../../src/usecases/learnings/list-learnings.ts';
import { countRun } from '../../../src/usecases/regressions/start-regression.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { expectCounted, relayAll, sumsOf } from '../analytics/rollup-checks.ts';
import { review } from '../support/project-fixture.ts';
import { faultsOf, settle, tablesContaining, useRetentionFixture } from '../worker/retention-fixture.ts';

const { testEnv, now, days, pass, mark, submitted, decidedAndSent, publicOf, supervisorViewOf } = useRetentionFixture();

let revisions = 0;
/** By the supervisor, unlike any revision before. */
async function revised(itemId: string, action: RevisionAction, who: MemberActor = now.fixture.supervisor) {
  const text = `${mark('revised')} ${(revisions += 1)}`;
  const output = action === 'edit' ? { value: text, raw: JSON.stringify(text) } : null;
  const reason = action === 'approve' ? 'Right after all' : `Reason ${action}`;
  await revise(testEnv.services, who, { itemId, action, output, reason, note: text, revises: undefined });
  await relayAll(testEnv);
}

const page = () => ({ projectId: now.fixture.projectId, filter: {}, after: undefined, limit: 50 });
async function listed(): Promise<{ action: string; reason: string }[]> {
  const { data, total } = await listLearnings(testEnv.services, now.fixture.supervisor, page());
  expect(total).toBe(data.length);
  return data.map(({ action, reason }) => ({ action, reason }));
}
async function exported(asked: Partial<ExportFilter> = {}) {
  const input = { projectId: now.fixture.projectId, filter: exportFilter.parse(asked), skip: 0 };
  const { through, lines } = await exportLearnings(testEnv.services, now.fixture.supervisor, input);
  let text = '';
  for await (const some of lines) text += some;
  return {
    through,
    text,
    actions: text.split('\n').flatMap((line) => (line ? [(JSON.parse(line) as { action: string }).action] : [])),
  };
}
const sums = (measure: Parameters<typeof sumsOf>[2]) => sumsOf(testEnv, now.fixture.projectId, measure);

afterEach(async () => {
  await relayAll(testEnv);
  await expectCounted(testEnv, now.fixture.projectId);
  expect(await faultsOf(testEnv)).toEqual([]);
});

describe('RV5: learnings', () => {
  it('are those of the newest decisions, and an export up to an earlier position keeps the ones before', async () => {
    const id = await decidedAndSent('edit');
    const first = await exported();
    expect([first.actions, await listed()]).toEqual([['edit'], [{ action: 'edit', reason: 'Wrong fact' }]]);
    await revised(id, 'reject');
    const second = await exported();
    expect([second.actions, await listed()]).toEqual([['reject'], [{ action: 'reject', reason: 'Reason reject' }]]);
    await revised(id, 'approve');
    expect([(await exported()).actions, await listed()]).toEqual([[], []]);
    expect(await countRun(testEnv.services, runOf())).toBe(0);
    await revised(id, 'edit');
    expect((await exported()).actions).toEqual(['edit']);
    expect(await countRun(testEnv.services, runOf())).toBe(1);
    for (const { through, text } of [first, second])
      expect(await exported({ through })).toMatchObject({ through, text });
  });

  it('come from a revision of what was approved, by a person or by routing', async () => {
    const approved = await decidedAndSent('approve');
    const automatic = await submitted({ confidence: 1 });
    await revised(approved, 'edit');
    await revised(automatic.id, 'reject');
    expect((await exported()).actions).toEqual(['edit', 'reject']);
    expect((await exported({ action: 'reject' })).actions).toEqual(['reject']);
  });

  const runOf = () => ({
    ...{ projectId: now.fixture.projectId, cluster: undefined, title: undefined, filter: {}, requestKey: null },
  });
});

describe('RV6: a reported mistake', () => {
  const report = (itemId: string) => reportMistake(testEnv.services, now.fixture.anna, { itemId, note: 'Wrong sum' });
  const answered = async (itemId: string) =>
    (await readMistake(testEnv.services, now.fixture.supervisor, itemId)).report?.overturned;
  const overturned = async () =>
    (await readOwnFigures(testEnv.services, now.fixture.anna, 'UTC')).last_30_days.overturned;

  it('is overturned by a revision, and counts for the person who made it', async () => {
    const id = await decidedAndSent('approve');
    await report(id);
    await revised(id, 'reject');
    expect([await answered(id), await overturned()]).toEqual([true, 1]);
    const answer = answerMistake(testEnv.services, now.fixture.supervisor, { itemId: id, overturned: false });
    await expect(answer).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('may be answered first, and the decision revised then', async () => {
    const id = await decidedAndSent('edit');
    await report(id);
    await answerMistake(testEnv.services, now.fixture.supervisor, { itemId: id, overturned: true });
    await revised(id, 'reject');
    expect([await answered(id), await overturned(), await listed()]).toEqual([
      ...[true, 1],
      [{ action: 'reject', reason: 'Reason reject' }],
    ]);
  });

  it('is none without a report: a revision alone says nothing about the person who decided', async () => {
    const id = await decidedAndSent('approve');
    await revised(id, 'reject');
    expect([await answered(id), await overturned()]).toEqual([undefined, 0]);
  });
});

describe('RV7: figures', () => {
  it('follow the newest action, and count the review and its reviewer once', async () => {
    const id = await decidedAndSent('approve');
    const before = { reviewer: await sums('reviewer'), time: await sums('decide_time') };
    await revised(id, 'edit');
    expect(await sums('decided')).toEqual({ edit: 1 });
    await revised(id, 'reject');
    expect(await sums('decided')).toEqual({ reject: 1 });
    expect(await sums('status')).toEqual({ rejected: 1 });
    expect({ reviewer: await sums('reviewer'), time: await sums('decide_time') }).toEqual(before);
    const figures = await readOwnFigures(testEnv.services, now.fixture.supervisor, 'UTC');
    expect([figures.today.decided, figures.last_hour]).toEqual([0, 0]);
    const { uniform, quantile } = await readCalibration(testEnv.services, now.fixture.supervisor, {
      ...{ projectId: now.fixture.projectId, from: undefined, to: undefined },
    });
    expect([uniform, quantile]).toMatchObject([[{ n: 1, unchanged: 0 }], [{ n: 1, unchanged: 0 }]]);
  });

  it('I9: equal a recount, for random chains on every kind of item', async () => {
    const first = fc.constantFrom('approve', 'edit', 'reject', 'automatic', 'refused', 'audited' as const);
    const chain = fc.record({ first, then: fc.array(fc.constantFrom(...REVISION_ACTIONS), { maxLength: 4 }) });
    await days({ audit_rate: 0 });
    await fc.assert(
      fc.asyncProperty(fc.array(chain, { minLength: 1, maxLength: 3 }), async (chains) => {
        for (const one of chains) await followChain(one);
        await expectCounted(testEnv, now.fixture.projectId);
        expect(await sums('decided')).toEqual(await newestActions('not i.audit'));
        expect(await sums('verdict')).toEqual(await newestActions('i.audit'));
      }),
      { numRuns: 8 },
    );
  });

  /** The newest action on each item that a person decided first, counted from the rows. */
  async function newestActions(which: string): Promise<Record<string, number>> {
    const rows = await testEnv.sql<{ action: string; n: number }>(
      `select n.action, count(*)::int as n from decision f join item i on i.id = f.item_id
       join decision n on n.item_id = f.item_id and n.superseded_at is null and (n.audit = i.audit or n.revision > 1)
       where f.project_id = ? and f.reviewer_id is not null and f.revision = 1 and ${which} group by 1`,
      [now.fixture.projectId],
    );
    return Object.fromEntries(rows.map(({ action, n }) => [action, n]));
  }

  async function followChain({ first, then }: { first: string; then: RevisionAction[] }): Promise<void> {
    await days({ audit_rate: first === 'audited' ? 1 : 0 });
    const confidence = { automatic: 1, audited: 1, refused: 0 }[first] ?? 0.8;
    const { id } = await submitted({ confidence });
    const action = first === 'audited' ? 'reject' : first;
    if (action === 'approve' || action === 'edit' || action === 'reject')
      await review(testEnv.services, now.fixture.anna, { itemId: id, action });
    for (const next of then)
      await revised(id, next).catch((refusal: unknown) => expect(refusal).toMatchObject({ code: 'unchanged_edit' }));
    await relayAll(testEnv);
  }
});

describe('KE2: the content of a revised item', () => {
  it('is redacted with its revisions, which the feed no longer lists, and nobody revises it', async () => {
    await days({ retention_payload_days: 7 });
    const id = await decidedAndSent('edit');
    await revised(id, 'approve');
    await settle(testEnv);
    await pass(30);
    expect(await publicOf(id)).toMatchObject({ status: 'approved', decision: { revision: 2, output: null } });
    expect((await supervisorViewOf(id)).abilities.revise).toBe(false);
    expect(await tablesContaining(testEnv, mark(''))).toEqual([]);
    const feed = await listPublicEvents(testEnv.services, now.fixture.pipeline, { after: undefined, limit: 100 });
    expect(feed.rows).toEqual([]);
    await expect(revised(id, 'reject')).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('KE5: is kept for the learning of the newest decision alone', async () => {
    await days({ retention_payload_days: 7 });
    const quoted = await decidedAndSent('approve');
    await revised(quoted, 'edit');
    await settle(testEnv);
    await pass(30);
    expect(await publicOf(quoted)).not.toHaveProperty('emptied_at');
    expect((await exported()).text).toContain(mark('revised'));
  });
});
