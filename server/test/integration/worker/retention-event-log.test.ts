// Tests KE4: items are deleted with their events, while figures, sequence numbers and repeats stay correct.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeProject } from '@countersign/shared/routes/projects';
import { projectSettings } from '@countersign/shared/schemas/projects';
import { forgetRollups } from '../../../src/analytics/recount.ts';
import { deleteProject } from '../../../src/usecases/projects/lifecycle.ts';
import { listLearnings } from '../../../src/usecases/learnings/list-learnings.ts';
import { readOnboarding } from '../../../src/usecases/projects/read-onboarding.ts';
import { replayDelivery } from '../../../src/usecases/webhooks/replay-deliveries.ts';
import { countOnce } from '../../../src/worker/count-rollups.ts';
import { purgeOnce } from '../../../src/worker/purge.ts';
import { openProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { expectCounted, recountOf, sumsOf } from '../analytics/rollup-checks.ts';
import { aBody, aSender, hexOf, outcome, post } from '../webhooks/inbound-sender.ts';
import { DAY_MS, faultsOf, runRetention, setRetention, settle, useRetentionFixture } from './retention-fixture.ts';
import { anItem, items, review } from '../support/project-fixture.ts';
import { serve, type Served } from '../support/http-server.ts';
import { passTime } from '../support/deadline-clock.ts';

const { testEnv, now, pass, setExcluded } = useRetentionFixture();

const TABLES = ['item', 'decision', 'delivery', 'event', 'learning'];
/** How many rows of each kind the project has; for events, those of items alone. */
async function rows(): Promise<Record<string, number>> {
  const counts = TABLES.map((table) => {
    const ofItems = table === 'event' ? 'and item_id is not null' : '';
    return `(select count(*)::int from ${table} where project_id = p.id ${ofItems}) as ${table}`;
  });
  const [row] = await testEnv.sql<Record<string, number>>(
    `select ${counts.join(', ')}, (select count(*)::int from attempt a join delivery d on d.id = a.delivery_id where d.project_id = p.id) as attempt
     from (select ?::uuid as id) p`,
    [now.fixture.projectId],
  );
  return row ?? {};
}
const NOTHING = { item: 0, decision: 0, delivery: 0, event: 0, learning: 0, attempt: 0 };

async function live(count: number): Promise<void> {
  const { services } = testEnv;
  for (const { id } of await items(services, now.fixture, count))
    await review(services, now.fixture.anna, { itemId: id, action: 'approve' });
  await anItem(services, now.fixture, { confidence: 1 });
  await anItem(services, now.fixture, { confidence: 0.1 });
  await settle(testEnv);
}

describe('KE1: the settings of an owner', () => {
  it.each([
    ['retention_payload_days', 7, 3650],
    ['retention_attempt_days', 7, 3650],
    ['retention_item_days', 30, 3650],
  ])('KE1: accept %s from %i to %i, or null for ever', (name, least, most) => {
    const takes = (value: unknown) => projectSettings.partial().safeParse({ [name]: value }).success;
    expect([least, most, null].map(takes)).toEqual([true, true, true]);
    expect([least - 1, most + 1, 7.5, '30', 0].map(takes)).toEqual([false, false, false, false, false]);
  });
});

describe('KE4: items with their events', () => {
  beforeEach(() => setRetention(testEnv, now.fixture, { retention_item_days: 30 }));

  it('KE4: are deleted; figures stay, later events are unchanged, and the invariants hold', async () => {
    await live(3);
    const before = await sumsOf(testEnv, now.fixture.projectId, 'decided');
    await passTime(testEnv, 20 * DAY_MS);
    await live(2);
    const all = await rows();
    await pass(11);
    expect(await rows()).toMatchObject({ item: 4, delivery: 2, attempt: 2 });
    expect(await faultsOf(testEnv)).toEqual([]);
    await pass(20);
    expect(await rows()).toEqual(NOTHING);
    const onboarding = await readOnboarding(testEnv.services, now.fixture.owner, now.fixture.projectId);
    expect(onboarding).toMatchObject({ item: null, gone: { item: true, decision: true, webhook: true } });
    expect(all.item).toBe(9);
    expect(before).toEqual({ approve: 3 });
    expect(await sumsOf(testEnv, now.fixture.projectId, 'decided')).toEqual({ approve: 5 });
    expect(await faultsOf(testEnv)).toEqual([]);
    await live(1);
    await expectCounted(testEnv, now.fixture.projectId);
    expect(await faultsOf(testEnv)).toEqual([]);
  });

  it('KE4: a wrong figure of existing items is found; a figure that cannot be recounted is not discarded', async () => {
    await live(2);
    await pass(31);
    await live(2);
    const { projectId } = now.fixture;
    const wrong = `update rollup set n = n + 1 where project_id = ? and measure = 'decided' and grain = 'minute' and at = (
      select max(at) from rollup where project_id = ? and measure = 'decided' and grain = 'minute')`;
    await testEnv.sql(wrong, [projectId, projectId]);
    const { differences, goneUntil } = await recountOf(testEnv, projectId);
    expect(differences.map(({ measure, grain }) => `${measure} ${grain}`)).toEqual(['decided minute']);
    expect(goneUntil).not.toBeNull();
    await testEnv.sql(wrong.replace('n + 1', 'n - 1'), [projectId, projectId]);
    const forget = testEnv.services.db.write(({ em }) => forgetRollups(em, projectId));
    await expect(forget).rejects.toThrow('cannot be recounted');
    await expectCounted(testEnv, projectId);
  });

  it('KE4, I6: an event that was deleted without its item is found', async () => {
    await live(1);
    await pass(31);
    await live(1);
    const lost = await testEnv.sql(`delete from event where project_id = ? and type = 'item.claimed' returning 1`, [
      now.fixture.projectId,
    ]);
    expect(lost).toHaveLength(1);
    expect((await faultsOf(testEnv)).map(({ rule, says }) => `${rule} ${says}`)).toContainEqual(
      expect.stringMatching(/^I6 .* deleted, and its event log ends at/),
    );
    // Later tests check the whole database.
    await testEnv.sql('update project set deleted_at = now() where id = ?', [now.fixture.projectId]);
  });

  it('KE4: events that are not counted yet wait (I9)', async () => {
    await live(1);
    await testEnv.sql('update project set rollup_seq = 0 where id = ?', [now.fixture.projectId]);
    await testEnv.sql('delete from rollup where project_id = ?', [now.fixture.projectId]);
    // The oldest event alone.
    await countOnce(testEnv.services, 1);
    await pass(31);
    expect(await rows()).toMatchObject({ item: 3 });
    await settle(testEnv);
    await pass(0);
    expect(await rows()).toEqual(NOTHING);
    expect(await sumsOf(testEnv, now.fixture.projectId, 'decided')).toEqual({ approve: 1 });
  });

  it('AR2: the retention progress is deleted with its project', async () => {
    await live(1);
    await pass(31);
    await deleteProject(testEnv.services, now.fixture.owner, now.fixture.projectId);
    await settle(testEnv);
    await testEnv.sql(`update project set deleted_at = now() - interval '1 day' where id = ?`, [now.fixture.projectId]);
    while ((await purgeOnce(testEnv.services)).again);
    for (const table of ['keeping', 'project'])
      expect(
        await testEnv.sql(`select 1 from ${table} where ${table === 'project' ? 'id' : 'project_id'} = ?`, [
          now.fixture.projectId,
        ]),
      ).toEqual([]);
  });
});

describe('KE4: a repeated submission', () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve(testEnv.services);
  });
  afterAll(() => served.close());

  it('KE4, IN1: whose item is deleted creates no new one', async () => {
    const project = await openProject(await person(served.testEnv));
    const sender = await aSender(project);
    const { settings_version } = await project.owner.call(changeProject, {
      params: { id: project.id },
      body: { retention_item_days: 30, settings_version: 1 },
    });
    expect(settings_version).toBe(2);
    const body = aBody({ confidence: 1 });
    const send = async () => outcome(await post(served, sender.path, { body, headers: hexOf(sender.secret, body) }));
    expect(await send()).toBe('201');
    await settle(testEnv);
    await pass(31);
    expect(await send()).toBe('404 not_found');
    expect(await testEnv.sql('select 1 from item where project_id = ?', [project.id])).toEqual([]);
    expect(await faultsOf(testEnv)).toEqual([]);
  });
});

