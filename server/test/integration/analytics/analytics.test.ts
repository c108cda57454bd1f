// Tests the analytics report against the tables, before and after sequencing, and its buckets across a clock change.
import { beforeEach, describe, expect, it } from 'vitest';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { reopen } from '../../../src/usecases/decisions/reopen.ts';
import { undoDecision } from '../../../src/usecases/decisions/undo-decision.ts';
import { forgetRollups } from '../../../src/analytics/recount.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { confidenceBins } from '../../../src/usecases/analytics/read-calibration.ts';
import { readAnalytics } from '../../../src/usecases/analytics/read-analytics.ts';
import { expectCounted, relayAll } from './rollup-checks.ts';
import { endAllClaims } from '../support/database-helpers.ts';
import { anItem, createProjectFixture, items, review, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const HOUR = 3_600_000;
const ANY = { from: undefined, to: undefined, bucket: undefined };
let fixture: ProjectFixture;

beforeEach(async () => {
  await endAllClaims(testEnv);
  fixture = await createProjectFixture(testEnv.services, { undo_window_seconds: 30 });
});

const read = (window: { from?: string; to?: string; bucket?: 'hour' | 'day' } = {}) =>
  readAnalytics(testEnv.services, fixture.supervisor, {
    projectId: fixture.projectId,
    from: window.from === undefined ? undefined : new Date(window.from),
    to: window.to === undefined ? undefined : new Date(window.to),
    bucket: window.bucket,
  });

async function live(): Promise<void> {
  const { anna, ben, supervisor } = fixture;
  const [edited, approved, escalated, undone, held] = await items(testEnv.services, fixture, 6);
  if (!edited || !approved || !escalated || !undone || !held) throw new Error('Six were asked for.');
  const flagged = await anItem(testEnv.services, fixture, { riskFlags: ['legal', 'odd'] });
  await anItem(testEnv.services, fixture, { confidence: 1 });
  await anItem(testEnv.services, fixture, { confidence: 0 });
  await review(testEnv.services, anna, { itemId: edited.id, action: 'edit' });
  await review(testEnv.services, ben, { itemId: approved.id, action: 'approve' });
  await review(testEnv.services, ben, { itemId: escalated.id, action: 'escalate' });
  await review(testEnv.services, supervisor, { itemId: flagged.id, action: 'reject' });
  await review(testEnv.services, anna, { itemId: undone.id, action: 'reject' });
  await undoDecision(testEnv.services, anna, undone.id);
  await claim(testEnv.services, anna, held.id);
}

/** The same figures counted row by row. */
async function rowByRow() {
  const group = async (text: string) =>
    Object.fromEntries(
      (await testEnv.sql<{ key: string; n: number }>(text, [fixture.projectId])).map(({ key, n }) => [key, n]),
    );
  return {
    mix: await group('select status as key, count(*)::int as n from item where project_id = ? group by 1'),
    actions: await group(
      'select action as key, count(*)::int as n from decision where project_id = ? and reviewer_id is not null group by 1',
    ),
    oldest: await group(
      `select 'at' as key, count(*)::int as n from item where project_id = ? and status in ('queued', 'escalated') having count(*) > 0`,
    ),
  };
}

const present = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).filter(([, n]) => n !== 0));

