// What audits say of the line, and the budget that is watched: told to owners, and the threshold raised where they said so (AU4, AU5).
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProjectSettings } from '@countersign/shared/api/projects';
import { listAlerts, listProjectAlerts } from '../../src/usecases/queries/list-alerts.ts';
import { listChanges } from '../../src/usecases/queries/list-changes.ts';
import { readAudits } from '../../src/usecases/queries/read-audits.ts';
import { seeAlerts } from '../../src/usecases/see-alerts.ts';
import { anytimeUpperBound } from '@countersign/shared/statistics';
import { WINDOW_MS } from '../../src/domain/audit-start.ts';
import { watchBudgetsOnce } from '../../src/worker/watch-budgets.ts';
import { auditedScene, auditsOf, changeOf, judgeOne, versionOf } from './auditing.ts';
import { ledgerOf } from './looking.ts';
import { anItem, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;

const start = async (settings: Partial<ProjectSettings> = {}) => {
  scene = await auditedScene(world, settings);
};
/** How far the test has moved our own clock; what owners are told goes by the database's. */
let ahead = 0;
function pass(ms: number): void {
  world.clock.pass(ms);
  ahead += ms;
}
beforeEach(() => {
  pass(-ahead);
  return start();
});

/** So many audits of one confidence, judged. */
async function judge(count: number, action: 'approve' | 'reject', confidence = 0.96): Promise<void> {
  for (let n = 0; n < count; n += 1) await judgeOne(world, scene, { action, confidence });
}

const audits = (span?: { from?: Date; to?: Date }) => auditsOf(world, scene, span);
const versionNow = () => versionOf(world, scene);
const change = (changes: Partial<ProjectSettings>) => changeOf(world, scene, changes);
const told = async () => (await listAlerts(world.services, scene.owner)).map(({ kind }) => kind);
const lineNow = async () => (await audits()).line;

describe('AU4: the error above the line', () => {
  it('is unknown, then counted live, with what still waits', async () => {
    expect(await audits()).toMatchObject({ drawn: 0, judged: 0, estimate: null, bound: null, anytime: null });
    await judge(3, 'approve');
    await judge(1, 'reject');
    await anItem(world.services, scene, { confidence: 0.97 });
    expect(await audits()).toMatchObject({
      drawn: 5,
      judged: 4,
      wrong: 1,
      estimate: 0.25,
      rate: 1,
      line: 0.95,
      gap: false,
      anytime: anytimeUpperBound(1, 4),
      began: { why: 'time', model: null },
    });
  });

  it('leaves out what routing queued, and other projects', async () => {
    await judge(2, 'reject', 0.8);
    await start();
    await judge(2, 'approve');
    expect(await audits()).toMatchObject({ judged: 2, wrong: 0 });
  });

  it('counts those that speak for the line as it is now', async () => {
    await judge(2, 'reject', 0.96);
    await judge(3, 'approve', 0.99);
    const month = { from: new Date(world.services.clock.now().getTime() - WINDOW_MS) };
    pass(1000);
    await change({ auto_threshold: 0.98 });
    expect(await audits(month)).toMatchObject({ judged: 3, wrong: 0, anytime: null, began: null });
    // Audits of the higher line say nothing of what passes now.
    await judge(2, 'approve', 0.99);
    await change({ auto_threshold: 0.95 });
    expect(await audits(month)).toMatchObject({ judged: 5, wrong: 2 });
  });

  it('says where nothing was drawn for a time, and looks at a window', async () => {
    await change({ audit_rate: 0 });
    pass(1000);
    const later = world.services.clock.now();
    await change({ audit_rate: 1 });
    pass(1000);
    await judge(1, 'approve');
    expect(await audits()).toMatchObject({ gap: true, judged: 1 });
    expect(await audits({ from: new Date(later.getTime() + 500) })).toMatchObject({ gap: false, judged: 1 });
    expect(await audits({ to: later })).toMatchObject({ gap: true, judged: 0 });
    await expect(audits({ from: later, to: later })).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('PM: is for supervisors and owners', async () => {
    const asked = readAudits(world.services, scene.anna, {
      projectId: scene.projectId,
      from: undefined,
      to: undefined,
    });
    await expect(asked).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('AU5: the budget', () => {
  it('says nothing on too little, then within, then over: told once, and over when it is', async () => {
    await judge(9, 'approve');
    expect((await audits()).budget).toMatchObject({ state: 'too_little', needed: 10, left: 1 });
    await judge(1, 'approve');
    expect((await audits()).budget).toMatchObject({ state: 'within', left: 0, over_since: null });
    await watchBudgetsOnce(world.services);
    expect(await told()).toEqual([]);
    await judge(1, 'reject');
    expect((await audits()).budget).toMatchObject({ state: 'over' });
    await watchBudgetsOnce(world.services);
    await watchBudgetsOnce(world.services);
    expect(await told()).toEqual(['over_budget']);
    expect((await audits()).budget?.over_since).not.toBeNull();
    expect(await lineNow()).toBe(0.95);
    expect(
      (await ledgerOf(world, scene.projectId)).filter(({ type }) => type === 'project.changed').at(-1),
    ).toMatchObject({
      data: { changed: ['audits'] },
    });
    // Enough that are right bring it back, and nobody needs to be told any more.
    await judge((await audits()).budget?.left ?? 0, 'approve');
    await watchBudgetsOnce(world.services);
    expect((await audits()).budget).toMatchObject({ state: 'within', over_since: null });
    expect(await told()).toEqual([]);
  });

  it('raises the line where an owner has said so: one version, in the change log, by the system', async () => {
    await start({ over_budget: 'raise' });
    await judge(3, 'reject', 0.96);
    await judge(12, 'approve', 0.99);
    const version = await versionNow();
    await Promise.all([watchBudgetsOnce(world.services), watchBudgetsOnce(world.services)]);
    expect(await lineNow()).toBe(0.99);
    expect(await versionNow()).toBe(version + 1);
    const { rows } = await listChanges(world.services, scene.owner, {
      projectId: scene.projectId,
      after: undefined,
      limit: 1,
      action: undefined,
      kind: undefined,
    });
    expect(rows[0]).toMatchObject({
      action: 'settings.changed',
      changedBy: null,
      changedByName: 'Countersign',
      before: { auto_threshold: 0.95 },
      after: { auto_threshold: 0.99 },
    });
    expect(await told()).toEqual(['threshold_raised']);
    // What would have passed before waits for a person now.
    expect((await anItem(world.services, scene, { confidence: 0.97 })).status).toBe('queued');
    // What chose the line says no more: those that come judge it, and until they are enough nothing is raised again.
    await watchBudgetsOnce(world.services);
    expect(await audits()).toMatchObject({
      began: { why: 'raised' },
      budget: { state: 'too_little', judged: 0, needed: 10, left: 10, over_since: null },
    });
    await judge(1, 'reject', 0.99);
    await judge(8, 'approve', 0.99);
    await watchBudgetsOnce(world.services);
    expect([await versionNow(), (await audits()).budget?.state]).toEqual([version + 1, 'too_little']);
    await judge(1, 'approve', 0.99);
    await watchBudgetsOnce(world.services);
    expect([await versionNow(), await lineNow()]).toEqual([version + 2, 1]);
  });

  it('raises it too where an owner chose so after being told, and after lowering it again', async () => {
    await judge(3, 'reject', 0.96);
    await judge(12, 'approve', 0.99);
    await watchBudgetsOnce(world.services);
    expect([await told(), await lineNow()]).toEqual([['over_budget'], 0.95]);
    await change({ over_budget: 'raise' });
    await watchBudgetsOnce(world.services);
    expect([(await told())[0], await lineNow()]).toEqual(['threshold_raised', 0.99]);
    await watchBudgetsOnce(world.services);
    await change({ auto_threshold: 0.95 });
    await watchBudgetsOnce(world.services);
    expect(await lineNow()).toBe(0.95);
    await judge(10, 'reject', 0.97);
    await watchBudgetsOnce(world.services);
    expect(await lineNow()).toBe(1);
  });

  it('acts on nothing that an owner changed between the look and the act', async () => {
    await start({ over_budget: 'raise' });
    await judge(10, 'reject', 0.96);
    const { db } = world.services;
    const write: typeof db.write = async (work) => {
      await change({ auto_threshold: 0.97 });
      return db.write(work);
    };
    await watchBudgetsOnce({ ...world.services, db: { ...db, write } });
    expect([await lineNow(), await told()]).toEqual([0.97, []]);
  });

  it('goes on with the next project where one fails, and finds that one in the next round', async () => {
    await judge(10, 'reject', 0.96);
    const first = scene;
    await start();
    await judge(10, 'reject', 0.96);
    const tolds = async () =>
      (await Promise.all([first, scene].map(({ owner }) => listAlerts(world.services, owner)))).flat().length;
    const { db } = world.services;
    let calls = 0;
    const write: typeof db.write = (work) => (++calls === 1 ? Promise.reject(new Error('cut off')) : db.write(work));
    await watchBudgetsOnce({ ...world.services, db: { ...db, write } });
    expect(await tolds()).toBe(1);
    await watchBudgetsOnce(world.services);
    expect(await tolds()).toBe(2);
  });

  it('is told of a webhook nowhere, until seen, and not where the budget was taken away', async () => {
    await judge(10, 'reject');
    await watchBudgetsOnce(world.services);
    expect(await listProjectAlerts(world.services, scene.owner, scene.projectId)).toEqual([]);
    const [alert] = await listAlerts(world.services, scene.owner);
    await seeAlerts(world.services, scene.owner, {
      projectId: scene.projectId,
      until: new Date(alert?.created_at ?? 0),
    });
    expect(await told()).toEqual([]);
    await change({ error_budget: null });
    await watchBudgetsOnce(world.services);
    expect((await audits()).budget).toBeNull();
    expect(await world.sql('select over_budget_since from project where id = ?', [scene.projectId])).toEqual([
      { over_budget_since: null },
    ]);
  });

  it('forgets what is more than 60 days old', async () => {
    await judge(10, 'reject');
    pass(2 * WINDOW_MS);
    await watchBudgetsOnce(world.services);
    expect(await told()).toEqual([]);
    expect(await audits()).toMatchObject({ judged: 0 });
  });
});
