// Tests the project summary in list and overview: claim holders, queue depth over time, onboarding steps.
import { describe, expect, it } from 'vitest';
import { AUTOMATIC_KEY_NAMES } from '@countersign/shared/limits';
import { createInvite } from '../../../src/usecases/access/invites.ts';
import { createApiKey } from '../../../src/usecases/credentials/api-keys.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { createProject } from '../../../src/usecases/projects/create-project.ts';
import { hideReadiness, readReadiness } from '../../../src/usecases/projects/read-readiness.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { dayOf } from '../../../src/domain/analytics/calendar.ts';
import { listProjects, readProject } from '../../../src/usecases/projects/list-projects.ts';
import { readAnalytics } from '../../../src/usecases/analytics/read-analytics.ts';
import { createEndpoint } from '../../../src/usecases/webhooks/endpoints.ts';
import { readOnboarding } from '../../../src/usecases/projects/read-onboarding.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import {
  addReviewers,
  anItem,
  aPerson,
  createProjectFixture,
  grantRole,
  items,
  review,
  useProjectFixture,
} from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';
import { aDelivery } from '../webhooks/pending-deliveries.ts';

const testEnv = useServices();
const MINUTE = 60_000;
const fixture = useProjectFixture(testEnv);

/** Minutes after the day of the zone began, and what counts of that moment. */
const ZONES = [
  ['Asia/Kathmandu', -1, 0],
  ['Asia/Kathmandu', 0, 1],
  ['America/St_Johns', -1, 0],
  ['America/St_Johns', 0, 1],
] as const;

const summary = async (who: MemberActor = fixture.owner) =>
  (await readProject(testEnv.services, who, fixture.projectId)).summary;

async function claims(who: MemberActor, count = 1): Promise<void> {
  for (const { id } of await items(testEnv.services, fixture, count)) await claim(testEnv.services, who, id);
}

describe('the project summary', () => {
  it('names each claim holder once, with the number of held items', async () => {
    expect(await summary()).toMatchObject({ reviewing: 0, reviewers: [], reviewerCount: 0 });
    await claims(fixture.ben, 2);
    await claims(fixture.anna);
    await anItem(testEnv.services, fixture);
    expect(await summary()).toMatchObject({
      queued: 4,
      reviewing: 3,
      reviewers: [
        { userId: fixture.anna.userId, name: 'Anna' },
        { userId: fixture.ben.userId, name: 'Ben' },
      ],
      reviewerCount: 2,
    });
  });

  it('shows the short address of a person without a name', async () => {
    const { userId, address } = fixture.anna;
    await testEnv.sql('update app_user set name = null where id = ?', [userId]);
    await claims(fixture.anna);
    const short = `${address.slice(0, 4)}…${address.slice(-4)}`;
    expect((await summary()).reviewers).toEqual([{ userId, name: short }]);
  });

  it('names five of many claim holders, and counts them all', async () => {
    const manyPeople = await addReviewers(testEnv.services, fixture, 7);
    for (const who of manyPeople.toReversed()) await claims(who);
    const { reviewers, reviewerCount, reviewing } = await summary();
    expect(reviewers.map(({ name }) => name)).toEqual([0, 1, 2, 3, 4].map((index) => `Reviewer ${index}`));
    expect([reviewerCount, reviewing]).toEqual([7, 7]);
  });

  it('drops holders who decided, and reveals nothing of another project', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'edit' });
    const other = await createProjectFixture(testEnv.services);
    await claim(testEnv.services, other.anna, (await anItem(testEnv.services, other)).id);
    expect(await summary()).toMatchObject({ reviewers: [], reviewing: 0, decidedToday: 1, overriddenToday: 1 });
    await claims(fixture.ben);
    // A person in both projects sees in each only its own claims.
    await testEnv.sql('update member set user_id = ? where project_id = ? and user_id = ?', [
      fixture.owner.userId,
      other.projectId,
      other.owner.userId,
    ]);
    const { rows: listed } = await listProjects(testEnv.services, fixture.owner);
    const shown = listed.map(({ project, summary }) => [project.id, summary.reviewers.map(({ name }) => name)]);
    expect(shown).toEqual([
      [fixture.projectId, ['Ben']],
      [other.projectId, ['Anna']],
    ]);
  });

  it('counts people’s decisions of today alone: neither automatic ones nor yesterday’s', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await anItem(testEnv.services, fixture, { confidence: 0.99 });
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'reject' });
    expect(await summary()).toMatchObject({ decidedToday: 1, overriddenToday: 1 });
    await testEnv.sql(`update decision set decided_at = decided_at - interval '1 day' where item_id = ?`, [id]);
    expect(await summary()).toMatchObject({ decidedToday: 0, overriddenToday: 0 });
  });

  it('AN6: begins the day at midnight in the time zone of the project', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    for (const [zone, minutes, decidedToday] of ZONES) {
      await testEnv.sql('update project set time_zone = ? where id = ?', [zone, fixture.projectId]);
      const decided = new Date(dayOf(Date.now(), zone) + minutes * MINUTE);
      await testEnv.sql('update decision set decided_at = ? where item_id = ?', [decided, id]);
      expect(await summary()).toMatchObject({ decidedToday });
    }
  });
});