describe('the report', () => {
  it('AN1, AN2, AN7: reports what the rows say at once, and the same after sequencing and after counting', async () => {
    await live();
    const before = await read();
    const rows = await rowByRow();
    expect(present(before.mix)).toEqual(rows.mix);
    expect(present(before.by_action)).toEqual(rows.actions);
    expect(before.waiting).toEqual({ queued: 3, escalated: 1 });
    expect(before).toMatchObject({ arrived: 9, decided: 3, overridden: 2, reviewing: 1, time_zone: 'UTC' });
    expect(before.flow.at(-1)).toMatchObject({ waiting: 4, queued: 3, escalated: 1 });
    expect(before.flow.reduce((sum, { arrived }) => sum + arrived, 0)).toBe(9);
    expect(before.overrides.by_flag).toMatchObject([
      { key: null, decided: 2, overridden: 1 },
      { key: 'legal', decided: 1, overridden: 1 },
      { key: 'odd', decided: 1, overridden: 1 },
    ]);
    expect(before.time_to_claim.n).toBe(6);
    expect(
      before.workload.map(({ name, decided, overridden, moved, claimed, holding }) => [
        name,
        decided,
        overridden,
        moved,
        claimed,
        holding,
      ]),
    ).toEqual([
      ['Anna', 1, 1, 0, 3, 1],
      ['Ben', 1, 0, 1, 2, 0],
      ['Sam', 1, 1, 0, 1, 0],
    ]);
    for (const step of [() => relayOnce(testEnv.services, testEnv.signals), () => relayAll(testEnv)]) {
      await step();
      const { counted, server_time: _, from: _from, to: _to, ...after } = await read();
      expect(counted).toMatchObject({ seq: counted.head, more: false });
      expect(before).toMatchObject(after);
    }
    await expectCounted(testEnv, fixture.projectId);
  });

  it('AN29: a missing model or flag differs from a model called unknown and a flag called no flag', async () => {
    const metadata = { raw: '{}', value: { model: 'unknown', source: 'unknown' } };
    const named = await anItem(testEnv.services, fixture, { metadata, riskFlags: ['no flag'] });
    const [plain] = await items(testEnv.services, fixture, 1);
    if (!plain) throw new Error('One was asked for.');
    await review(testEnv.services, fixture.anna, { itemId: named.id, action: 'edit' });
    await review(testEnv.services, fixture.ben, { itemId: plain.id, action: 'approve' });
    const groups = async () => {
      const { by_flag, by_model, by_source } = (await read()).overrides;
      return [by_flag, by_model, by_source].map((split) =>
        split.map(({ key, decided, overridden }) => [key, decided, overridden]).sort(),
      );
    };
    const apart = (name: string) =>
      [
        [null, 1, 0],
        [name, 1, 1],
      ].sort();
    const expected = [apart('no flag'), apart('unknown'), apart('unknown')];
    expect(await groups()).toEqual(expected);
    await relayAll(testEnv);
    expect(await groups()).toEqual(expected);
    await expectCounted(testEnv, fixture.projectId);
  });

  it('AN4, AN20: verdicts have a separate rate and bins, and an empty one has no interval', async () => {
    fixture = await createProjectFixture(testEnv.services, { audit_rate: 1 });
    const audited = await anItem(testEnv.services, fixture, { confidence: 0.97 });
    const plain = await anItem(testEnv.services, fixture, { confidence: 0.81 });
    expect((await read()).audits).toEqual({ decided: 0, overridden: 0, interval: null, waiting: 1 });
    await review(testEnv.services, fixture.anna, { itemId: audited.id, action: 'reject' });
    await review(testEnv.services, fixture.anna, { itemId: plain.id, action: 'approve' });
    const report = await read();
    expect(report).toMatchObject({ decided: 2, overridden: 0, audits: { decided: 1, overridden: 1 } });
    expect(report.audits.interval?.low).toBeCloseTo(0.2065, 3);
    expect(report.overrides.by_model).toMatchObject([{ key: null, decided: 1, overridden: 0 }]);
    const window = { projectId: fixture.projectId, from: new Date(Date.now() - HOUR), to: new Date() };
    const bins = await testEnv.services.db.read((em) => confidenceBins(em, window));
    expect(bins).toEqual([
      { low: 0.8, high: 0.85, audit: false, n: 1, unchanged: 1, confidence_sum: 0.81 },
      { low: 0.95, high: 1, audit: true, n: 1, unchanged: 0, confidence_sum: 0.97 },
    ]);
  });

  it.each([
    ['Europe/Berlin', ['2026-03-27T23:00', '2026-03-28T23:00', '2026-03-29T22:00']],
    ['America/St_Johns', ['2026-03-07T03:30', '2026-03-08T03:30', '2026-03-09T02:30']],
    ['Asia/Kathmandu', ['2026-03-27T18:15', '2026-03-28T18:15', '2026-03-29T18:15']],
  ])('AN6: its days are those of %s, across the change of its clocks', async (zone, days) => {
    const change = { projectId: fixture.projectId, settingsVersion: 1, changes: { time_zone: zone } };
    await changeSettings(testEnv.services, fixture.owner, change);
    const endOf = (start = '') => new Date(Date.parse(start) + 24 * HOUR).toISOString();
    const starts = days.map((day) => `${day}:00.000Z`);
    const made = await items(testEnv.services, fixture, 6);
    // Two on each day: in its first minute, and in its last one.
    for (const [index, start] of starts.entries()) {
      const next = starts[index + 1] ?? endOf(start);
      const moments = [start, new Date(Date.parse(next) - 1).toISOString()];
      for (const [half, at] of moments.entries())
        await testEnv.sql('update item set created_at = ? where id = ?', [at, made[2 * index + half]?.id]);
    }
    await relayAll(testEnv);
    const { flow, time_zone } = await read({ from: starts[0], to: endOf(starts.at(-1)), bucket: 'day' });
    expect(time_zone).toBe(zone);
    expect(flow.slice(0, 3).map(({ at, arrived }) => [at, arrived])).toEqual(starts.map((start) => [start, 2]));
  });

  it('AN1: counts as arrived at people what routing queued, what was drawn for an audit, and what was reopened', async () => {
    const audited = await createProjectFixture(testEnv.services, { audit_rate: 1 });
    await anItem(testEnv.services, audited, { confidence: 1 });
    await anItem(testEnv.services, audited, { confidence: 0.8 });
    const { id } = await anItem(testEnv.services, audited, { confidence: 0 });
    await reopen(testEnv.services, audited.supervisor, { itemId: id, reason: null });
    await review(testEnv.services, audited.anna, { itemId: id, action: 'approve' });
    const { flow } = await readAnalytics(testEnv.services, audited.supervisor, {
      ...ANY,
      projectId: audited.projectId,
    });
    const sum = (of: 'arrived' | 'enqueued' | 'decided') => flow.reduce((n, bucket) => n + bucket[of], 0);
    expect([sum('arrived'), sum('enqueued'), sum('decided')]).toEqual([3, 3, 1]);
  });

  it('AN7: says when events are not counted yet because no relay runs', async () => {
    expect((await read()).counted.more).toBe(false);
    await testEnv.sql(
      `insert into event (id, project_id, type, actor, data, created_at)
       select gen_random_uuid(), ?, 'project.changed', '{}', '{"changed": []}', now() from generate_series(1, 5001)`,
      [fixture.projectId],
    );
    expect((await read()).counted.more).toBe(true);
    await relayAll(testEnv);
    expect((await read()).counted.more).toBe(false);
  });

  it('AN7: reports how far the event log is counted, and I9: is counted to its end', async () => {
    await live();
    await relayAll(testEnv);
    await testEnv.services.db.write(({ em }) => forgetRollups(em, fixture.projectId));
    expect((await read()).arrived).toBe(9);
    await testEnv.sql(
      `with far as (update project set event_seq = event_seq + 5001 where id = ? returning id, event_seq - 5001 as base)
       insert into event (id, project_id, seq, type, actor, data, created_at)
       select gen_random_uuid(), id, base + n, 'project.changed', '{}', '{"changed": []}', now() from far, generate_series(1, 5001) n`,
      [fixture.projectId],
    );
    const { counted } = await read();
    expect(counted.seq).toBeGreaterThan(0);
    expect(counted.head - counted.seq).toBeGreaterThan(5000);
    await relayAll(testEnv);
    expect(await read()).toMatchObject({ arrived: 9, counted: { seq: counted.head, head: counted.head } });
    await expectCounted(testEnv, fixture.projectId);
  });

  it('AN6: a window that starts within a minute is extended to whole minutes, and says so', async () => {
    await anItem(testEnv.services, fixture);
    await testEnv.sql(`update item set created_at = '2026-03-01T10:00:59Z' where project_id = ?`, [fixture.projectId]);
    const part = await read({ from: '2026-03-01T10:00:30Z', to: '2026-03-01T10:00:40Z' });
    expect(part).toMatchObject({ from: '2026-03-01T10:00:00.000Z', to: '2026-03-01T10:01:00.000Z', arrived: 1 });
    expect((await read({ from: '2026-03-01T10:01:00Z', to: '2026-03-01T11:00:00Z' })).arrived).toBe(0);
  });
});
