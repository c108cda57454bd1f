// Reminders of a project: who may set and see them, when a rule speaks, and what arrives at their targets (NO).
import { describe, expect, it } from 'vitest';
import { changeProject, createProject, readProject, rotateWebhookSecret } from '@countersign/shared/routes/projects';
import { archiveProject, restoreProject } from '@countersign/shared/routes/lifecycle';
import { createEndpoint, removeEndpoint } from '@countersign/shared/routes/webhook';
import { listChanges } from '@countersign/shared/routes/changes';
import type { Notification } from '@countersign/shared/schemas/parts/notifications';
import { verifyWebhook } from '@countersign/shared/webhook';
import { SILENCE_SECONDS } from '../../../src/domain/notifications/findings.ts';
import { join } from '../../builders.ts';
import { codeOf, person } from '../../client.ts';
import { useNotificationFixture } from '../support/notification-fixture.ts';

const { inside, now, set, attemptSet, submit, remind, send, due } = useNotificationFixture();

const deep = (items: number) => ({ rule: 'queue_deeper_than' as const, items });
const to = (kind: Notification['kind'], rules: Notification['rules'] = [deep(2)]): Notification => ({
  ...{ kind, url: `${now.base}/${kind}`, rules },
});

const rows = () =>
  inside.sql<{ kind: string; body: string; status: string; attempt: number }>(
    'select kind, body, status, attempt from notification_message where project_id = ? order by created_at, id',
    [now.project.id],
  );
/** As if this many seconds had passed since every rule spoke. */
const pass = (seconds: number) =>
  inside.sql(`update notification_rule set spoke_at = spoke_at - ? * interval '1 s'`, [seconds]);
/** Sets the URL of the first endpoint. */
async function setWebhookUrl(webhook_url: string | null) {
  const params = { id: now.project.id };
  const { settings_version } = await now.owner.call(readProject, { params });
  await now.owner.call(changeProject, { params, body: { settings_version, webhook_url } });
}

describe('NO4: the setting', () => {
  it('is set and read by owners, and others see none of it', async () => {
    const all = [to('slack'), to('teams'), to('webhook')];
    const answer = await attemptSet(all);
    expect(answer.ok ? answer.reply.notifications : answer.text).toEqual(all);
    const supervisor = await person(now.served.testEnv);
    await join(now.project, supervisor, 'supervisor');
    const seen = await supervisor.attempt(readProject, { params: { id: now.project.id } });
    expect(seen.ok && seen.reply.notifications).toBeNull();
    expect(seen.text).not.toContain(now.base);
    const { data: log } = await now.owner.call(listChanges, { params: { id: now.project.id } });
    expect(log.find(({ action }) => action === 'webhook.notifications_changed')).toMatchObject({
      before: null,
      after: null,
    });
    const refused = await attemptSet([], supervisor);
    expect(codeOf(refused)).toBe('forbidden');
  });

  it('is set with a new project, or refused with it', async () => {
    const made = await now.owner.call(createProject, { body: { name: 'Reminded', notifications: [to('slack')] } });
    expect(made.notifications).toEqual([to('slack')]);
    const { data: log } = await now.owner.call(listChanges, { params: { id: made.id } });
    expect(log.map(({ action }) => action)).toContain('webhook.notifications_changed');
    expect(JSON.stringify(log)).not.toContain(now.base);
    const before = await inside.sql('select id from project');
    const body = {
      name: 'Refused',
      notifications: [to('teams'), { ...to('slack'), url: 'https://169.254.169.254/x' }],
    };
    const refused = await now.owner.attempt(createProject, { body });
    const errors = [{ pointer: '#/notifications/1/url' }];
    expect(refused.ok ? null : refused.problem).toMatchObject({ code: 'webhook_url_refused', errors });
    expect(await inside.sql('select id from project')).toEqual(before);
  });

  it('is refused with more than ten targets, a target or a rule twice, no rule, and a URL that the guard refuses', async () => {
    const ten = Array.from({ length: 10 }, (_, n) => ({ ...to('slack'), url: `${now.base}/${n}` }));
    expect((await attemptSet(ten)).ok).toBe(true);
    const codeOfSetting = async (some: Notification[]) => codeOf(await attemptSet(some));
    expect(await codeOfSetting([...ten, to('slack')])).toBe('validation_failed');
    expect(await codeOfSetting([to('slack'), to('slack', [deep(5)])])).toBe('validation_failed');
    expect(await codeOfSetting([to('slack', [deep(1), deep(2)])])).toBe('validation_failed');
    expect(await codeOfSetting([to('slack', [])])).toBe('validation_failed');
    const local = await attemptSet([to('teams'), { ...to('slack'), url: 'https://169.254.169.254/x' }]);
    const errors = [{ pointer: '#/notifications/1/url' }];
    expect(local.ok ? null : local.problem).toMatchObject({ code: 'webhook_url_refused', errors });
  });
});