describe('the depth', () => {
  const depth = async (window: { from: Date; to: Date }) => {
    const query = { projectId: fixture.projectId, from: window.from, to: window.to, bucket: 'minute' as const };
    return (await readAnalytics(testEnv.services, fixture.owner, query)).flow.map(({ waiting }) => waiting);
  };

  /** Sets arrival and decision times of items, in minutes after `start`. */
  const place = async (ids: string[], start: Date, { arrived, decided }: { arrived: number; decided?: number }) => {
    const at = (minutes: number) => new Date(start.getTime() + minutes * MINUTE);
    const list = `{${ids.join(',')}}`;
    const end = at(decided ?? arrived);
    await testEnv.sql(
      `update item set created_at = ?, decided_at = case when decided_at is null then null else ?::timestamptz end where id = any(?::uuid[])`,
      [at(arrived), end, list],
    );
    await testEnv.sql(`update event set created_at = ? where item_id = any(?::uuid[]) and type = 'item.decided'`, [
      end,
      list,
    ]);
  };

  it('is the number of queued items at the end of each bucket; what routing decided never waited', async () => {
    const [first, ...others] = (await items(testEnv.services, fixture, 3)).map(({ id }) => id);
    const passed = await anItem(testEnv.services, fixture, { confidence: 0.99 });
    const rejected = await anItem(testEnv.services, fixture, { confidence: 0.1 });
    const last = await anItem(testEnv.services, fixture);
    if (first === undefined) throw new Error('Three were asked for.');
    await review(testEnv.services, fixture.anna, { itemId: first, action: 'approve' });
    const start = new Date(Math.floor(Date.now() / MINUTE) * MINUTE - 5 * MINUTE);
    await place([...others, passed.id, rejected.id], start, { arrived: 0.2 });
    await place([first], start, { arrived: 0.2, decided: 2.1 });
    await place([last.id], start, { arrived: 3.5 });
    const after = (minutes: number) => new Date(start.getTime() + minutes * MINUTE);
    expect(await depth({ from: after(-1), to: after(4) })).toEqual([0, 3, 3, 2, 3]);
    // A window in the past shows its own values, to whole minutes.
    expect(await depth({ from: after(-1), to: after(2) })).toEqual([0, 3, 3]);
    expect(await depth({ from: after(1), to: after(3) })).toEqual([3, 2]);
  });
});

