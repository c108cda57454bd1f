// When audits are over, reviewers see confidence again as soon as nothing waits that arrived while they were drawn, drawn or not.
import { expect, it } from 'vitest';
import { readProject } from '../../src/usecases/queries/list-projects.ts';
import { changeSettings } from '../../src/usecases/change-settings.ts';
import { undoDecision } from '../../src/usecases/undo-decision.ts';
import { finalizeOnce } from '../../src/worker/finalize.ts';
import { sweepOnce } from '../../src/worker/sweep.ts';
import { holding, waiting } from './holding.ts';
import { anItem, aScene, review, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();

const isBlind = async (scene: Scene) => {
  await sweepOnce(world.services);
  return (await readProject(world.services, scene.anna, scene.projectId)).blind;
};
const setRate = async ({ owner, projectId }: Scene, rate: number) => {
  const { project } = await readProject(world.services, owner, projectId);
  const { settingsVersion } = project;
  await changeSettings(world.services, owner, { projectId, settingsVersion, changes: { audit_rate: rate } });
};

it('AU3: confidence comes back when the last item that arrived under audits is decided for good', async () => {
  const scene = await aScene(world.services, { audit_rate: 1, undo_window_seconds: 30 });
  const audit = await anItem(world.services, scene, { confidence: 0.97 });
  const plain = await anItem(world.services, scene, { confidence: 0.8 });
  await setRate(scene, 0);
  await anItem(world.services, scene, { confidence: 0.8 });
  await review(world.services, scene.anna, { itemId: audit.id, action: 'approve' });
  await world.sql(`update decision set undo_until = now() - interval '1 s' where item_id = ? and audit`, [audit.id]);
  while ((await finalizeOnce(world.services)).again);
  // No audit is left: the plain one hides it as long.
  expect(await isBlind(scene)).toBe(true);
  await review(world.services, scene.anna, { itemId: plain.id, action: 'reject' });
  expect(await isBlind(scene)).toBe(true);
  await undoDecision(world.services, scene.anna, plain.id);
  await review(world.services, scene.anna, { itemId: plain.id, action: 'approve' });
  await world.sql(`update decision set undo_until = now() - interval '1 s' where item_id = ? and final_at is null`, [
    plain.id,
  ]);
  while ((await finalizeOnce(world.services)).again);
  // What arrived since hides nothing.
  expect(await isBlind(scene)).toBe(false);
});

it('AU3: drawn anew and ended anew, it is hidden anew', async () => {
  const scene = await aScene(world.services, { audit_rate: 1 });
  await setRate(scene, 0);
  expect(await isBlind(scene)).toBe(false);
  await setRate(scene, 0.5);
  expect(await isBlind(scene)).toBe(true);
  const { id } = await anItem(world.services, scene, { confidence: 0.8 });
  await setRate(scene, 0);
  expect(await isBlind(scene)).toBe(true);
  await review(world.services, scene.anna, { itemId: id, action: 'approve' });
  expect(await isBlind(scene)).toBe(false);
});

it('AU3: what is on its way in under the settings of before is waited for', async () => {
  const scene = await aScene(world.services, { audit_rate: 1 });
  const { id } = await anItem(world.services, scene, { confidence: 0.8 });
  const arriving: [string, unknown[]] = [
    `with door as (select id from project where id = ? for key share)
     update item set status = 'queued' from door where item.id = ?`,
    [scene.projectId, id],
  ];
  await review(world.services, scene.anna, { itemId: id, action: 'approve' });
  await holding(world, arriving, async (commit) => {
    await setRate(scene, 0);
    const swept = sweepOnce(world.services);
    await waiting(world, 1);
    await commit();
    await swept;
  });
  expect(await isBlind(scene)).toBe(true);
});
