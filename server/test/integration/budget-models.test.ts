// A budget and models that come and go: what a pipeline calls its model forgets no error, and proves nothing by itself (AU5, AU6).
import { beforeEach, describe, expect, it } from 'vitest';
import { listAlerts } from '../../src/usecases/queries/list-alerts.ts';
import { watchBudgetsOnce } from '../../src/worker/watch-budgets.ts';
import { auditedScene, auditsOf, judgeOne, type Judging } from './auditing.ts';
import type { Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;
beforeEach(async () => {
  scene = await auditedScene(world, { over_budget: 'raise' });
});

const audits = () => auditsOf(world, scene);
const told = async () => (await listAlerts(world.services, scene.owner)).map(({ kind }) => kind);

/** So many audits, each of a moment of its own. */
async function judge(count: number, action: 'approve' | 'reject', judging: Judging = {}): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    world.clock.pass(1000);
    await judgeOne(world, scene, { action, ...judging });
  }
}

describe('AU6: a model that was never audited before', () => {
  it('forgets no error: with a name for every build the budget is crossed, told and raised all the same', async () => {
    for (let build = 0; build < 12; build += 1) {
      await judge(1, 'approve', { model: `build-${build}`, confidence: 0.99 });
      if (build % 3 === 0) await judge(1, 'reject', { model: `build-${build}` });
    }
    expect(await audits()).toMatchObject({
      judged: 1,
      began: { why: 'model', model: 'build-11' },
      budget: { state: 'over', earlier_models: true, judged: 1, left: 9 },
    });
    await watchBudgetsOnce(world.services);
    expect([(await audits()).line, await told()]).toEqual([0.99, ['threshold_raised']]);
    // Only another line lets older errors be: they were of answers that do not pass any more.
    expect((await audits()).budget).toMatchObject({ state: 'too_little', earlier_models: false });
  });

  it('is proven by its own audits alone, and then by them whatever was before', async () => {
    await judge(10, 'approve', { model: 'm-1' });
    expect((await audits()).budget).toMatchObject({ state: 'within', earlier_models: false });
    await judge(1, 'approve', { model: 'm-2' });
    expect((await audits()).budget).toMatchObject({ state: 'too_little', earlier_models: false });
    await judge(2, 'reject', { model: 'm-2' });
    expect((await audits()).budget).toMatchObject({ state: 'over', earlier_models: true });
    await judge(10, 'approve', { model: 'm-3' });
    expect((await audits()).budget).toMatchObject({ state: 'within', earlier_models: false, judged: 10 });
    await watchBudgetsOnce(world.services);
    expect(await told()).toEqual([]);
  });

  it('that has enough of its own is over by these', async () => {
    await judge(4, 'approve', { model: 'm-1' });
    await judge(10, 'reject', { model: 'm-2' });
    expect((await audits()).budget).toMatchObject({ state: 'over', earlier_models: false, judged: 10 });
  });
});
