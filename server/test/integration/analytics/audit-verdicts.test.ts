// Tests which audits have a verdict, wait for one, or ended without: expired, withheld, revised (AU4, RV4).
import { beforeEach, describe, expect, it } from 'vitest';
import { readAnalytics } from '../../../src/usecases/analytics/read-analytics.ts';
import { readCalibration } from '../../../src/usecases/analytics/read-calibration.ts';
import { finalizeOnce } from '../../../src/worker/finalize.ts';
import { watchBudgetsOnce } from '../../../src/worker/watch-budgets.ts';
import { anItem, review, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';
import {
  AN_HOUR,
  auditsOf,
  createAuditFixture,
  expireOne,
  judgeOne,
  reviseToReject,
  versionOf,
} from './audit-fixture.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
beforeEach(async () => {
  fixture = await createAuditFixture(testEnv, { over_budget: 'raise' });
});

const drawn = async (confidence = 0.96) => (await anItem(testEnv.services, fixture, { confidence, ...AN_HOUR })).id;
const revised = (itemId: string) => reviseToReject(testEnv, fixture, itemId);

async function expired(): Promise<string> {
  const id = await drawn();
  await expireOne(testEnv, id);
  return id;
}

async function withheld(): Promise<string> {
  const id = await drawn();
  await review(testEnv.services, fixture.supervisor, { itemId: id, action: 'escalate' });
  await review(testEnv.services, fixture.supervisor, { itemId: id, action: 'finalize' });
  return id;
}

describe('AU4: an audit without a verdict', () => {
  it('waits until its verdict is final, or has ended', async () => {
    fixture = await createAuditFixture(testEnv, { undo_window_seconds: 30 });
    const counts = async () => {
      const { drawn: sampled, judged, waiting, ended } = await auditsOf(testEnv, fixture);
      return { sampled, judged, waiting, ended };
    };
    await expired();
    const escalated = await drawn();
    await review(testEnv.services, fixture.anna, { itemId: escalated, action: 'escalate' });
    const provisional = await drawn();
    await review(testEnv.services, fixture.anna, { itemId: provisional, action: 'approve' });
    expect(await counts()).toEqual({ sampled: 3, judged: 0, waiting: 2, ended: 1 });
    await review(testEnv.services, fixture.supervisor, { itemId: escalated, action: 'finalize' });
    expect(await counts()).toEqual({ sampled: 3, judged: 0, waiting: 2, ended: 1 });
    await testEnv.sql(`update decision set undo_until = now() - '1ms'::interval where final_at is null`);
    while ((await finalizeOnce(testEnv.services)).again);
    expect(await counts()).toEqual({ sampled: 3, judged: 1, waiting: 0, ended: 2 });
  });
});

describe('RV4: the revision of an audited item', () => {
  it('replaces the verdict in the error', async () => {
    const id = await drawn();
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    expect(await auditsOf(testEnv, fixture)).toMatchObject({ drawn: 1, judged: 1, wrong: 0 });
    await revised(id);
    expect(await auditsOf(testEnv, fixture)).toMatchObject({ drawn: 1, judged: 1, wrong: 1 });
  });

  it.each([
    ['expired', expired],
    ['was withheld', withheld],
  ])('is no verdict where the audit %s: only wrong answers among these are revised', async (_, end) => {
    const ids = [await end(), await end(), await end()];
    for (let n = 0; n < 12; n += 1) await judgeOne(testEnv, fixture, { action: 'approve' });
    for (const id of ids) await revised(id);
    expect(await auditsOf(testEnv, fixture)).toMatchObject({
      ...{ drawn: 15, judged: 12, wrong: 0, waiting: 0, ended: 3 },
      budget: { state: 'within' },
    });
    const window = { projectId: fixture.projectId, from: undefined, to: undefined };
    const { audits } = await readAnalytics(testEnv.services, fixture.owner, { ...window, bucket: undefined });
    expect(audits).toMatchObject({ decided: 12, overridden: 0 });
    const { uniform, quantile } = await readCalibration(testEnv.services, fixture.owner, window);
    for (const bins of [uniform, quantile]) expect(bins.reduce((sum, { n }) => sum + n, 0)).toBe(12);
    const version = await versionOf(testEnv, fixture);
    await watchBudgetsOnce(testEnv.services);
    expect([await versionOf(testEnv, fixture), (await auditsOf(testEnv, fixture)).budget?.over_since]).toEqual([
      version,
      null,
    ]);
  });
});
