// Tests that reviewers see confidence again, after audits end, once no item waits that arrived while they were drawn.
import { expect, it } from 'vitest';
import { readProject } from '../../../src/usecases/projects/list-projects.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { undoDecision } from '../../../src/usecases/decisions/undo-decision.ts';
import { finalizeOnce } from '../../../src/worker/finalize.ts';
import { sweepOnce } from '../../../src/worker/sweep.ts';
import { withOpenTransaction, waitForBlocked } from '../support/blocking-transaction.ts';
import { anItem, createProjectFixture, review, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();

const isBlind = async (fixture: ProjectFixture) => {
  await sweepOnce(testEnv.services);
  return (await readProject(testEnv.services, fixture.anna, fixture.projectId)).blind;
};
const setRate = async ({ owner, projectId }: ProjectFixture, rate: number) => {
  const { project } = await readProject(testEnv.services, owner, projectId);
  const { settingsVersion } = project;
  await changeSettings(testEnv.services, owner, { projectId, settingsVersion, changes: { audit_rate: rate } });
};

it('AU3: shows confidence again when the last item that arrived under audits is final', async () => {
  const fixture = await createProjectFixture(testEnv.services, { audit_rate: 1, undo_window_seconds: 30 });
  const audit = await anItem(testEnv.services, fixture, { confidence: 0.97 });
  const plain = await anItem(testEnv.services, fixture, { confidence: 0.8 });
  await setRate(fixture, 0);
  await anItem(testEnv.services, fixture, { confidence: 0.8 });
  await review(testEnv.services, fixture.anna, { itemId: audit.id, action: 'approve' });
  await testEnv.sql(`update decision set undo_until = now() - interval '1 s' where item_id = ? and audit`, [audit.id]);
  while ((await finalizeOnce(testEnv.services)).again);
  // No audit is left: the plain item hides it as long.
  expect(await isBlind(fixture)).toBe(true);
  await review(testEnv.services, fixture.anna, { itemId: plain.id, action: 'reject' });
  expect(await isBlind(fixture)).toBe(true);
  await undoDecision(testEnv.services, fixture.anna, plain.id);
  await review(testEnv.services, fixture.anna, { itemId: plain.id, action: 'approve' });
  await testEnv.sql(`update decision set undo_until = now() - interval '1 s' where item_id = ? and final_at is null`, [
    plain.id,
  ]);
  while ((await finalizeOnce(testEnv.services)).again);
  // Items that arrived since hide nothing.
  expect(await isBlind(fixture)).toBe(false);
});

it('AU3: hides confidence again when audits start and end again', async () => {
  const fixture = await createProjectFixture(testEnv.services, { audit_rate: 1 });
  await setRate(fixture, 0);
  expect(await isBlind(fixture)).toBe(false);
  await setRate(fixture, 0.5);
  expect(await isBlind(fixture)).toBe(true);
  const { id } = await anItem(testEnv.services, fixture, { confidence: 0.8 });
  await setRate(fixture, 0);
  expect(await isBlind(fixture)).toBe(true);
  await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
  expect(await isBlind(fixture)).toBe(false);
});

it('AU3: waits for submissions that are being stored under the previous settings', async () => {
  const fixture = await createProjectFixture(testEnv.services, { audit_rate: 1 });
  const { id } = await anItem(testEnv.services, fixture, { confidence: 0.8 });
  const arriving: [string, unknown[]] = [
    `with locked as (select id from project where id = ? for key share)
     update item set status = 'queued' from locked where item.id = ?`,
    [fixture.projectId, id],
  ];
  await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
  await withOpenTransaction(testEnv, arriving, async (commit) => {
    await setRate(fixture, 0);
    const swept = sweepOnce(testEnv.services);
    await waitForBlocked(testEnv, 1);
    await commit();
    await swept;
  });
  expect(await isBlind(fixture)).toBe(true);
});
