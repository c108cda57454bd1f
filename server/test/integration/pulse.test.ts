// What goes on in a project, as its list and its overview show it: who holds what, the depth over time, the first of everything.
import { beforeEach, describe, expect, it } from 'vitest';
import { claim } from '../../src/usecases/claim.ts';
import { listProjects, readProject } from '../../src/usecases/queries/list-projects.ts';
import { readAnalytics } from '../../src/usecases/queries/read-analytics.ts';
import { readFirstRun } from '../../src/usecases/queries/read-first-run.ts';
import type { MemberActor } from '../../src/usecases/services.ts';
import { aCrowd, anItem, aPerson, aScene, items, review, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
const MINUTE = 60_000;
let scene: Scene;

beforeEach(async () => {
  scene = await aScene(world.services);
});

const pulse = async (who: MemberActor = scene.owner) => (await readProject(world.services, who, scene.projectId)).pulse;

async function claims(who: MemberActor, count = 1): Promise<void> {
  for (const { id } of await items(world.services, scene, count)) await claim(world.services, who, id);
}

describe('the pulse', () => {
  it('names who holds a claim, each once and by name, and counts what they hold', async () => {
    expect(await pulse()).toMatchObject({ reviewing: 0, reviewers: [], reviewerCount: 0 });
    await claims(scene.ben, 2);
    await claims(scene.anna);
    await anItem(world.services, scene);
    expect(await pulse()).toMatchObject({
      waiting: 4,
      reviewing: 3,
      reviewers: [
        { userId: scene.anna.userId, name: 'Anna' },
        { userId: scene.ben.userId, name: 'Ben' },
      ],
      reviewerCount: 2,
    });
  });

  it('says the short address of who has no name', async () => {
    const { userId, address } = scene.anna;
    await world.sql('update app_user set name = null where id = ?', [userId]);
    await claims(scene.anna);
    const short = `${address.slice(0, 4)}…${address.slice(-4)}`;
    expect((await pulse()).reviewers).toEqual([{ userId, name: short }]);
  });

  it('names five of a crowd, and counts them all', async () => {
    const crowd = await aCrowd(world.services, scene, 7);
    for (const who of crowd.toReversed()) await claims(who);
    const { reviewers, reviewerCount, reviewing } = await pulse();
    expect(reviewers.map(({ name }) => name)).toEqual([0, 1, 2, 3, 4].map((index) => `Reviewer ${index}`));
    expect([reviewerCount, reviewing]).toEqual([7, 7]);
  });

  it('forgets who decided, and tells nothing of another project', async () => {
    const { id } = await anItem(world.services, scene);
    await review(world.services, scene.anna, { itemId: id, action: 'edit' });
    const other = await aScene(world.services);
    await claim(world.services, other.anna, (await anItem(world.services, other)).id);
    expect(await pulse()).toMatchObject({ reviewers: [], reviewing: 0, decidedToday: 1, overriddenToday: 1 });
    await claims(scene.ben);
    // One person in both projects sees in each what is its own.
    await world.sql('update member set user_id = ? where project_id = ? and user_id = ?', [
      scene.owner.userId,
      other.projectId,
      other.owner.userId,
    ]);
    const { rows: listed } = await listProjects(world.services, scene.owner);
    const shown = listed.map(({ project, pulse }) => [project.id, pulse.reviewers.map(({ name }) => name)]);
    expect(shown).toEqual([
      [scene.projectId, ['Ben']],
      [other.projectId, ['Anna']],
    ]);
  });

  it('counts people’s decisions of today alone: neither automatic ones nor yesterday’s', async () => {
    const { id } = await anItem(world.services, scene);
    await anItem(world.services, scene, { confidence: 0.99 });
    await review(world.services, scene.anna, { itemId: id, action: 'reject' });
    expect(await pulse()).toMatchObject({ decidedToday: 1, overriddenToday: 1 });
    await world.sql(`update decision set decided_at = decided_at - interval '1 day' where item_id = ?`, [id]);
    expect(await pulse()).toMatchObject({ decidedToday: 0, overriddenToday: 0 });
  });
});

describe('the depth', () => {
  const depth = async (window: { from: Date; to: Date }) => {
    const query = { projectId: scene.projectId, from: window.from, to: window.to, bucket: 'minute' as const };
    return (await readAnalytics(world.services, scene.owner, query)).flow.map(({ waiting }) => waiting);
  };

  /** Puts items where they arrived, and those that are decided where they were decided: minutes after `start`. */
  const place = async (ids: string[], start: Date, { arrived, decided }: { arrived: number; decided?: number }) => {
    const at = (minutes: number) => new Date(start.getTime() + minutes * MINUTE);
    const list = `{${ids.join(',')}}`;
    const end = at(decided ?? arrived);
    await world.sql(
      `update item set created_at = ?, decided_at = case when decided_at is null then null else ?::timestamptz end where id = any(?::uuid[])`,
      [at(arrived), end, list],
    );
    await world.sql(`update event set created_at = ? where item_id = any(?::uuid[]) and type = 'item.decided'`, [
      end,
      list,
    ]);
  };

  it('is what waited at the end of each bucket; what routing ended never waited', async () => {
    const [first, ...others] = (await items(world.services, scene, 3)).map(({ id }) => id);
    const passed = await anItem(world.services, scene, { confidence: 0.99 });
    const rejected = await anItem(world.services, scene, { confidence: 0.1 });
    const last = await anItem(world.services, scene);
    if (first === undefined) throw new Error('Three were asked for.');
    await review(world.services, scene.anna, { itemId: first, action: 'approve' });
    const start = new Date(Math.floor(Date.now() / MINUTE) * MINUTE - 5 * MINUTE);
    await place([...others, passed.id, rejected.id], start, { arrived: 0.2 });
    await place([first], start, { arrived: 0.2, decided: 2.1 });
    await place([last.id], start, { arrived: 3.5 });
    const after = (minutes: number) => new Date(start.getTime() + minutes * MINUTE);
    expect(await depth({ from: after(-1), to: after(4) })).toEqual([0, 3, 3, 2, 3]);
    // A window that ended earlier says what was then, to whole minutes.
    expect(await depth({ from: after(-1), to: after(2) })).toEqual([0, 3, 3]);
    expect(await depth({ from: after(1), to: after(3) })).toEqual([3, 2]);
  });
});

describe('the first run', () => {
  const firstRun = (who: MemberActor = scene.owner) => readFirstRun(world.services, who, scene.projectId);

  const delivered = (itemId: string, { status, http_status }: { status: string; http_status: number }) => {
    const id = world.services.ids.uuid();
    return world.sql(
      `insert into delivery (id, project_id, item_id, webhook_id, seq, body, status, attempt, http_status, created_at)
       values (?, ?, ?, ?, 1, '{}', ?, 1, ?, now())`,
      [id, scene.projectId, itemId, `evt_${id}`, status, http_status],
    );
  };

  it('is told by what happened first: a key, an item, a person’s decision, an answered webhook', async () => {
    const { anna } = scene;
    const gone = { item: false, decision: false, webhook: false };
    expect(await firstRun()).toMatchObject({
      key: { name: 'Pipeline' },
      item: null,
      decision: null,
      webhook: null,
      gone,
    });
    await anItem(world.services, scene, { confidence: 0.99 });
    expect(await firstRun()).toMatchObject({ item: { status: 'auto_approved' }, decision: null });
    const { id } = await anItem(world.services, scene);
    await review(world.services, anna, { itemId: id, action: 'edit' });
    expect(await firstRun()).toMatchObject({ decision: { action: 'edit', name: 'Anna' }, webhook: null });
    await delivered(id, { status: 'dead', http_status: 500 });
    expect(await firstRun()).toMatchObject({ webhook: null });
    await delivered(id, { status: 'succeeded', http_status: 204 });
    expect(await firstRun()).toMatchObject({ webhook: { http_status: 204 } });
  });

  it('shows keys to who may see keys, and nothing to strangers', async () => {
    expect(await firstRun(scene.anna)).toMatchObject({ key: null, item: null });
    const stranger = await aPerson(world.services);
    await expect(firstRun(stranger)).rejects.toMatchObject({ code: 'not_found' });
  });
});