describe('NO2: a rule speaks', () => {
  it('once in fifteen minutes, and says how many', async () => {
    await set([to('slack')]);
    await submit(2);
    await remind();
    expect(await rows()).toEqual([]);
    await submit(1);
    await remind();
    await submit(5);
    await remind();
    const spoken = await rows();
    expect(spoken).toHaveLength(1);
    expect(spoken[0]?.body).toContain('3 items are waiting, more than 2.');
    await pass(SILENCE_SECONDS - 60);
    await remind();
    expect(await rows()).toHaveLength(1);
    await pass(60);
    await remind();
    expect((await rows()).at(-1)?.body).toContain('8 items are waiting, more than 2.');
  });

  it('once with several workers at the same time', async () => {
    await set([to('slack'), to('webhook')]);
    await submit(3);
    await Promise.all(Array.from({ length: 8 }, () => remind()));
    expect((await rows()).map(({ kind }) => kind).sort()).toEqual(['slack', 'webhook']);
  });

  it('again for another target, but not because the setting was saved', async () => {
    await set([to('slack')]);
    await submit(3);
    await remind();
    await set([to('slack', [deep(1)])]);
    await remind();
    expect(await rows()).toHaveLength(1);
    await set([to('slack', [deep(1)]), to('teams')]);
    await remind();
    expect((await rows()).map(({ kind }) => kind)).toEqual(['slack', 'teams']);
  });

  it('about waiting times, a stop, a paused webhook and the budget in one message', async () => {
    const rules = (['project_stopped', 'webhook_paused', 'over_budget'] as const).map((rule) => ({ rule }));
    await set([to('webhook', [{ rule: 'waiting_longer_than', minutes: 30 }, ...rules])]);
    await submit(4);
    await remind();
    expect(await rows()).toEqual([]);
    const { id } = now.project;
    await setWebhookUrl(`${now.base}/decisions`);
    await inside.sql(`update item set created_at = now() - interval '31 min' where project_id = ?`, [id]);
    await inside.sql('update project set stopped_at = now(), over_budget_since = now() where id = ?', [id]);
    await inside.sql(`update webhook_endpoint set state = 'paused' where project_id = ?`, [id]);
    await remind();
    const [message] = await rows();
    const { findings } = JSON.parse(message?.body ?? '{}') as { findings: { rule: string; count: number | null }[] };
    expect(findings.map(({ rule, count }) => [rule, count])).toEqual([
      ['waiting_longer_than', 4],
      ...rules.map(({ rule }) => [rule, null]),
    ]);
    await inside.sql(`update webhook_endpoint set state = 'active' where project_id = ?`, [id]);
  });

  it('about a paused endpoint by its name where the project has several', async () => {
    await set([to('slack', [{ rule: 'webhook_paused' }])]);
    const { id } = now.project;
    const add = (description: string) => {
      const about = { url: `${now.base}/${description}`, description, is_enabled: true };
      return now.owner.call(createEndpoint, { params: { id }, body: { ...about, events: ['item.decided'] } });
    };
    const [made] = [await add('Mail'), await add('Warehouse')];
    await inside.sql(`update webhook_endpoint set state = 'paused' where id = ?`, [made.id]);
    await remind();
    expect((await rows())[0]?.body).toContain('Decisions are not delivered to a paused webhook endpoint: Mail.');
  });

  it.each([
    ['its URL was cleared', () => setWebhookUrl(null)],
    [
      'it was removed',
      () => now.owner.call(removeEndpoint, { params: { id: now.project.id, endpoint_id: now.project.id } }),
    ],
  ])('not about a paused first endpoint after %s', async (_name, remove) => {
    await set([to('slack', [{ rule: 'webhook_paused' }])]);
    await setWebhookUrl(`${now.base}/decisions`);
    await inside.sql(`update webhook_endpoint set state = 'paused' where project_id = ?`, [now.project.id]);
    await remove();
    await remind();
    expect(await rows()).toEqual([]);
  });

  it('nothing of before its project was archived, once it is restored', async () => {
    await set([to('slack'), to('teams')]);
    await submit(3);
    await remind();
    await inside.sql(
      `update notification_message set status = 'sending', claim_token = gen_random_uuid(), lease_until = now() - interval '1 s'
       where kind = 'teams'`,
    );
    const params = { id: now.project.id };
    await now.owner.call(archiveProject, { params });
    const ended = { status: 'dead', next_attempt_at: null };
    expect(await inside.sql('select status, next_attempt_at from notification_message')).toEqual([ended, ended]);
    await now.owner.call(restoreProject, { params });
    await send();
    expect(now.got).toEqual([]);
  });

  it('nothing that waited while a process of an earlier version archived its project', async () => {
    await set([to('slack')]);
    await submit(3);
    await remind();
    await inside.sql('update project set archived_at = now() where id = ?', [now.project.id]);
    await now.owner.call(restoreProject, { params: { id: now.project.id } });
    await send();
    expect(now.got).toEqual([]);
  });

  it('no more once the project is archived', async () => {
    await set([to('slack')]);
    await submit(3);
    await inside.sql('update project set archived_at = now() where id = ?', [now.project.id]);
    await remind();
    expect(await rows()).toEqual([]);
  });
});

