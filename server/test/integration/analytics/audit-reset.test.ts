// Tests what resets the audits that count for a budget: another threshold, other flags, another model (AU6).
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProjectSettings } from '@countersign/shared/settings';
import { WINDOW_MS } from '../../../src/domain/audits/audit-start.ts';
import { createAuditFixture, auditsOf, changeOf, type AuditOptions, judgeOne } from './audit-fixture.ts';
import type { ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
beforeEach(async () => {
  fixture = await createAuditFixture(testEnv);
});

const pass = (ms: number) => testEnv.clock.pass(ms);
const judge = (judging: AuditOptions) => judgeOne(testEnv, fixture, { action: 'approve', ...judging });
const audits = () => auditsOf(testEnv, fixture);
const change = (changes: Partial<ProjectSettings>) => changeOf(testEnv, fixture, changes);

describe('AU6: the count is reset', () => {
  it('by a changed threshold and by changed flags: both decide what is audited', async () => {
    await judge({ confidence: 0.99 });
    for (const settings of [{ auto_threshold: 0.97 }, { escalate_flags: ['legal'] }]) {
      pass(1000);
      const before = testEnv.services.clock.now().toISOString();
      await change(settings);
      const { from, ...rest } = await audits();
      expect(rest).toMatchObject({ judged: 0, began: { why: 'auto_threshold', model: null } });
      expect(from >= before).toBe(true);
      expect((await audits()).budget).toMatchObject({ judged: 0, left: 10 });
      await judge({ confidence: 0.99 });
      expect(await audits()).toMatchObject({ judged: 1 });
    }
    await change({ guidelines: 'Be kind.' });
    expect(await audits()).toMatchObject({ judged: 1 });
  });

  it('by a model that was never audited before, and not by one that returns', async () => {
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
