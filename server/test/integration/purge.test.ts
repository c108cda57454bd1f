// What a deleted project leaves goes in portions (AR2): nobody waits, a crash costs a portion, other projects keep every row.
import { beforeEach, describe, expect, it } from 'vitest';
import { createInboundSource } from '../../src/usecases/inbound-sources.ts';
import { createInvite } from '../../src/usecases/invites.ts';
import { deleteProject } from '../../src/usecases/lifecycle.ts';
import { submit } from '../../src/usecases/submit.ts';
import { purgeOnce } from '../../src/worker/purge.ts';
import { relayAll } from './counted.ts';
import { holding } from './holding.ts';
import { aScene, aSubmission, items, review, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;
/** A project with the same in it, which stays. */
let neighbour: Scene;

/** Every table that has rows of a project; an attempt has its delivery's. */
const TABLES = [
  ...['learning', 'decision', 'delivery', 'idempotency_key', 'event', 'item', 'invite', 'api_key', 'inbound_source'],
  ...['project_settings', 'webhook_endpoint', 'webhook_alert', 'member', 'rollup', 'keeping'],
];

async function rowsOf(projectId: string): Promise<Record<string, number>> {
  const counts = TABLES.map((table) => `(select count(*)::int from ${table} where project_id = p.id) as ${table}`);
  const [row] = await world.sql<Record<string, number>>(
    `select ${counts.join(', ')}, (select count(*)::int from project where id = p.id) as project,
       (select count(*)::int from attempt a join delivery d on d.id = a.delivery_id where d.project_id = p.id) as attempt
     from (select ?::uuid as id) p`,
    [projectId],
  );
  return row ?? {};
}

const totalOf = async (projectId: string) =>
  Object.values(await rowsOf(projectId)).reduce((sum, count) => sum + count, 0);

/** A project with rows in every table. */
async function furnished(): Promise<Scene> {
  const made = await aScene(world.services, { webhook_url: 'http://127.0.0.1:1024/' });
  const { projectId, owner } = made;
  await createInvite(world.services, owner, { projectId, role: 'reviewer', address: null, hours: 1 });
  await createInboundSource(world.services, owner, { projectId, name: 'Mail' });
  for (const { id } of await items(world.services, made, 12))
    await review(world.services, made.anna, { itemId: id, action: 'reject' });
  await items(world.services, made, 8);
  const once = { idempotency: { key: 'k', bodySha256: 'a'.repeat(64) } };
  await submit(world.services, made.pipeline, aSubmission(once));
  await relayAll(world);
  await world.sql(
    `insert into attempt (delivery_id, n, url, started_at, total_ms)
     select id, n, 'x', now(), 1 from delivery, generate_series(1, 2) n where project_id = ?`,
    [projectId],
  );
  await world.sql(`insert into keeping (project_id, kind) values (?, 'attempts')`, [projectId]);
  await world.sql(
    `insert into webhook_alert (id, project_id, kind, created_at) select gen_random_uuid(), ?, 'exhausted', now() from generate_series(1, 3)`,
    [projectId],
  );
  return made;
}

/** It has been deleted for a while. */
async function deletedLongAgo({ projectId, owner }: Scene): Promise<void> {
  await deleteProject(world.services, owner, projectId);
  await relayAll(world);
  await world.sql(`update project set deleted_at = now() - interval '1 hour' where id = ?`, [projectId]);
}

beforeEach(async () => {
  [scene, neighbour] = [await furnished(), await furnished()];
});

describe('AR2: the rows of a deleted project', () => {
  it('go a portion at a time, to the last one; the change log and every other project stay', async () => {
    const beside = await rowsOf(neighbour.projectId);
    expect(Object.entries(beside).filter(([, count]) => count === 0)).toEqual([]);
    await deletedLongAgo(scene);
    const log = 'select action from project_change where project_id = ? order by position';
    const logged = await world.sql(log, [scene.projectId]);
    const left = [await totalOf(scene.projectId)];
    while ((await purgeOnce(world.services, 10)).again) left.push(await totalOf(scene.projectId));
    expect(left.at(-1)).toBe(0);
    const steps = left.slice(1).map((count, index) => (left[index] ?? 0) - count);
    expect(steps.length).toBeGreaterThan(8);
    // A delivery takes its attempts along.
    expect(Math.max(...steps)).toBeLessThanOrEqual(30);
    expect(Math.min(...steps)).toBeGreaterThan(0);
    expect(await rowsOf(neighbour.projectId)).toEqual(beside);
    expect(await world.sql(log, [scene.projectId])).toEqual(logged);
    expect(logged.at(-1)).toEqual({ action: 'project.deleted' });
  });

  it('rest until everybody has heard; those of a project that is archived stay', async () => {
    await deleteProject(world.services, scene.owner, scene.projectId);
    await world.sql(`update project set archived_at = now() - interval '1 year' where id = ?`, [neighbour.projectId]);
    const before = [await rowsOf(scene.projectId), await rowsOf(neighbour.projectId)];
    expect(await purgeOnce(world.services)).toEqual({ again: false });
    expect([await rowsOf(scene.projectId), await rowsOf(neighbour.projectId)]).toEqual(before);
  });

  it('a crash in the middle costs one portion, and the next run goes on', async () => {
    await deletedLongAgo(scene);
    await purgeOnce(world.services, 10);
    const before = await rowsOf(scene.projectId);
    const { db } = world.services;
    const write: typeof db.write = (work) =>
      db.write(async (tx) => {
        await work(tx);
        throw new Error('the power went');
      });
    await expect(purgeOnce({ ...world.services, db: { ...db, write } }, 10)).rejects.toThrow('the power went');
    expect(await rowsOf(scene.projectId)).toEqual(before);
    while ((await purgeOnce(world.services, 10)).again);
    expect(await totalOf(scene.projectId)).toBe(0);
  });

  it('go by several workers at once, each at a project of its own', async () => {
    await deletedLongAgo(scene);
    await deletedLongAgo(neighbour);
    const other = await world.another();
    const work = async (services: typeof world.services) => {
      while ((await purgeOnce(services, 5)).again);
    };
    await Promise.all([work(world.services), work(other.services), work(world.services)]);
    await work(other.services);
    expect([await totalOf(scene.projectId), await totalOf(neighbour.projectId)]).toEqual([0, 0]);
    await other.close();
  });

  it('leave a fact that the relay is at, and go when it is done', async () => {
    await deletedLongAgo(scene);
    const stamping: [string, unknown[]] = [
      'select position from event where project_id = ? order by position limit 1 for update',
      [scene.projectId],
    ];
    await holding(world, stamping, async () => {
      while ((await purgeOnce(world.services)).again);
      expect(await rowsOf(scene.projectId)).toMatchObject({ event: 1, item: 0, project: 1 });
    });
    while ((await purgeOnce(world.services)).again);
    expect(await totalOf(scene.projectId)).toBe(0);
  });
});
