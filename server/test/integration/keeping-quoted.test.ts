// KE3 and KE5 on a real database: attempts go by themselves, and what a learning quotes stays as long as it counts.
import { describe, expect, it } from 'vitest';
import { exportFilter } from '@countersign/shared/api/exports';
import { exportLearnings } from '../../src/usecases/export-learnings.ts';
import { replayDelivery } from '../../src/usecases/replay-deliveries.ts';
import { DAY_MS, faultsOf, settle, useKeeping } from './keeping-scene.ts';

const { world, now, days, pass, told, detailOf, publicOf, learningOf, leaveOut, gone, mark } = useKeeping();

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
});
