// Tests that a reviewer cannot tell the last audit items from others after audits are switched off.
import { describe, expect, it } from 'vitest';
import { changeProject, readProject } from '@countersign/shared/routes/projects';
import { claimItem, decideItem } from '@countersign/shared/routes/queue';
import { aSubmission, join, openProject } from '../../builders.ts';
import { people, type Person } from '../../client.ts';
import { connectLive } from '../../live-client.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';
import { VisibleHistory } from './visible-history.ts';

const testEnv = useSharedTestEnvironment();
const AUTO = 0.9137;
/** The first item of each project; the second one was queued by its confidence in both. */
const FIRST = { audit: 0.971, plain: 0.713 } as const;

/** A reviewer after the audits of a project have ended: decides the second item for good, and reads everything each time. */
async function visibleHistoryOf(kind: keyof typeof FIRST): Promise<string[]> {
  const [owner, viewer] = (await people(testEnv, 2)) as [Person, Person];
  const settings = { name: 'Twins', audit_rate: 1, auto_threshold: AUTO, undo_window_seconds: 0 };
  const otherProject = await openProject(owner, { settings });
  await join(otherProject, viewer);
  const watching = await connectLive(viewer, { process: 1 });
  await watching.entered(otherProject.id);
  const itemIds: string[] = [];
  for (const confidence of [FIRST[kind], 0.7041]) {
    const submission = { ...aSubmission({ confidence }), input: { question: 'Twins?' }, suggestion: 'Yes.' };
    itemIds.push((await otherProject.pipeline.submit(submission)).id);
    await watching.next('item.queued');
  }
  const params = { id: otherProject.id };
  const { settings_version } = await owner.call(readProject, { params });
  await owner.call(changeProject, { params, body: { settings_version, audit_rate: 0 } });
  const ids = [...itemIds, otherProject.id, viewer.id, owner.id, viewer.wallet.address, owner.wallet.address];
  const visibleHistory = new VisibleHistory(viewer, ids, [FIRST[kind], 0.7041, AUTO]);
  const readAll = () => visibleHistory.readAll({ projectId: otherProject.id, itemIds, around: AUTO });
  await readAll();
  const second = { id: itemIds[1] ?? '' };
  const { fence } = await viewer.call(claimItem, { params: second });
  await readAll();
  await visibleHistory.ask('decide', decideItem, { params: second, body: { fence, action: 'approve' } });
  await watching.next('item.finalized');
  await readAll();
  await visibleHistory.ask('claim', claimItem, { params: { id: itemIds[0] } });
  await readAll();
  visibleHistory.addEvents(watching.events);
  watching.close();
  return visibleHistory.lines;
}

describe('AU3: what waits when audits are switched off', () => {
  it('looks the same to a reviewer, after every decision', async () => {
    const [audit, plain] = await Promise.all([visibleHistoryOf('audit'), visibleHistoryOf('plain')]);
    expect(audit).toEqual(plain);
    // An undecided item shows neither its confidence nor its thresholds.
    expect(audit.filter((line) => /<confidence [02]>/.test(line))).toEqual([]);
  });
});
