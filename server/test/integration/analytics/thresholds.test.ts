// Tests the sample for trying thresholds, as read from the database: arrivals, verdicts, the unknown (AN22 to AN26).
import { beforeEach, describe, expect, it } from 'vitest';
import type { ReviewAction } from '@countersign/shared/review-actions';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { readCalibration } from '../../../src/usecases/analytics/read-calibration.ts';
import { readThresholds } from '../../../src/usecases/analytics/read-thresholds.ts';
import { reopen } from '../../../src/usecases/decisions/reopen.ts';
import { endAllClaims } from '../support/database-helpers.ts';
import { anItem, createProjectFixture, review, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const HOUR = 3_600_000;
let fixture: ProjectFixture;

beforeEach(async () => {
  await endAllClaims(testEnv);
  fixture = await createProjectFixture(testEnv.services, { audit_rate: 1, escalate_flags: ['legal'] });
});

const around = () => {
  const now = testEnv.clock.now().getTime();
  return { projectId: fixture.projectId, from: new Date(now - HOUR), to: new Date(now + HOUR) };
};
const sample = (window = around()) => readThresholds(testEnv.services, fixture.supervisor, window);
const calibration = () => readCalibration(testEnv.services, fixture.supervisor, around());

/** An item of this confidence and these flags, decided by a supervisor when an action is given. */
async function item(confidence: number, action?: ReviewAction, riskFlags: string[] = []): Promise<string> {
  const { id } = await anItem(testEnv.services, fixture, { confidence, riskFlags });
  if (action) await review(testEnv.services, fixture.supervisor, { itemId: id, action });
  return id;
}

describe('AN23: the sample of thresholds', () => {
  it('groups equal arrivals and counts the verdicts of people by kind', async () => {
    await item(0.8, 'approve');
    await item(0.8, 'edit');
    await item(0.8);
    await item(0.97, 'reject');
    await item(0.97);
    await item(0.2);
    await item(0.97, 'approve', ['Legal']);
    const { cells, kinds, flags, flag_sets: sets, arrivals, decisions } = await sample();
    const named = cells.map(([confidence, set, kind, ...counts]) => [confidence, sets[set], kinds[kind]?.kind, counts]);
    expect(named).toEqual([
      [0.2, [], 'refused', [1, 0, 0]],
      [0.8, [], 'queued', [3, 2, 1]],
      [0.97, [], 'automatic', [2, 1, 1]],
      [0.97, [0], 'escalated', [1, 1, 0]],
    ]);
    expect(flags).toEqual([{ flag: 'legal', escalates: true, arrived: 1 }]);
    expect(kinds).toContainEqual({ kind: 'automatic', audit_rate: 1 });
    expect(arrivals).toMatchObject({ n: 7, limited: false });
    expect(decisions).toMatchObject({ n: 4, limited: false });
  });

  it('excludes an item that was reopened, or that a supervisor finalized without an answer', async () => {
    const refused = await item(0.2);
    await reopen(testEnv.services, fixture.supervisor, { itemId: refused, reason: null });
    await review(testEnv.services, fixture.supervisor, { itemId: refused, action: 'reject' });
    await item(0.8, 'finalize', ['legal']);
    const { cells, decisions } = await sample();
    expect(cells.map(([, , , ...counts]) => counts)).toEqual([
      [1, 0, 0],
      [1, 0, 0],
    ]);
    expect(decisions.n).toBe(2);
  });

  it('separates audits drawn at another rate, by the settings version that routed each item (RT6)', async () => {
    await item(0.97, 'approve');
    const { projectId, owner } = fixture;
    await changeSettings(testEnv.services, owner, { projectId, settingsVersion: 1, changes: { audit_rate: 0 } });
    await item(0.97);
    const { cells, kinds, settings } = await sample();
    expect(settings).toMatchObject({ settings_version: 2, audit_rate: 0, auto_threshold: 0.95 });
    expect(cells.map(([, , kind, ...counts]) => [kinds[kind]?.audit_rate, ...counts])).toEqual(
      expect.arrayContaining([
        [1, 1, 1, 0],
        [0, 1, 0, 0],
      ]),
    );
  });

  it('contains nothing from outside its window, and refuses an empty one', async () => {
    await item(0.8, 'approve');
    const { from, to, projectId } = around();
    expect(await sample({ projectId, from: to, to: new Date(to.getTime() + HOUR) })).toMatchObject({
      cells: [],
      arrivals: { n: 0, limited: false, since: null },
      median: { n: 0, seconds: null },
    });
    await expect(sample({ projectId, from: to, to: from })).rejects.toMatchObject({ code: 'validation_failed' });
  });
});

describe('AN26: the decision rate', () => {
  it('is the median time from the claim, or from the previous decision when that was later', async () => {
    const ids = [await item(0.8, 'approve'), await item(0.8, 'approve'), await item(0.8, 'approve')];
    const start = testEnv.clock.now().getTime() - HOUR / 2;
    const at = (second: number) => new Date(start + second * 1000);
    // Claimed together at 0; decided after 10 s, 15 s and 45 s: 10, 5 and 30 seconds of work.
    for (const [place, second] of [10, 15, 45].entries()) {
      await testEnv.sql('update decision set decided_at = ? where item_id = ?', [at(second), ids[place]]);
      for (const [type, moment] of [
        ['item.claimed', at(0)],
        ['item.decided', at(second)],
      ])
        await testEnv.sql(`update event set created_at = ? where item_id = ? and type = ?`, [moment, ids[place], type]);
    }
    expect((await sample()).median).toEqual({ n: 3, seconds: 10 });
  });
});

describe('AN22: calibration', () => {
  it('bins the verdicts of people by confidence, audits apart, with a closed last bin', async () => {
    for (const action of ['approve', 'approve', 'reject'] as const) await item(0.75, action);
    await item(0.799, 'edit');
    await item(0.8, 'approve');
    await item(1, 'approve');
    await item(0.95, 'reject');
    const { uniform, auto_threshold: threshold } = await calibration();
    expect(threshold).toBe(0.95);
    expect(uniform.map(({ confidence_sum: sum, ...bin }) => ({ ...bin, sum: Math.round(sum * 1000) / 1000 }))).toEqual([
      { low: 0.75, high: 0.8, audit: false, n: 4, unchanged: 2, sum: 3.049 },
      { low: 0.8, high: 0.85, audit: false, n: 1, unchanged: 1, sum: 0.8 },
      { low: 0.95, high: 1, audit: true, n: 2, unchanged: 1, sum: 1.95 },
    ]);
  });

  it('bins equal counts together, and never splits one confidence', async () => {
    for (const confidence of [0.71, 0.72, 0.72, 0.94]) await item(confidence, 'approve');
    const { quantile } = await calibration();
    expect(quantile.map(({ low, high, n }) => [low, high, n])).toEqual([
      [0.71, 0.71, 1],
      [0.72, 0.72, 2],
      [0.94, 0.94, 1],
    ]);
  });

  it('has no bins without decisions', async () => {
    await item(0.8);
    expect(await calibration()).toMatchObject({ uniform: [], quantile: [] });
  });
});
