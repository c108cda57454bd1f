// Tests a budget with changing models: a new model name neither forgets errors nor proves the budget (AU5, AU6).
import { beforeEach, describe, expect, it } from 'vitest';
import { listAlerts } from '../../../src/usecases/webhooks/list-alerts.ts';
import { watchBudgetsOnce } from '../../../src/worker/watch-budgets.ts';
import { createAuditFixture, auditsOf, judgeOne, type AuditOptions } from './audit-fixture.ts';
import type { ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';
import { passTime } from '../support/deadline-clock.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
beforeEach(async () => {
  fixture = await createAuditFixture(testEnv, { over_budget: 'raise' });
});

const audits = () => auditsOf(testEnv, fixture);
const alertKindsOf = async () => (await listAlerts(testEnv.services, fixture.owner)).map(({ kind }) => kind);

/** Inserts this many audits, each with its own time. */
async function judge(count: number, action: 'approve' | 'reject', judging: AuditOptions = {}): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await passTime(testEnv, 1000);
    await judgeOne(testEnv, fixture, { action, ...judging });
  }
}

describe('AU6: a model that was never audited before', () => {
  it('forgets no error: with a new model name per build the budget is still exceeded, reported and raised', async () => {
    for (let build = 0; build < 12; build += 1) {
      await judge(1, 'approve', { model: `build-${build}`, confidence: 0.99 });
      if (build % 3 === 0) await judge(1, 'reject', { model: `build-${build}` });
    }
    expect(await audits()).toMatchObject({
      judged: 1,
      began: { why: 'model', model: 'build-11' },
      budget: { state: 'over', earlier_models: true, judged: 1, left: 9 },
    });
    await watchBudgetsOnce(testEnv.services);
    expect([(await audits()).auto_threshold, await alertKindsOf()]).toEqual([0.99, ['threshold_raised']]);
    // Only another threshold drops older errors: they were in answers that no longer pass.
    expect((await audits()).budget).toMatchObject({ state: 'too_little', earlier_models: false });
  });

  it('is proven by its own audits alone, with any history before', async () => {
    await judge(10, 'approve', { model: 'm-1' });
    expect((await audits()).budget).toMatchObject({ state: 'within', earlier_models: false });
    await judge(1, 'approve', { model: 'm-2' });
    expect((await audits()).budget).toMatchObject({ state: 'too_little', earlier_models: false });
    await judge(2, 'reject', { model: 'm-2' });
    expect((await audits()).budget).toMatchObject({ state: 'over', earlier_models: true });
    await judge(10, 'approve', { model: 'm-3' });
    expect((await audits()).budget).toMatchObject({ state: 'within', earlier_models: false, judged: 10 });
    await watchBudgetsOnce(testEnv.services);
    expect(await alertKindsOf()).toEqual([]);
  });

  it('no longer counts older audits once it has enough of its own', async () => {
    await judge(4, 'approve', { model: 'm-1' });
    await judge(10, 'reject', { model: 'm-2' });
    expect((await audits()).budget).toMatchObject({ state: 'over', earlier_models: false, judged: 10 });
  });
});
