// Tests the demo's history on a small one: made by ordinary use cases at moved times, once, and removable.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReceiver, type Receiver } from '../../../../scripts/lib/demo/receiver.ts';
import { startProjects, type DemoProjects } from '../../../../scripts/lib/demo/start-projects.ts';
import { recount } from '../../../src/analytics/recount.ts';
import { User } from '../../../src/db/entities/user.ts';
import { listChanges } from '../../../src/usecases/projects/list-changes.ts';
import { readProject } from '../../../src/usecases/projects/list-projects.ts';
import { removeSamples } from '../../../src/usecases/projects/samples.ts';
import { joinDemo } from '../../../src/usecases/projects/seed-demo.ts';
import { checkApiKey } from '../../../src/usecases/credentials/check-api-key.ts';
import { submit } from '../../../src/usecases/items/submit.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { countOnce } from '../../../src/worker/count-rollups.ts';
import { aPerson, aSubmission, review } from '../support/project-fixture.ts';
import { expectNoFaults } from '../support/no-faults.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
/** Long enough that deliveries of a receiver that refuses them are dead (WH1). */
const SIZE = { days: 5, items: 60, budgetMs: Infinity };

let receiver: Receiver;
let guest: MemberActor;
/** The item of a visitor, submitted while the history was made. */
let visitors = '';
/** What the starts have printed. */
const printed: string[] = [];
beforeAll(async () => {
  receiver = await startReceiver({ port: 0, print: () => undefined, now: () => new Date() });
  guest = await aPerson(testEnv.services);
});
afterAll(() => receiver.stop());

/** A start of the demo. Its history is stopped after the first quarter if `cut`; `meanwhile` begins then. */
async function start({ cut = false, meanwhile }: { cut?: boolean; meanwhile?: Meanwhile } = {}): Promise<DemoProjects> {
  const { services, signals } = testEnv;
  const stop = new AbortController();
  const others: Promise<unknown>[] = [];
  const print = (line: string) => {
    printed.push(line);
    if (!/\d items$/.test(line)) return;
    if (cut) stop.abort();
    if (meanwhile && others.length === 0) others.push(meanwhile(projects));
  };
  const projects = await startProjects({ services, signals, receiver, print, size: SIZE }, true);
  await projects.history?.(stop.signal);
  await Promise.all(others);
  return projects;
}
type Meanwhile = (projects: DemoProjects) => Promise<unknown>;

/** What a visitor submits. */
async function submitOwn({ answers }: DemoProjects): Promise<string> {
  const pipeline = await checkApiKey(testEnv.services, answers.apiKey);
  return (await submit(testEnv.services, pipeline, aSubmission())).item.id;
}

const LOG = { after: undefined, limit: 10, action: undefined, kind: undefined };
const PROJECTS = `select id from project where name in ('Support replies', 'Refund requests', 'Community posts') order by name`;
const projectIds = async () => (await testEnv.sql<{ id: string }>(PROJECTS)).map(({ id }) => id);
const states = async () =>
  (await testEnv.sql<{ samples: string | null }>('select samples from project order by name')).map(
    ({ samples }) => samples,
  );
const count = async (from: string) =>
  (await testEnv.sql<{ n: number }>(`select count(*)::int as n from ${from}`))[0]?.n;

async function expectSound(): Promise<void> {
  await expectNoFaults(testEnv);
  while ((await countOnce(testEnv.services)).again);
  for (const id of await projectIds()) expect((await recount(testEnv.orm, id))?.differences).toEqual([]);
}

describe('the demo’s history', () => {
  it('SA1: is made again when it was cut off, and never a second time', async () => {
    const first = await start({ cut: true });
    expect(first.history).not.toBeNull();
    expect(await states()).toEqual([null, 'making', 'making', 'making']);
    const began = await count('item');
    expect(began).toBeGreaterThan(0);
    expect(began).toBeLessThan(SIZE.items);
    const meanwhile = async (projects: DemoProjects) => (visitors = await submitOwn(projects));
    expect((await start({ meanwhile })).history).not.toBeNull();
    expect(printed.at(-1)).toContain(`complete: ${SIZE.items} items`);
    expect(await states()).toEqual([null, 'ready', 'ready', 'ready']);
    // The keys that the projects were created with are those of their pipelines.
    expect(
      await count('api_key k join project p on p.id = k.project_id where samples is not null and last_used_at is null'),
    ).toBe(0);
    expect(await count('item')).toBe(SIZE.items + 1);
    expect((await start()).history).toBeNull();
    expect(await count('item')).toBe(SIZE.items + 1);
  });

  it('SA1: leaves what somebody submits meanwhile to the worker, which acts at the true time', async () => {
    const { services, signals } = testEnv;
    expect(await count(`event where item_id = '${visitors}' and seq is not null`)).toBe(0);
    await relayOnce(services, signals);
    expect(await count(`event where item_id = '${visitors}' and seq is null`)).toBe(0);
    expect(await count('delivery d join item i on i.id = d.item_id where d.created_at < i.created_at')).toBe(0);
  });

  it('SA1: happened in the past, by people, with deliveries that failed for days', async () => {
    const days = `now() - interval '${SIZE.days + 2} days' and now()`;
    for (const [table, at] of [
      ['item', 'created_at'],
      ['decision', 'decided_at'],
      ['decision', 'final_at'],
      ['delivery', 'created_at'],
      ['attempt', 'started_at'],
      ['event', 'created_at'],
    ])
      expect(await count(`${table} where ${at} not between ${days}`), `${table}.${at}`).toBe(0);
    const spread = `select count(distinct date_trunc('day', decided_at))::int as days from decision where reviewer_id is not null`;
    expect((await testEnv.sql<{ days: number }>(spread))[0]?.days).toBeGreaterThan(1);
    expect(await count(`item where decided_at < created_at`)).toBe(0);
    expect(await count(`delivery where status = 'sending'`)).toBe(0);
    expect(await count(`pg_namespace where nspname = 'countersign_demo'`)).toBe(0);
    await expectSound();
  });

  it('SA2: is removed by an owner alone, and what people did themselves stays', async () => {
    const { services } = testEnv;
    const { answers } = await start();
    await services.db.write(async (tx) =>
      joinDemo(services, tx, await tx.em.findOneOrFail(User, { id: guest.userId })),
    );
    const pipeline = await checkApiKey(services, answers.apiKey);
    const { item: own } = await submit(services, pipeline, aSubmission());
    const { item } = await submit(services, pipeline, aSubmission());
    await review(services, guest, { itemId: item.id, action: 'approve' });
    const stranger = await aPerson(services);
    await expect(removeSamples(services, stranger, answers.projectId)).rejects.toMatchObject({ code: 'not_found' });
    for (const id of await projectIds()) await removeSamples(services, guest, id);
    const left = await testEnv.sql<{ id: string }>('select id from item order by id');
    expect(left.map(({ id }) => id)).toEqual([visitors, own.id, item.id].toSorted());
    expect(await states()).toEqual([null, null, null, null]);
    for (const table of ['learning', 'attempt', 'webhook_alert', 'wording']) expect(await count(table), table).toBe(0);
    // The host and the guest.
    expect(await count(`member where project_id = '${answers.projectId}'`)).toBe(2);
    await expectSound();
    const view = await readProject(services, guest, answers.projectId);
    expect(view.summary).toMatchObject({ queued: 2 });
    const { rows } = await listChanges(services, guest, { ...LOG, projectId: answers.projectId });
    expect(rows.map(({ action }) => action)).toContain('project.samples_removed');
    await removeSamples(services, guest, answers.projectId);
    expect((await start()).history).toBeNull();
  });
});
