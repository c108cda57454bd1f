// Due times on the real database: by target and deadline, also after these change (LC3).
import { describe, expect, it } from 'vitest';
import { changeProject, readProject } from '@countersign/shared/routes/projects';
import { extendDeadline, listQueue, readQueueItem } from '@countersign/shared/routes/queue';
import { useDeadlineFixture } from '../support/deadline-fixture.ts';

const { now, submitted, passes } = useDeadlineFixture();

async function setTarget(target_minutes: number): Promise<void> {
  const { settings_version } = await now.boss.call(readProject, { params: { id: now.project.id } });
  const body = { settings_version, target_minutes };
  await now.project.owner.call(changeProject, { params: { id: now.project.id }, body });
}

describe('LC3: what is due first comes first', () => {
  it('by its deadline, if that is before its target', async () => {
    const late = await submitted({ deadline_seconds: undefined });
    const soon = await submitted({ deadline_seconds: 600 });
    const order = async () => {
      const { data } = await now.anna.call(listQueue, { query: { project_id: now.project.id } });
      return data.map(({ id }) => id);
    };
    expect(await order()).toEqual([soon, late]);
    await now.boss.call(extendDeadline, { params: { id: soon }, body: { seconds: 36_000 } });
    expect(await order()).toEqual([late, soon]);
  });

  it.each(['an extension', 'an escalation'])('by the target that it arrived under, also after %s', async (change) => {
    const dueAfter = async (deadline_seconds: number) => {
      const id = await submitted({ deadline_seconds, on_deadline: 'escalate' });
      return { id, at: Date.parse((await now.boss.call(readQueueItem, { params: { id } })).due_at) };
    };
    // The target of an hour is before the one deadline, and after the other.
    const [target, deadline] = [await dueAfter(10_800), await dueAfter(3000)];
    await setTarget(1);
    if (change === 'an extension')
      for (const { id } of [target, deadline])
        await now.boss.call(extendDeadline, { params: { id }, body: { seconds: 3600 } });
    else await passes(10_801);
    await setTarget(60);
    const dueNow = async ({ id, at }: typeof target) =>
      Math.round((Date.parse((await now.boss.call(readQueueItem, { params: { id } })).due_at) - at) / 1000);
    expect([await dueNow(target), await dueNow(deadline)]).toEqual([0, 600]);
  });
});
