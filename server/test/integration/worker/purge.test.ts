// Tests purging a deleted project in batches (AR2): nobody is blocked, a crash costs one batch, others keep their rows.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createInboundSource } from '../../../src/usecases/credentials/inbound-sources.ts';
import { createInvite } from '../../../src/usecases/access/invites.ts';
import { deleteProject } from '../../../src/usecases/projects/lifecycle.ts';
import { submit } from '../../../src/usecases/items/submit.ts';
import { purgeOnce } from '../../../src/worker/purge.ts';
import { relayAll } from '../analytics/rollup-checks.ts';
import { withOpenTransaction } from '../support/blocking-transaction.ts';
import { createProjectFixture, aSubmission, items, review, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
/** A project with the same content, which stays. */
let otherProject: ProjectFixture;

/** Every table with rows of a project, from the catalogue: a new one must be filled here, and purged. The change log stays. */
let tables: string[];
beforeAll(async () => {
  const named = await testEnv.sql<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = current_schema() and column_name = 'project_id' and table_name <> 'project_change' order by 1`,
  );
  tables = named.map(({ name }) => name);
});

/** How many rows each table has of a project. Attempts belong to its deliveries and its messages. */
async function rowsOf(projectId: string): Promise<Record<string, number>> {
  const counts = tables.map((table) => `(select count(*)::int from ${table} where project_id = p.id) as ${table}`);
  const [row] = await testEnv.sql<Record<string, number>>(
    `select ${counts.join(', ')}, (select count(*)::int from project where id = p.id) as project,
       (select count(*)::int from attempt a join delivery d on d.id = a.delivery_id where d.project_id = p.id) as attempt,
       (select count(*)::int from notification_attempt a join notification_message m on m.id = a.message_id where m.project_id = p.id) as notification_attempt
     from (select ?::uuid as id) p`,
    [projectId],
  );
  return row ?? {};
}

const totalOf = async (projectId: string) =>
  Object.values(await rowsOf(projectId)).reduce((sum, count) => sum + count, 0);

/** A project with rows in every table. */
async function furnished(): Promise<ProjectFixture> {
  const made = await createProjectFixture(testEnv.services, { webhook_url: 'http://127.0.0.1:1024/' });
  const { projectId, owner } = made;
  await createInvite(testEnv.services, owner, { projectId, role: 'reviewer', address: null, hours: 1 });
  await createInboundSource(testEnv.services, owner, { projectId, name: 'Mail' });
  for (const { id } of await items(testEnv.services, made, 12))
    await review(testEnv.services, made.anna, { itemId: id, action: 'reject' });
  await items(testEnv.services, made, 8);
  const once = { idempotency: { key: 'k', bodySha256: 'a'.repeat(64) } };
  await submit(testEnv.services, made.pipeline, aSubmission(once));
  await relayAll(testEnv);
  await testEnv.sql(
    `insert into attempt (delivery_id, n, url, started_at, total_ms)
     select id, n, 'x', now(), 1 from delivery, generate_series(1, 2) n where project_id = ?`,
    [projectId],
  );
  await testEnv.sql(`insert into keeping (project_id, kind) values (?, 'attempts')`, [projectId]);
  await testEnv.sql(
    `insert into webhook_alert (id, project_id, kind, created_at) select gen_random_uuid(), ?, 'exhausted', now() from generate_series(1, 3)`,
    [projectId],
  );
  await insertReminders(projectId);
  await insertReports(projectId);
  return made;
}

/** Two rules have spoken, and the messages to one target were attempted twice each. */
async function insertReminders(projectId: string): Promise<void> {
  await testEnv.sql(
    `insert into notification_rule (project_id, target, rule, spoke_at)
     select ?, 'digest', rule, now() from unnest(array['expired', 'over_budget']) rule`,
    [projectId],
  );
  await testEnv.sql(`insert into notification_target (project_id, target, failures) values (?, 'digest', 2)`, [
    projectId,
  ]);
  await testEnv.sql(
    `with message as (
       insert into notification_message (id, project_id, kind, url, target, body, status, attempt, created_at)
       select gen_random_uuid(), ?, 'slack', 'http://127.0.0.1:1025/', 'digest', '{}', 'dead', 2, now() from generate_series(1, 3)
       returning id)
     insert into notification_attempt (message_id, n, started_at, total_ms) select id, n, now(), 1 from message, generate_series(1, 2) n`,
    [projectId],
  );
}

/** An offer, a replay, an export, a cluster, a regression with its case, a reported mistake, a schema, a skill and seen alerts. */
async function insertReports(projectId: string): Promise<void> {
  for (const insert of [
    `insert into offer (id, project_id, address, role, made_by, created_at, expires_at)
     select gen_random_uuid(), project_id, 'nobody', 'reviewer', user_id, now(), now() from member where project_id = ? limit 1`,
    `insert into replay (id, project_id, status, to_at, state, total, started_by_name, created_at)
     values (gen_random_uuid(), ?, 'dead', now(), 'done', 1, 'Olga', now())`,
    `insert into learning_export (id, project_id, filter, created_at) values (gen_random_uuid(), ?, '{}', now())`,
    `insert into cluster (id, project_id, created_at) values (gen_random_uuid(), ?, now())`,
    `insert into regression (id, project_id, started_by_name, created_at) values (gen_random_uuid(), ?, 'Olga', now())`,
    `insert into regression_case (regression_id, learning_id, project_id, place)
     select r.id, l.id, l.project_id, 1 from regression r join learning l on l.project_id = r.project_id
     where r.project_id = ? limit 1`,
    `insert into mistake_report (item_id, project_id, decision_id, decided_by, reported_by, reported_at)
     select item_id, project_id, id, reviewer_id, reviewer_id, now() from decision where project_id = ? limit 1`,
    `insert into answer_schema (project_id, digest, text, created_at) values (?, 'digest', '{}', now())`,
    `insert into skill (project_id, skill, people) values (?, 'flag:legal', '{}')`,
    `insert into alert_seen (project_id, user_id, topic, until) select project_id, user_id, 'budget', now() from member where project_id = ?`,
  ])
    await testEnv.sql(insert, [projectId]);
}

/** The project has been deleted for a while. */
async function deletedLongAgo({ projectId, owner }: ProjectFixture): Promise<void> {
  await deleteProject(testEnv.services, owner, projectId);
  await relayAll(testEnv);
  await testEnv.sql(`update project set deleted_at = now() - interval '1 hour' where id = ?`, [projectId]);
}

beforeEach(async () => {
  [fixture, otherProject] = [await furnished(), await furnished()];
});

describe('AR2: the rows of a deleted project', () => {
  it('are deleted in batches, to the last one; the change log and every other project stay', async () => {
    const beside = await rowsOf(otherProject.projectId);
    expect(Object.entries(beside).filter(([, count]) => count === 0)).toEqual([]);
    await deletedLongAgo(fixture);
    const log = 'select action from project_change where project_id = ? order by position';
    const logged = await testEnv.sql(log, [fixture.projectId]);
    const left = [await totalOf(fixture.projectId)];
    while ((await purgeOnce(testEnv.services, 10)).again) left.push(await totalOf(fixture.projectId));
    expect(left.at(-1)).toBe(0);
    const steps = left.slice(1).map((count, index) => (left[index] ?? 0) - count);
    expect(steps.length).toBeGreaterThan(8);
    // A delivery is deleted with its attempts.
    expect(Math.max(...steps)).toBeLessThanOrEqual(30);
    expect(Math.min(...steps)).toBeGreaterThan(0);
    expect(await rowsOf(otherProject.projectId)).toEqual(beside);
    expect(await testEnv.sql(log, [fixture.projectId])).toEqual(logged);
    expect(logged.at(-1)).toEqual({ action: 'project.deleted' });
  });

  it('wait until every process is notified; those of an archived project stay', async () => {
    await deleteProject(testEnv.services, fixture.owner, fixture.projectId);
    await testEnv.sql(`update project set archived_at = now() - interval '1 year' where id = ?`, [
      otherProject.projectId,
    ]);
    const before = [await rowsOf(fixture.projectId), await rowsOf(otherProject.projectId)];
    expect(await purgeOnce(testEnv.services)).toEqual({ again: false });
    expect([await rowsOf(fixture.projectId), await rowsOf(otherProject.projectId)]).toEqual(before);
  });

  it('a crash in the middle costs one batch, and the next run goes on', async () => {
    await deletedLongAgo(fixture);
    await purgeOnce(testEnv.services, 10);
    const before = await rowsOf(fixture.projectId);
    const { db } = testEnv.services;
    const write: typeof db.write = (work) =>
      db.write(async (tx) => {
        await work(tx);
        throw new Error('simulated crash');
      });
    await expect(purgeOnce({ ...testEnv.services, db: { ...db, write } }, 10)).rejects.toThrow('simulated crash');
    expect(await rowsOf(fixture.projectId)).toEqual(before);
    while ((await purgeOnce(testEnv.services, 10)).again);
    expect(await totalOf(fixture.projectId)).toBe(0);
  });

  it('are deleted by several workers at once, each in a separate project', async () => {
    await deletedLongAgo(fixture);
    await deletedLongAgo(otherProject);
    const other = await testEnv.another();
    const work = async (services: typeof testEnv.services) => {
      while ((await purgeOnce(services, 5)).again);
    };
    await Promise.all([work(testEnv.services), work(other.services), work(testEnv.services)]);
    await work(other.services);
    expect([await totalOf(fixture.projectId), await totalOf(otherProject.projectId)]).toEqual([0, 0]);
    await other.close();
  });

  it('keep an event that the relay is sequencing, and are deleted when it is done', async () => {
    await deletedLongAgo(fixture);
    const sequencing: [string, unknown[]] = [
      'select position from event where project_id = ? order by position limit 1 for update',
      [fixture.projectId],
    ];
    await withOpenTransaction(testEnv, sequencing, async () => {
      while ((await purgeOnce(testEnv.services)).again);
      expect(await rowsOf(fixture.projectId)).toMatchObject({ event: 1, item: 0, project: 1 });
    });
    while ((await purgeOnce(testEnv.services)).again);
    expect(await totalOf(fixture.projectId)).toBe(0);
  });
});