describe('KE: concurrently', () => {
  it('KE2: a replay during redaction sends all bytes or is refused', async () => {
    await setRetention(testEnv, now.fixture, { retention_payload_days: 7 });
    await live(12);
    await passTime(testEnv, 8 * DAY_MS);
    const deliveries = await testEnv.sql<{ id: string }>('select id from delivery where project_id = ?', [
      now.fixture.projectId,
    ]);
    const second = await testEnv.another();
    try {
      const sendAgain = deliveries.map(({ id }) => replayDelivery(testEnv.services, now.fixture.supervisor, id));
      const worked = await Promise.allSettled([runRetention(testEnv, 3), runRetention(second, 2), ...sendAgain]);
      expect(worked.slice(0, 2).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
      const sent = now.got.length;
      await settle(testEnv);
      const accepted = worked.slice(2).filter(({ status }) => status === 'fulfilled');
      expect(now.got.length - sent).toBe(accepted.length);
      for (const { body } of now.got) expect(JSON.parse(body)).toMatchObject({ event: 'item.decided' });
      expect(await faultsOf(testEnv)).toEqual([]);
    } finally {
      await second.close();
    }
  });

  it('KE1 to KE5: random lifecycles and periods: nothing is deleted early, and all of it in the end', async () => {
    await setRetention(testEnv, now.fixture, {
      retention_payload_days: 7,
      retention_attempt_days: 14,
      retention_item_days: 30,
    });
    let seed = 7;
    const random = (below: number) => (seed = (seed * 16_807) % 2_147_483_647) % below;
    const begun: { id: string; at: number; quoted: boolean }[] = [];
    const days = () => Math.floor(testEnv.clock.now().getTime() / DAY_MS);
    for (let step = 0; step < 40; step += 1) {
      const { id } = await anItem(testEnv.services, now.fixture, { confidence: [0.1, 0.8, 0.8, 1][random(4)] ?? 1 });
      const open = (await testEnv.sql('select 1 from item where id = ? and status = ?', [id, 'queued'])).length > 0;
      const action = (['approve', 'approve', 'edit', 'reject'] as const)[random(4)] ?? 'approve';
      if (open) await review(testEnv.services, now.fixture.anna, { itemId: id, action });
      await settle(testEnv);
      const quoted = open && action !== 'approve' && random(2) === 0;
      if (open && action !== 'approve' && !quoted) await setExcluded(id);
      begun.push({ id, at: days(), quoted });
      await passTime(testEnv, random(6) * DAY_MS);
      await runRetention(testEnv, 1 + random(9));
      const there = new Set((await testEnv.sql<{ id: string }>('select id from item')).map((row) => row.id));
      const full = new Set(
        (await testEnv.sql<{ id: string }>('select id from item where emptied_at is null')).map((row) => row.id),
      );
      for (const item of begun) {
        const age = item.quoted ? 0 : days() - item.at;
        if (age !== 30) expect(there.has(item.id), `there after ${age} days`).toBe(age < 30);
        if (age !== 7) expect(full.has(item.id), `full after ${age} days`).toBe(age < 7);
      }
    }
    expect(await faultsOf(testEnv)).toEqual([]);
    await pass(31);
    const quoted = begun.flatMap((item) => (item.quoted ? [item.id] : []));
    expect(quoted.length).toBeGreaterThan(0);
    expect(await rows()).toMatchObject({ item: quoted.length, learning: quoted.length });
    for (const id of quoted) await setExcluded(id);
    await pass(31);
    expect(await rows()).toEqual(NOTHING);
    const { data } = await listLearnings(testEnv.services, now.fixture.supervisor, {
      ...{ projectId: now.fixture.projectId, filter: {}, after: undefined, limit: 10 },
    });
    expect(data).toEqual([]);
    expect(await faultsOf(testEnv)).toEqual([]);
  });
});