describe('onboarding', () => {
  const onboarding = (who: MemberActor = fixture.owner) => readOnboarding(testEnv.services, who, fixture.projectId);

  const delivered = (itemId: string, { status, http_status }: { status: string; http_status: number }) => {
    const id = testEnv.services.ids.uuid();
    return testEnv.sql(
      `insert into delivery (id, project_id, item_id, webhook_id, seq, body, status, attempt, http_status, created_at)
       values (?, ?, ?, ?, 1, '{}', ?, 1, ?, now())`,
      [id, fixture.projectId, itemId, `evt_${id}`, status, http_status],
    );
  };

  it('reports the first of each: a key, an item, a person’s decision, an answered webhook', async () => {
    const { anna } = fixture;
    const gone = { item: false, decision: false, webhook: false };
    expect(await onboarding()).toMatchObject({
      key: { name: 'Pipeline' },
      item: null,
      decision: null,
      webhook: null,
      gone,
    });
    await anItem(testEnv.services, fixture, { confidence: 0.99 });
    expect(await onboarding()).toMatchObject({ item: { status: 'auto_approved' }, decision: null });
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, anna, { itemId: id, action: 'edit' });
    expect(await onboarding()).toMatchObject({ decision: { action: 'edit', name: 'Anna' }, webhook: null });
    await delivered(id, { status: 'dead', http_status: 500 });
    expect(await onboarding()).toMatchObject({ webhook: null });
    await delivered(id, { status: 'succeeded', http_status: 204 });
    expect(await onboarding()).toMatchObject({ webhook: { http_status: 204 } });
  });

  it('shows keys to members who may see keys, and nothing to strangers', async () => {
    expect(await onboarding(fixture.anna)).toMatchObject({ key: null, item: null });
    const stranger = await aPerson(testEnv.services);
    await expect(onboarding(stranger)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('ON1: what is left before production', () => {
  it('is ticked by facts: the present URL answered, a reviewer, a chosen threshold, a named key', async () => {
    const { owner } = await createProjectFixture(testEnv.services);
    const projectId = await createProject(testEnv.services, owner, { name: 'New' });
    await testEnv.sql(`update project set webhook_url = 'https://a.example/hook' where id = ?`, [projectId]);
    const left = () => readReadiness(testEnv.services, owner, projectId);
    const nothing = { receiver: false, reviewer: false, thresholds: false, key: false, hidden: false };
    await createApiKey(testEnv.services, owner, { projectId, name: AUTOMATIC_KEY_NAMES[0] });
    expect(await left()).toEqual(nothing);
    const tested = (url: string, ok: boolean, error: string | null = null) =>
      testEnv.sql(
        `insert into project_change (id, project_id, action, changed_by_name, changed_at, after)
         values (gen_random_uuid(), ?, 'webhook.tested', 'Ana', now(), jsonb_build_object('url', ?::text, 'ok', ?::boolean, 'error', ?::text))`,
        [projectId, url, ok, error],
      );
    await tested('https://a.example/other', true);
    await tested('https://a.example/hook', false);
    expect(await left()).toEqual(nothing);
    await tested('https://a.example/hook', true);
    await tested('https://a.example/hook', false, 'internal');
    expect(await left()).toEqual({ ...nothing, receiver: true });
    const { invite } = await createInvite(testEnv.services, owner, {
      ...{ projectId, role: 'reviewer', address: null, hours: 24 },
    });
    expect((await left()).reviewer).toBe(true);
    await testEnv.sql(`update invite set expires_at = now() - interval '1 second' where id = ?`, [invite.id]);
    expect((await left()).reviewer).toBe(false);
    await createApiKey(testEnv.services, owner, { projectId, name: 'Claims pipeline' });
    await changeSettings(testEnv.services, owner, { projectId, settingsVersion: 1, changes: { auto_threshold: 0.97 } });
    expect(await left()).toEqual({ ...nothing, receiver: true, thresholds: true, key: true });
    await testEnv.sql(`update project set webhook_url = 'https://b.example/hook' where id = ?`, [projectId]);
    expect((await left()).receiver).toBe(false);
  });

  it('unticks the receiver while its newest answer is a failure, or it is paused', async () => {
    const HOOK = 'http://127.0.0.1:1024/';
    const of = await createProjectFixture(testEnv.services, { webhook_url: HOOK });
    const { projectId, owner } = of;
    const receiver = async () => (await readReadiness(testEnv.services, owner, projectId)).receiver;
    const answered = async (error: string | null, minutes: number, endpointId: string | null = null) => {
      const id = await aDelivery(testEnv, of, { attempt: 1 });
      await testEnv.sql('update delivery set endpoint_id = ? where id = ?', [endpointId, id]);
      await testEnv.sql(
        `insert into attempt (delivery_id, n, url, started_at, total_ms, http_status, error)
         values (?, 1, ?, now() + make_interval(mins => ?), 1, 200, ?)`,
        [id, HOOK, minutes, error],
      );
    };
    await answered(null, 1);
    expect(await receiver()).toBe(true);
    await answered('http_5xx', 2);
    expect(await receiver()).toBe(false);
    await answered(null, 3);
    await answered('internal', 4);
    expect(await receiver()).toBe(true);
    const state = (name: string) =>
      testEnv.sql('update webhook_endpoint set state = ? where project_id = ?', [name, projectId]);
    await state('paused');
    expect(await receiver()).toBe(false);
    await state('active');
    const fields = { url: HOOK, description: '', events: ['item.decided' as const], isEnabled: true };
    const { endpointId } = await createEndpoint(testEnv.services, owner, { projectId, ...fields });
    expect(await receiver()).toBe(false);
    await answered(null, 5, endpointId);
    expect(await receiver()).toBe(true);
  });

  it('is hidden by each owner for themselves', async () => {
    const { owner, projectId } = fixture;
    const second = await aPerson(testEnv.services);
    await grantRole(testEnv.services, fixture, { who: second, role: 'owner' });
    const hidden = async (who: MemberActor) => (await readReadiness(testEnv.services, who, projectId)).hidden;
    await hideReadiness(testEnv.services, owner, projectId);
    expect([await hidden(owner), await hidden(second)]).toEqual([true, false]);
    await expect(hideReadiness(testEnv.services, fixture.supervisor, projectId)).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  it('is for owners', async () => {
    const read = (who: MemberActor) => readReadiness(testEnv.services, who, fixture.projectId);
    await expect(read(fixture.supervisor)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(read(await aPerson(testEnv.services))).rejects.toMatchObject({ code: 'not_found' });
    // Its supervisor and its reviewers are members.
    expect(await read(fixture.owner)).toMatchObject({ reviewer: true, key: true });
  });
});