describe('NO5: a message that was not delivered', () => {
  const state = (column: 'stopped_at' | 'over_budget_since') =>
    inside.sql(`update project set ${column} = now() where id = ?`, [now.project.id]);
  const texts = async () =>
    (await rows()).map(({ body }) => (JSON.parse(body) as { text: string }).text.replace(/^[^:]*: /, ''));
  const statuses = async () => (await rows()).map(({ status }) => status);
  const STOPPED = 'Manual review is on: every new item goes to a reviewer.';
  const OVER = 'Automatic decisions may be wrong more often than the error budget allows.';

  it('is replaced by the next one, and a target that works again gets that alone', async () => {
    await set([to('slack')]);
    await submit(3);
    await remind();
    for (const _ of [1, 2, 3]) {
      await submit(1);
      await pass(SILENCE_SECONDS);
      await remind();
    }
    expect(await statuses()).toEqual(['dead', 'dead', 'dead', 'pending']);
    await send();
    expect(now.got).toHaveLength(1);
    expect(now.got[0]?.body).toContain('6 items are waiting, more than 2.');
  });

  it('is replaced by one that says what it said, as it is now', async () => {
    await set([to('slack', [deep(2), { rule: 'project_stopped' }])]);
    await submit(3);
    await remind();
    await submit(2);
    await state('stopped_at');
    await remind();
    expect(await statuses()).toEqual(['dead', 'pending']);
    expect((await texts()).at(-1)).toBe(`5 items are waiting, more than 2. ${STOPPED}`);
    await inside.sql('update project set stopped_at = null where id = ?', [now.project.id]);
    await pass(SILENCE_SECONDS);
    await remind();
    expect(await statuses()).toEqual(['dead', 'dead', 'pending']);
    expect((await texts()).at(-1)).toBe('5 items are waiting, more than 2.');
  });

  it('is not mixed with what was delivered within fifteen minutes', async () => {
    await set([to('slack', [deep(2), { rule: 'project_stopped' }, { rule: 'over_budget' }])]);
    await submit(3);
    await remind();
    await send();
    await state('stopped_at');
    await remind();
    await state('over_budget_since');
    await remind();
    expect(await statuses()).toEqual(['succeeded', 'dead', 'pending']);
    expect((await texts()).slice(1)).toEqual([STOPPED, `${STOPPED} ${OVER}`]);
  });

  it('is replaced only once the attempt that is being made has ended', async () => {
    await set([to('slack')]);
    await submit(3);
    await remind();
    const lease = (until: string) =>
      inside.sql(
        `update notification_message set status = 'sending', claim_token = gen_random_uuid(), lease_until = now() + ?::interval`,
        [until],
      );
    await lease('1 min');
    await pass(SILENCE_SECONDS);
    await remind();
    expect(await statuses()).toEqual(['sending']);
    await lease('-1 s');
    await remind();
    expect(await statuses()).toEqual(['dead', 'pending']);
  });
});

describe('NO5: a message', () => {
  const secretOf = async () =>
    (await now.owner.call(rotateWebhookSecret, { params: { id: now.project.id } })).webhook_secret;

  it('arrives once, signed only for our own receivers, without any content', async () => {
    const secret = await secretOf();
    await set([to('slack'), to('teams'), to('webhook')]);
    await submit(3);
    await remind();
    await Promise.all([send(), send(), send()]);
    expect(now.got.map(({ path }) => path).sort()).toEqual(['/slack', '/teams', '/webhook']);
    for (const { path, headers, body } of now.got) {
      expect(headers['content-type']).toBe('application/json');
      expect(body).not.toMatch(/parcel|Answer/);
      expect(headers['x-webhook-signature'] === undefined).toBe(path !== '/webhook');
    }
    const own = now.got.find(({ path }) => path === '/webhook')!;
    expect(await verifyWebhook(own.body, own.headers, { secret, now: inside.clock.now().getTime() / 1000 })).toBe(true);
    expect(await rows()).toMatchObject(Array.from({ length: 3 }, () => ({ status: 'succeeded', attempt: 1 })));
  });

  it('is tried again on the schedule of webhooks, and given up at 410', async () => {
    await set([to('slack')]);
    await submit(3);
    await remind();
    now.statuses.push(500, 410);
    await send();
    expect(await rows()).toMatchObject([{ status: 'pending', attempt: 1 }]);
    await send();
    expect(now.got).toHaveLength(1);
    await due();
    await send();
    expect(await rows()).toMatchObject([{ status: 'dead', attempt: 2 }]);
    await send();
    expect(now.got).toHaveLength(2);
  });

  it('is sent by another worker once the lease of a crashed one is over', async () => {
    await set([to('slack')]);
    await submit(3);
    await remind();
    await inside.sql(
      `update notification_message set status = 'sending', attempt = 1, claim_token = gen_random_uuid(),
         lease_until = now() + interval '1 min'`,
    );
    await send();
    expect(now.got).toEqual([]);
    await inside.sql(`update notification_message set lease_until = now() - interval '1 s'`);
    await send();
    expect(await rows()).toMatchObject([{ status: 'succeeded', attempt: 2 }]);
  });
});
