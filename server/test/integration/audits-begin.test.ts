// What makes the audits that a budget goes by begin anew: another line, other flags, another model (AU6).
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProjectSettings } from '@countersign/shared/api/projects';
import { WINDOW_MS } from '../../src/domain/audit-start.ts';
import { auditedScene, auditsOf, changeOf, type Judging, judgeOne } from './auditing.ts';
import type { Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;
beforeEach(async () => {
  scene = await auditedScene(world);
});

const pass = (ms: number) => world.clock.pass(ms);
const judge = (judging: Judging) => judgeOne(world, scene, { action: 'approve', ...judging });
const audits = () => auditsOf(world, scene);
const change = (changes: Partial<ProjectSettings>) => changeOf(world, scene, changes);

describe('AU6: what begins anew', () => {
  it('is a line that an owner moves, and flags: older audits chose it', async () => {
    await judge({ confidence: 0.99 });
    for (const settings of [{ auto_threshold: 0.97 }, { escalate_flags: ['legal'] }]) {
      pass(1000);
      const before = world.services.clock.now().toISOString();
      await change(settings);
      const { from, ...rest } = await audits();
      expect(rest).toMatchObject({ judged: 0, began: { why: 'line', model: null } });
      expect(from >= before).toBe(true);
      expect((await audits()).budget).toMatchObject({ judged: 0, left: 10 });
      await judge({ confidence: 0.99 });
      expect(await audits()).toMatchObject({ judged: 1 });
    }
    await change({ guidelines: 'Be kind.' });
    expect(await audits()).toMatchObject({ judged: 1 });
  });

  it('is a model that was never audited before; one that comes back is none', async () => {
    const of = async (model: string | null) => {
      for (let n = 0; n < 2; n += 1) await judge({ model });
    };
    await of(null);
    expect(await audits()).toMatchObject({ judged: 2, began: { why: 'time' } });
    pass(1000);
    await of('m-1');
    expect(await audits()).toMatchObject({ judged: 2, began: { why: 'model', model: 'm-1' } });
    pass(1000);
    await of('m-2');
    pass(1000);
    await of('m-1');
    expect(await audits()).toMatchObject({ judged: 4, began: { why: 'model', model: 'm-2' } });
    // Months later all of them are known.
    pass(3 * WINDOW_MS);
    await of('m-1');
    pass(1000);
    await of('m-2');
    expect(await audits()).toMatchObject({ judged: 4, began: { why: 'time' } });
  });
});
