// KE3 and KE5 on a real database: attempts go by themselves, and what a learning quotes stays as long as it counts.
import { describe, expect, it } from 'vitest';
import { exportFilter } from '@countersign/shared/api/exports';
import { exportLearnings } from '../../src/usecases/export-learnings.ts';
import { readAudits } from '../../src/usecases/queries/read-audits.ts';
import { readCalibration } from '../../src/usecases/queries/read-calibration.ts';
import { readThresholds } from '../../src/usecases/queries/read-thresholds.ts';
import { replayDelivery } from '../../src/usecases/replay-deliveries.ts';
import { DAY_MS, faultsOf, settle, useKeeping } from './keeping-scene.ts';
import { review } from './scene.ts';

const { world, now, days, pass, submitted, told, detailOf, publicOf, learningOf, leaveOut, gone, mark } = useKeeping();

describe('KE3: attempts', () => {
  it('KE3: go, and the line of the delivery stays with how it ended', async () => {
    await days({ keep_attempts_days: 7 });
    now.answers = [500];
    const id = await told();
    await settle(world);
    expect((await detailOf(id)).attempts).toHaveLength(2);
    await pass(8);
    const { attempts, ...line } = await detailOf(id);
    expect(attempts).toEqual([]);
    expect(line).toMatchObject({ status: 'succeeded', attempt: 2, http_status: 200, duration_ms: null });
    expect(line.body).toContain(mark(''));
    await replayDelivery(world.services, now.scene.supervisor, line.id);
    await settle(world);
    expect((await detailOf(id)).attempts.map(({ n }) => n)).toEqual([3]);
    expect(await faultsOf(world)).toEqual([]);
  });
});

describe('KE5: what a learning quotes', () => {
  it('KE5: stays while the learning counts, and goes when its days are over since it was left out', async () => {
    await days({ keep_payloads_days: 7 });
    const id = await told('edit');
    await pass(100);
    expect(await publicOf(id)).toMatchObject({ input: { question: mark('input') } });
    const input = { projectId: now.scene.projectId, filter: exportFilter.parse({}), skip: 0 };
    let lines = '';
    for await (const some of (await exportLearnings(world.services, now.scene.owner, input)).lines) lines += some;
    expect(lines).toContain(mark('output'));
    await leaveOut(id);
    await pass(6);
    expect(await publicOf(id)).not.toHaveProperty('emptied_at');
    await pass(2);
    expect(await publicOf(id)).toHaveProperty('emptied_at');
    expect(await learningOf(id)).toBeUndefined();
  });

  it('KE5: taken in again it stays, and left out once more the days begin anew', async () => {
    await days({ keep_payloads_days: 7, keep_ledger_days: 30 });
    const id = await told('reject');
    await leaveOut(id);
    world.clock.pass(5 * DAY_MS);
    await leaveOut(id, false);
    await pass(40);
    expect(await learningOf(id)).toBeDefined();
    await leaveOut(id);
    await pass(6);
    expect(await learningOf(id)).toBeDefined();
    await pass(2);
    expect(await learningOf(id)).toBeUndefined();
    await pass(23);
    expect(await gone(id)).toBe(true);
    expect(await faultsOf(world)).toEqual([]);
  });

  it('KE5: what is left of a time whose items went is what people overrode: nothing is judged by it', async () => {
    await days({ keep_ledger_days: 30, audit_rate: 1 });
    const { services } = world;
    const audited = async (action: 'approve' | 'reject') => {
      const { id } = await submitted({ confidence: 1 });
      await review(services, now.scene.anna, { itemId: id, action });
    };
    const some = async () => {
      await told('reject');
      await audited('reject');
      await told('approve');
      await told('approve');
      await audited('approve');
      await settle(world);
      // The database has its own clock, which does not pass with ours.
      await world.sql('update decision d set decided_at = i.created_at from item i where i.id = d.item_id');
    };
    await some();
    await pass(31);
    const left = await world.sql('select 1 from item where project_id = ?', [now.scene.projectId]);
    await some();
    const at = services.clock.now().getTime();
    const window = { projectId: now.scene.projectId, from: new Date(at - 80 * DAY_MS), to: new Date(at + 60_000) };
    const { arrivals, decisions, pace } = await readThresholds(services, now.scene.supervisor, window);
    const { quantile } = await readCalibration(services, now.scene.supervisor, window);
    const { drawn, judged, wrong } = await readAudits(services, now.scene.supervisor, window);
    expect(left).toHaveLength(2);
    expect([arrivals.n, decisions.n, pace.n]).toEqual([5, 5, 5]);
    expect(quantile.reduce((sum, { n }) => sum + n, 0)).toBe(5);
    expect({ drawn, judged, wrong }).toEqual({ drawn: 2, judged: 2, wrong: 1 });
  });
});
