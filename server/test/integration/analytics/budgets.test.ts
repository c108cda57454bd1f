// Tests audit figures and the error budget: alerts for owners, and raising the threshold where chosen (AU4, AU5).
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProjectSettings } from '@countersign/shared/settings';
import { listAlerts, listProjectAlerts } from '../../../src/usecases/webhooks/list-alerts.ts';
import { listChanges } from '../../../src/usecases/projects/list-changes.ts';
import { readAudits } from '../../../src/usecases/analytics/read-audits.ts';
import { seeAlert } from '../../../src/usecases/webhooks/see-alert.ts';
import { anytimeUpperBound } from '@countersign/shared/statistics/statistics';
import { WINDOW_MS } from '../../../src/domain/audits/audit-start.ts';
import { watchBudgetsOnce } from '../../../src/worker/watch-budgets.ts';
import { createAuditFixture, auditsOf, changeOf, judgeOne, versionOf } from './audit-fixture.ts';
import { eventLogOf } from '../support/database-helpers.ts';
import { anItem, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';
import { passTime, withClockOff } from '../support/deadline-clock.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

const start = async (settings: Partial<ProjectSettings> = {}) => {
  fixture = await createAuditFixture(testEnv, settings);
};
/** How far the test has moved the service's clock; alerts use the clock of the database. */
let offsetMs = 0;
async function pass(ms: number): Promise<void> {
  await passTime(testEnv, ms);
  offsetMs += ms;
}
beforeEach(async () => {
  await pass(-offsetMs);
  await start();
});

/** This many audits of one confidence, with verdicts. */
async function judge(count: number, action: 'approve' | 'reject', confidence = 0.96): Promise<void> {
  for (let n = 0; n < count; n += 1) await judgeOne(testEnv, fixture, { action, confidence });
}

const audits = (span?: { from?: Date; to?: Date }) => auditsOf(testEnv, fixture, span);
const versionNow = () => versionOf(testEnv, fixture);
const change = (changes: Partial<ProjectSettings>) => changeOf(testEnv, fixture, changes);
const alertKindsOf = async () => (await listAlerts(testEnv.services, fixture.owner)).map(({ kind }) => kind);
const currentThreshold = async () => (await audits()).auto_threshold;

describe('AU4: the error above the threshold', () => {
  it('is unknown at first, then counted live, with the number still waiting', async () => {
    expect(await audits()).toMatchObject({ drawn: 0, judged: 0, estimate: null, bound: null, anytime: null });
    await judge(3, 'approve');
    await judge(1, 'reject');
    await anItem(testEnv.services, fixture, { confidence: 0.97 });
    expect(await audits()).toMatchObject({
      drawn: 5,
      judged: 4,
      wrong: 1,
      estimate: 0.25,
      rate: 1,
      auto_threshold: 0.95,
      gap: false,
      anytime: anytimeUpperBound(1, 4),
      began: { why: 'time', model: null },
    });
  });

  it('excludes what routing queued, and other projects', async () => {
    await judge(2, 'reject', 0.8);
    await start();
    await judge(2, 'approve');
    expect(await audits()).toMatchObject({ judged: 2, wrong: 0 });
  });

  it('counts the audits that apply to the current threshold', async () => {
    await judge(2, 'reject', 0.96);
    await judge(3, 'approve', 0.99);
    const month = { from: new Date(testEnv.services.clock.now().getTime() - WINDOW_MS) };
    await pass(1000);
    await change({ auto_threshold: 0.98 });
    expect(await audits(month)).toMatchObject({ judged: 3, wrong: 0, anytime: null, began: null });
    // Audits of the higher threshold say nothing about what passes now.
    await judge(2, 'approve', 0.99);
    await change({ auto_threshold: 0.95 });
    expect(await audits(month)).toMatchObject({ judged: 5, wrong: 2 });
  });

  it('says when nothing was drawn for a time, and reads a window', async () => {
    await change({ audit_rate: 0 });
    await pass(1000);
    const later = testEnv.services.clock.now();
    await change({ audit_rate: 1 });
    await pass(1000);
    await judge(1, 'approve');
    expect(await audits()).toMatchObject({ gap: true, judged: 1 });
    expect(await audits({ from: new Date(later.getTime() + 500) })).toMatchObject({ gap: false, judged: 1 });
    expect(await audits({ to: later })).toMatchObject({ gap: true, judged: 0 });
    await expect(audits({ from: later, to: later })).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('PM: is for supervisors and owners', async () => {
    const asked = readAudits(testEnv.services, fixture.anna, {
      projectId: fixture.projectId,
      from: undefined,
      to: undefined,
    });
    await expect(asked).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('AU5: the budget', () => {
  it('reports too little data, then within, then over budget: alerts once, and ends with its cause', async () => {
    await judge(9, 'approve');
    expect((await audits()).budget).toMatchObject({ state: 'too_little', needed: 10, left: 1 });
    await judge(1, 'approve');
    expect((await audits()).budget).toMatchObject({ state: 'within', left: 0, over_since: null });
    await watchBudgetsOnce(testEnv.services);
    expect(await alertKindsOf()).toEqual([]);
    await judge(1, 'reject');
    expect((await audits()).budget).toMatchObject({ state: 'over' });
    await watchBudgetsOnce(testEnv.services);
    await watchBudgetsOnce(testEnv.services);
    expect(await alertKindsOf()).toEqual(['over_budget']);
    expect((await audits()).budget?.over_since).not.toBeNull();
    expect(await currentThreshold()).toBe(0.95);
    expect(
      (await eventLogOf(testEnv, fixture.projectId)).filter(({ type }) => type === 'project.changed').at(-1),
    ).toMatchObject({
      data: { changed: ['audits'] },
    });
    // Enough correct ones end it, and the alert disappears.
    await judge((await audits()).budget?.left ?? 0, 'approve');
    await watchBudgetsOnce(testEnv.services);
    expect((await audits()).budget).toMatchObject({ state: 'within', over_since: null });
    expect(await alertKindsOf()).toEqual([]);
  });

  it('raises the threshold where an owner chose so: one version, in the change log, by the system', async () => {
    await start({ over_budget: 'raise' });
    await judge(3, 'reject', 0.96);
    await judge(12, 'approve', 0.99);
    const version = await versionNow();
    await Promise.all([watchBudgetsOnce(testEnv.services), watchBudgetsOnce(testEnv.services)]);
    expect(await currentThreshold()).toBe(0.99);
    expect(await versionNow()).toBe(version + 1);
    const { rows } = await listChanges(testEnv.services, fixture.owner, {
      projectId: fixture.projectId,
      after: undefined,
      limit: 1,
      action: undefined,
      kind: undefined,
    });
    expect(rows[0]).toMatchObject({
      action: 'settings.changed',
      changedBy: null,
      changedByName: 'Countersign',
      before: { auto_threshold: 0.95 },
      after: { auto_threshold: 0.99 },
    });
    expect(await alertKindsOf()).toEqual(['threshold_raised']);
    // What would have passed before waits for a person now.
    expect((await anItem(testEnv.services, fixture, { confidence: 0.97 })).status).toBe('queued');
    // The audits that chose the threshold no longer count: new ones judge it, and until there are enough nothing is raised again.
    await watchBudgetsOnce(testEnv.services);
    expect(await audits()).toMatchObject({
      began: { why: 'raised' },
      budget: { state: 'too_little', judged: 0, needed: 10, left: 10, over_since: null },
    });
    await judge(1, 'reject', 0.99);
    await judge(8, 'approve', 0.99);
    await watchBudgetsOnce(testEnv.services);
    expect([await versionNow(), (await audits()).budget?.state]).toEqual([version + 1, 'too_little']);
    await judge(1, 'approve', 0.99);
    await watchBudgetsOnce(testEnv.services);
    expect([await versionNow(), await currentThreshold()]).toEqual([version + 2, 1]);
  });

  it('raises it also where an owner chose so after the alert, and after lowering it again', async () => {
    await judge(3, 'reject', 0.96);
    await judge(12, 'approve', 0.99);
    await watchBudgetsOnce(testEnv.services);
    expect([await alertKindsOf(), await currentThreshold()]).toEqual([['over_budget'], 0.95]);
    await change({ over_budget: 'raise' });
    await watchBudgetsOnce(testEnv.services);
    expect([(await alertKindsOf())[0], await currentThreshold()]).toEqual(['threshold_raised', 0.99]);
    await watchBudgetsOnce(testEnv.services);
    await change({ auto_threshold: 0.95 });
    await watchBudgetsOnce(testEnv.services);
    expect(await currentThreshold()).toBe(0.95);
    await judge(10, 'reject', 0.97);
    await watchBudgetsOnce(testEnv.services);
    expect(await currentThreshold()).toBe(1);
  });

  it('does not act on settings that an owner changed between the check and the change', async () => {
    await start({ over_budget: 'raise' });
    await judge(10, 'reject', 0.96);
    const { db } = testEnv.services;
    const write: typeof db.write = async (work) => {
      await change({ auto_threshold: 0.97 });
      return db.write(work);
    };
    await watchBudgetsOnce({ ...testEnv.services, db: { ...db, write } });
    expect([await currentThreshold(), await alertKindsOf()]).toEqual([0.97, []]);
  });

  it('continues with the next project where one fails, and retries that one in the next round', async () => {
    await judge(10, 'reject', 0.96);
    const first = fixture;
    await start();
    await judge(10, 'reject', 0.96);
    const alertDates = async () =>
      (await Promise.all([first, fixture].map(({ owner }) => listAlerts(testEnv.services, owner)))).flat().length;
    const { db } = testEnv.services;
    let calls = 0;
    const write: typeof db.write = (work) => (++calls === 1 ? Promise.reject(new Error('cut off')) : db.write(work));
    await watchBudgetsOnce({ ...testEnv.services, db: { ...db, write } });
    expect(await alertDates()).toBe(1);
    await watchBudgetsOnce(testEnv.services);
    expect(await alertDates()).toBe(2);
  });

  it('shows without a webhook until dismissed, and not where the budget was removed', async () => {
    await judge(10, 'reject');
    await watchBudgetsOnce(testEnv.services);
    expect(await listProjectAlerts(testEnv.services, fixture.owner, fixture.projectId)).toEqual([]);
    const [alert] = await listAlerts(testEnv.services, fixture.owner);
    expect(Number(alert?.dead)).toBe(0);
    await seeAlert(testEnv.services, fixture.owner, { projectId: fixture.projectId, alertId: alert?.id ?? '' });
    expect(await alertKindsOf()).toEqual([]);
    await change({ error_budget: null });
    await watchBudgetsOnce(testEnv.services);
    expect((await audits()).budget).toBeNull();
    expect(await testEnv.sql('select over_budget_since from project where id = ?', [fixture.projectId])).toEqual([
      { over_budget_since: null },
    ]);
  });

  it.each([-1, 1])(
    'judges the same audits where the clock of the worker is two windows off, in direction %i',
    async (direction) => {
      await start({ over_budget: 'raise' });
      await judge(10, 'reject', 0.96);
      await watchBudgetsOnce(withClockOff(testEnv, direction * 2 * WINDOW_MS));
      expect([await currentThreshold(), await alertKindsOf()]).toEqual([1, ['threshold_raised']]);
    },
  );

  it('deletes alerts older than 60 days', async () => {
    await judge(10, 'reject');
    await pass(2 * WINDOW_MS);
    await watchBudgetsOnce(testEnv.services);
    expect(await alertKindsOf()).toEqual([]);
    expect(await audits()).toMatchObject({ judged: 0 });
  });
});
