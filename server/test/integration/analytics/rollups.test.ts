// Tests the rollups: counted soon after sequencing, once, for every event log, and equal to a recount at any time (I9).
import { beforeEach, describe, expect, it } from 'vitest';
import { forgetRollups } from '../../../src/analytics/recount.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { reopen } from '../../../src/usecases/decisions/reopen.ts';
import { undoDecision } from '../../../src/usecases/decisions/undo-decision.ts';
import { countOnce } from '../../../src/worker/count-rollups.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { expectCounted, recountOf, relayAll, sumsOf } from './rollup-checks.ts';
import { endAllClaims } from '../support/database-helpers.ts';
import { anItem, createProjectFixture, items, review, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

beforeEach(async () => {
  await endAllClaims(testEnv);
  fixture = await createProjectFixture(testEnv.services, { undo_window_seconds: 30 });
});

const sums = (measure: Parameters<typeof sumsOf>[2]) => sumsOf(testEnv, fixture.projectId, measure);

/** A day in a project: every path an item can take. */
async function live({ services } = testEnv): Promise<void> {
  const { anna, supervisor } = fixture;
  const [edited, escalated, undone, claimed] = await items(services, fixture, 5);
  if (!edited || !escalated || !undone || !claimed) throw new Error('Five were asked for.');
  await anItem(services, fixture, { confidence: 1 });
  const refused = await anItem(services, fixture, { confidence: 0 });
  const flagged = await anItem(services, fixture, { riskFlags: ['legal', 'odd'] });
  await review(services, anna, { itemId: edited.id, action: 'edit' });
  await review(services, anna, { itemId: escalated.id, action: 'escalate' });
  await review(services, supervisor, { itemId: escalated.id, action: 'reject' });
  await review(services, supervisor, { itemId: flagged.id, action: 'finalize' });
  await review(services, anna, { itemId: undone.id, action: 'approve' });
  await undoDecision(services, anna, undone.id);
  await claim(services, anna, claimed.id);
  await reopen(services, supervisor, { itemId: refused.id, reason: null });
}

describe('the rollups', () => {
  it('I9, AN1, AN2: count what happened, and not what was undone', async () => {
    await live();
    await relayAll(testEnv);
    expect(await sums('arrived')).toEqual({ auto_approved: 1, escalated: 1, queued: 5, rejected: 1 });
    expect(await sums('status')).toEqual({ approved: 1, auto_approved: 1, escalated_final: 1, queued: 4, rejected: 1 });
    expect(await sums('waiting')).toEqual({ queued: 4 });
    expect(await sums('decided')).toEqual({ edit: 1, finalize: 1, reject: 1 });
    expect(await sums('flag')).toEqual({ legal: 1, 'no flag': 2, odd: 1 });
    expect(await sums('bin')).toEqual({ 16: 2 });
    expect(await sums('reviewer')).toEqual({ [fixture.anna.userId]: 1, [fixture.supervisor.userId]: 2 });
    expect(await sums('mover')).toEqual({ [fixture.anna.userId]: 1 });
    expect(Object.values(await sums('claim_time')).reduce((sum, n) => sum + n, 0)).toBe(5);
    await expectCounted(testEnv, fixture.projectId);
  });

  it('I9, AN27: count a hundred flags of a day one by one and the rest together, as a recount does', async () => {
    const flags = Array.from({ length: 120 }, (_, n) => `flag ${n}`);
    const decided: string[] = [];
    for (let from = 0; from < flags.length; from += 40) {
      const { id } = await anItem(testEnv.services, fixture, { riskFlags: flags.slice(from, from + 40) });
      await review(testEnv.services, fixture.supervisor, { itemId: id, action: 'edit' });
      decided.push(id);
      await relayAll(testEnv);
    }
    const keys = async () => {
      const sql = `select count(*)::int as n, count(*) filter (where key = '')::int as others from rollup
        where project_id = ? and measure = 'flag' and grain = 'day' and n <> 0`;
      return (await testEnv.sql<{ n: number; others: number }>(sql, [fixture.projectId]))[0];
    };
    expect(await keys()).toEqual({ n: 101, others: 1 });
    expect((await sums('flag'))['']).toBe(20);
    await undoDecision(testEnv.services, fixture.supervisor, decided[2] ?? '');
    await relayAll(testEnv);
    // An undo subtracts from the bucket that counted the decision.
    expect(await keys()).toEqual({ n: 80, others: 0 });
    await expectCounted(testEnv, fixture.projectId);
    await testEnv.services.db.write(({ em }) => forgetRollups(em, fixture.projectId));
    while ((await countOnce(testEnv.services)).again);
    expect(await keys()).toEqual({ n: 80, others: 0 });
  });

  it('I9, AN4: count an audit’s arrival once, and its verdict as no decision', async () => {
    fixture = await createProjectFixture(testEnv.services, { audit_rate: 1 });
    const { id } = await anItem(testEnv.services, fixture, { confidence: 1 });
    await relayAll(testEnv);
    expect(await sums('arrived')).toEqual({ auto_approved: 1 });
    expect(await sums('waiting')).toEqual({ queued: 1 });
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'reject' });
    await relayAll(testEnv);
    expect(await sums('waiting')).toEqual({});
    expect(await sums('status')).toEqual({ auto_approved: 1 });
    expect([await sums('decided'), await sums('flag'), await sums('bin')]).toEqual([{}, {}, {}]);
    expect([await sums('verdict'), await sums('verdict_bin')]).toEqual([{ reject: 1 }, { 19: 1 }]);
    await expectCounted(testEnv, fixture.projectId);
  });

  it('I9: count nothing of sequencing that is rolled back, and its events once', async () => {
    await items(testEnv.services, fixture, 3);
    const failing = {
      ...testEnv.services,
      clock: {
        now: () => {
          throw new Error('cut off');
        },
      },
    };
    await expect(relayOnce(failing, testEnv.signals)).rejects.toThrow('cut off');
    expect(await sums('arrived')).toEqual({});
    await relayAll(testEnv);
    expect(await sums('arrived')).toEqual({ queued: 3 });
    await expectCounted(testEnv, fixture.projectId);
  });

  it('I9: count what an older relay sequenced afterwards, in batches, while a new one continues', async () => {
    await live();
    await relayAll(testEnv);
    const before = await recountOf(testEnv, fixture.projectId);
    // As in a database from before the rollups: all events sequenced, none counted.
    await testEnv.services.db.write(({ em }) => forgetRollups(em, fixture.projectId));
    await items(testEnv.services, fixture, 2);
    await relayOnce(testEnv.services, testEnv.signals);
    expect(await recountOf(testEnv, fixture.projectId)).toMatchObject({ counted: 0, differences: [] });
    for (let again = true; again;) {
      again = (await countOnce(testEnv.services, 3)).again === true;
      const { differences } = await recountOf(testEnv, fixture.projectId);
      expect(differences, 'I9 at any time').toEqual([]);
      await anItem(testEnv.services, fixture, { confidence: 1 });
      if (again) await relayOnce(testEnv.services, testEnv.signals);
    }
    await relayAll(testEnv);
    await expectCounted(testEnv, fixture.projectId);
    expect((await recountOf(testEnv, fixture.projectId)).counted).toBeGreaterThan(before.counted);
  });

  it('I9: a recount finds figures that are wrong, and those that are missing', async () => {
    await live();
    await relayAll(testEnv);
    await testEnv.sql(
      `update rollup set n = n + 1 where project_id = ? and measure = 'arrived' and grain = 'hour' and key = 'queued'`,
      [fixture.projectId],
    );
    await testEnv.sql(`delete from rollup where project_id = ? and measure = 'decided' and key = 'edit'`, [
      fixture.projectId,
    ]);
    const { differences } = await recountOf(testEnv, fixture.projectId);
    expect(differences.map(({ measure, key }) => `${measure} ${key}`).sort()).toEqual([
      'arrived queued',
      ...Array.from({ length: 3 }, () => 'decided edit'),
    ]);
    await testEnv.services.db.write(({ em }) => forgetRollups(em, fixture.projectId));
    await relayAll(testEnv);
    await expectCounted(testEnv, fixture.projectId);
  });

  it('I9: count more event logs than fit a batch without another request', async () => {
    await relayAll(testEnv);
    const columns = await testEnv.sql<{ name: string }>(
      `select quote_ident(column_name) as name from information_schema.columns
       where table_schema = current_schema() and table_name = 'project' and column_name not in ('id', 'event_seq', 'rollup_seq')`,
    );
    const names = columns.map(({ name }) => name).join(', ');
    await testEnv.sql(
      `insert into project (id, event_seq, rollup_seq, ${names})
       select gen_random_uuid(), 1, 0, ${names} from project, generate_series(1, 105) where id = ?`,
      [fixture.projectId],
    );
    const behind = async () =>
      (await testEnv.sql<{ n: number }>('select count(*)::int as n from project where rollup_seq < event_seq'))[0]?.n;
    expect(await behind()).toBe(105);
    let again = true;
    for (let turn = 0; again && turn < 5; turn += 1) again = (await countOnce(testEnv.services)).again === true;
    expect([await behind(), again]).toEqual([0, false]);
    await testEnv.sql(
      `delete from project where event_seq = 1 and not exists (select 1 from event e where e.project_id = project.id)`,
    );
  });

  it('I9: count each project of a batch separately', async () => {
    const other = await createProjectFixture(testEnv.services);
    await items(testEnv.services, fixture, 4);
    await items(testEnv.services, other, 2);
    await relayAll(testEnv);
    expect([await sums('arrived'), await sumsOf(testEnv, other.projectId, 'arrived')]).toEqual([
      { queued: 4 },
      { queued: 2 },
    ]);
    await expectCounted(testEnv, other.projectId);
  });

  it('I9: count an event log once when two workers do', async () => {
    await live();
    await relayAll(testEnv);
    await testEnv.services.db.write(({ em }) => forgetRollups(em, fixture.projectId));
    const second = await testEnv.another();
    try {
      const both = [testEnv, second].map(async ({ services }) => {
        for (let turn = 0; turn < 40; turn += 1) await countOnce(services, 2);
      });
      await Promise.all(both);
    } finally {
      await second.close();
    }
    await expectCounted(testEnv, fixture.projectId);
  });
});
