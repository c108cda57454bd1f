// The rollups: counted soon after the stamp, once, for every ledger there is, and the same as a recount at any time (I9).
import { beforeEach, describe, expect, it } from 'vitest';
import { forgetRollups } from '../../src/analytics/recount.ts';
import { claim } from '../../src/usecases/claim.ts';
import { reopen } from '../../src/usecases/reopen.ts';
import { undoDecision } from '../../src/usecases/undo-decision.ts';
import { countOnce } from '../../src/worker/count.ts';
import { relayOnce } from '../../src/worker/relay.ts';
import { expectCounted, recountOf, relayAll, sumsOf } from './counted.ts';
import { emptyHands } from './looking.ts';
import { anItem, aScene, items, review, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;

beforeEach(async () => {
  await emptyHands(world);
  scene = await aScene(world.services, { undo_window_seconds: 30 });
});

const sums = (measure: Parameters<typeof sumsOf>[2]) => sumsOf(world, scene.projectId, measure);

/** A day in the life of a project: every way an item can go. */
async function live({ services } = world): Promise<void> {
  const { anna, supervisor } = scene;
  const [edited, escalated, undone, claimed] = await items(services, scene, 5);
  if (!edited || !escalated || !undone || !claimed) throw new Error('Five were asked for.');
  await anItem(services, scene, { confidence: 1 });
  const refused = await anItem(services, scene, { confidence: 0 });
  const flagged = await anItem(services, scene, { riskFlags: ['legal', 'odd'] });
  await review(services, anna, { itemId: edited.id, action: 'edit' });
  await review(services, anna, { itemId: escalated.id, action: 'escalate' });
  await review(services, supervisor, { itemId: escalated.id, action: 'reject' });
  await review(services, supervisor, { itemId: flagged.id, action: 'finalize' });
  await review(services, anna, { itemId: undone.id, action: 'approve' });
  await undoDecision(services, anna, undone.id);
  await claim(services, anna, claimed.id);
  await reopen(services, supervisor, { itemId: refused.id, reason: null });
}

describe('the rollups', () => {
  it('I9, AN1, AN2: say what happened, and what is undone did not', async () => {
    await live();
    await relayAll(world);
    expect(await sums('arrived')).toEqual({ auto_approved: 1, escalated: 1, queued: 5, rejected: 1 });
    expect(await sums('status')).toEqual({ approved: 1, auto_approved: 1, escalated_final: 1, queued: 4, rejected: 1 });
    expect(await sums('waiting')).toEqual({ queued: 4 });
    expect(await sums('decided')).toEqual({ edit: 1, finalize: 1, reject: 1 });
    expect(await sums('flag')).toEqual({ legal: 1, 'no flag': 2, odd: 1 });
    expect(await sums('bin')).toEqual({ 16: 2 });
    expect(await sums('reviewer')).toEqual({ [scene.anna.userId]: 1, [scene.supervisor.userId]: 2 });
    expect(await sums('mover')).toEqual({ [scene.anna.userId]: 1 });
    expect(Object.values(await sums('claim_time')).reduce((sum, n) => sum + n, 0)).toBe(5);
    await expectCounted(world, scene.projectId);
  });

  it('I9, AN27: a hundred flags of a day are counted by themselves, the rest together, as a recount finds them', async () => {
    const flags = Array.from({ length: 120 }, (_, n) => `flag ${n}`);
    const decided: string[] = [];
    for (let from = 0; from < flags.length; from += 40) {
      const { id } = await anItem(world.services, scene, { riskFlags: flags.slice(from, from + 40) });
      await review(world.services, scene.supervisor, { itemId: id, action: 'edit' });
      decided.push(id);
      await relayAll(world);
    }
    const keys = async () => {
      const sql = `select count(*)::int as n, count(*) filter (where key = '')::int as others from rollup
        where project_id = ? and measure = 'flag' and grain = 'day' and n <> 0`;
      return (await world.sql<{ n: number; others: number }>(sql, [scene.projectId]))[0];
    };
    expect(await keys()).toEqual({ n: 101, others: 1 });
    expect((await sums('flag'))['']).toBe(20);
    await undoDecision(world.services, scene.supervisor, decided[2] ?? '');
    await relayAll(world);
    // What is taken back goes from where it was counted.
    expect(await keys()).toEqual({ n: 80, others: 0 });
    await expectCounted(world, scene.projectId);
    await world.services.db.write(({ em }) => forgetRollups(em, scene.projectId));
    while ((await countOnce(world.services)).again);
    expect(await keys()).toEqual({ n: 80, others: 0 });
  });

  it('I9, AN4: an audit arrives once, and its verdict is no decision', async () => {
    scene = await aScene(world.services, { audit_rate: 1 });
    const { id } = await anItem(world.services, scene, { confidence: 1 });
    await relayAll(world);
    expect(await sums('arrived')).toEqual({ auto_approved: 1 });
    expect(await sums('waiting')).toEqual({ queued: 1 });
    await review(world.services, scene.anna, { itemId: id, action: 'reject' });
    await relayAll(world);
    expect(await sums('waiting')).toEqual({});
    expect(await sums('status')).toEqual({ auto_approved: 1 });
    expect([await sums('decided'), await sums('flag'), await sums('bin')]).toEqual([{}, {}, {}]);
    expect([await sums('verdict'), await sums('verdict_bin')]).toEqual([{ reject: 1 }, { 19: 1 }]);
    await expectCounted(world, scene.projectId);
  });

  it('I9: a stamp that is rolled back counts nothing, and its facts count once', async () => {
    await items(world.services, scene, 3);
    const failing = {
      ...world.services,
      clock: {
        now: () => {
          throw new Error('cut off');
        },
      },
    };
    await expect(relayOnce(failing, world.signals)).rejects.toThrow('cut off');
    expect(await sums('arrived')).toEqual({});
    await relayAll(world);
    expect(await sums('arrived')).toEqual({ queued: 3 });
    await expectCounted(world, scene.projectId);
  });

  it('I9: what an older relay stamped is counted afterwards, in portions, while a new one goes on', async () => {
    await live();
    await relayAll(world);
    const before = await recountOf(world, scene.projectId);
    // As a database from before the rollups is: everything stamped, nothing counted.
    await world.services.db.write(({ em }) => forgetRollups(em, scene.projectId));
    await items(world.services, scene, 2);
    await relayOnce(world.services, world.signals);
    expect(await recountOf(world, scene.projectId)).toMatchObject({ counted: 0, differences: [] });
    for (let again = true; again;) {
      again = (await countOnce(world.services, 3)).again === true;
      const { differences } = await recountOf(world, scene.projectId);
      expect(differences, 'I9 at any time').toEqual([]);
      await anItem(world.services, scene, { confidence: 1 });
      if (again) await relayOnce(world.services, world.signals);
    }
    await relayAll(world);
    await expectCounted(world, scene.projectId);
    expect((await recountOf(world, scene.projectId)).counted).toBeGreaterThan(before.counted);
  });

  it('I9: a recount finds what does not belong there, and what is missing', async () => {
    await live();
    await relayAll(world);
    await world.sql(
      `update rollup set n = n + 1 where project_id = ? and measure = 'arrived' and grain = 'hour' and key = 'queued'`,
      [scene.projectId],
    );
    await world.sql(`delete from rollup where project_id = ? and measure = 'decided' and key = 'edit'`, [
      scene.projectId,
    ]);
    const { differences } = await recountOf(world, scene.projectId);
    expect(differences.map(({ measure, key }) => `${measure} ${key}`).sort()).toEqual([
      'arrived queued',
      ...Array.from({ length: 3 }, () => 'decided edit'),
    ]);
    await world.services.db.write(({ em }) => forgetRollups(em, scene.projectId));
    await relayAll(world);
    await expectCounted(world, scene.projectId);
  });

  it('I9: of more ledgers than share in a portion every one is counted, and nobody has to ask again later', async () => {
    await relayAll(world);
    const columns = await world.sql<{ name: string }>(
      `select quote_ident(column_name) as name from information_schema.columns
       where table_schema = current_schema() and table_name = 'project' and column_name not in ('id', 'event_seq', 'rollup_seq')`,
    );
    const names = columns.map(({ name }) => name).join(', ');
    await world.sql(
      `insert into project (id, event_seq, rollup_seq, ${names})
       select gen_random_uuid(), 1, 0, ${names} from project, generate_series(1, 105) where id = ?`,
      [scene.projectId],
    );
    const behind = async () =>
      (await world.sql<{ n: number }>('select count(*)::int as n from project where rollup_seq < event_seq'))[0]?.n;
    expect(await behind()).toBe(105);
    let again = true;
    for (let turn = 0; again && turn < 5; turn += 1) again = (await countOnce(world.services)).again === true;
    expect([await behind(), again]).toEqual([0, false]);
    await world.sql(
      `delete from project where event_seq = 1 and not exists (select 1 from event e where e.project_id = project.id)`,
    );
  });

  it('I9: a batch of many projects counts each for itself', async () => {
    const other = await aScene(world.services);
    await items(world.services, scene, 4);
    await items(world.services, other, 2);
    await relayAll(world);
    expect([await sums('arrived'), await sumsOf(world, other.projectId, 'arrived')]).toEqual([
      { queued: 4 },
      { queued: 2 },
    ]);
    await expectCounted(world, other.projectId);
  });

  it('I9: two workers that count one ledger count it once', async () => {
    await live();
    await relayAll(world);
    await world.services.db.write(({ em }) => forgetRollups(em, scene.projectId));
    const second = await world.another();
    try {
      const both = [world, second].map(async ({ services }) => {
        for (let turn = 0; turn < 40; turn += 1) await countOnce(services, 2);
      });
      await Promise.all(both);
    } finally {
      await second.close();
    }
    await expectCounted(world, scene.projectId);
  });
});
