// What owners see of reminders and do with them (NO6), and the circuit of a target (NO5).
import { describe, expect, it } from 'vitest';
import { rotateWebhookSecret } from '@countersign/shared/routes/projects';
import { listChanges } from '@countersign/shared/routes/changes';
import {
  listNotificationMessages,
  resendNotificationMessage,
  testNotification,
} from '@countersign/shared/routes/webhook';
import type { Notification } from '@countersign/shared/schemas/parts/notifications';
import { verifyWebhook } from '@countersign/shared/webhook';
import { TRIPS_AT } from '../../../src/domain/webhooks/health.ts';
import { aSubmission } from '../../builders.ts';
import { useNotificationFixture } from '../support/notification-fixture.ts';

const { inside, now, set, submit, remind, send, due } = useNotificationFixture();

const params = () => ({ id: now.project.id });
const target = (kind: Notification['kind'] = 'slack'): Notification => ({
  ...{ kind, url: `${now.base}/services/T000/B000/secret-of-the-channel` },
  rules: [{ rule: 'queue_deeper_than', items: 1 }],
});
/** One message to this target is written. */
async function written(one: Notification = target()): Promise<void> {
  await set([one]);
  await submit(2);
  await remind();
}
const list = async () => (await now.owner.call(listNotificationMessages, { params: params() })).data;
const circuit = () =>
  inside.sql<{ failures: number; resting: boolean }>(
    'select failures, open_until > now() as resting from notification_target where project_id = ?',
    [now.project.id],
  );

describe('NO6: the log', () => {
  it.each(['slack', 'teams', 'webhook'] as const)('lists a message to %s, masked, with its attempts', async (kind) => {
    await written(target(kind));
    now.status = 500;
    await send();
    now.status = 200;
    await due();
    await send();
    const answer = await now.owner.attempt(listNotificationMessages, { params: params() });
    expect(answer.text).not.toContain('T000');
    const [message] = await list();
    expect(message).toMatchObject({
      ...{ kind, target: `${now.base}/…nnel`, text: '2 items are waiting, more than 1.', status: 'succeeded' },
      ...{ run: { attempt: 2, of: 10 }, http_status: 200, error: null, circuit_open_until: null },
    });
    expect(message?.attempts.map(({ n, http_status, error }) => [n, http_status, error])).toEqual([
      [2, 200, null],
      [1, 500, 'http_5xx'],
    ]);
  });

  it.each([-3, 3])('NO5: a failed message waits as long when the clock of its process is %i h off', async (hours) => {
    await written();
    now.status = 500;
    await send({ ...inside.services, clock: { now: () => new Date(Date.now() + hours * 3_600_000) } });
    const soon = `next_attempt_at between now() - interval '1 min' and now() + interval '1 min' as soon`;
    expect(await inside.sql(`select status, ${soon} from notification_message`)).toEqual([
      { status: 'pending', soon: true },
    ]);
  });

  it('goes on where a page ended', async () => {
    await written();
    await inside.sql(
      `insert into notification_message (id, project_id, kind, url, body, status, created_at)
       select gen_random_uuid(), project_id, kind, url, body, 'dead', created_at from notification_message,
         generate_series(1, 4)`,
    );
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await now.owner.call(listNotificationMessages, {
        params: params(),
        query: { limit: 2, ...(after && { after }) },
      });
      seen.push(...page.data.map(({ id }) => id));
      after = page.next_cursor ?? undefined;
    } while (after !== undefined);
    expect(new Set(seen).size).toBe(5);
    expect(seen).toHaveLength(5);
  });
});

it('NO6: shows a message that a newer one replaced with its failed attempt, which can be sent again', async () => {
  await written();
  now.statuses.push(500);
  await send();
  await inside.sql(`update notification_rule set spoke_at = spoke_at - interval '1 h'`);
  await remind();
  const ended = {
    ...{ status: 'dead', error: 'replaced', next_attempt_at: null, abilities: { resend: true } },
    attempts: [{ n: 1, http_status: 500, error: 'http_5xx' }],
  };
  expect(await list()).toMatchObject([{ status: 'pending' }, ended]);
  const [, replaced] = await list();
  await now.owner.call(resendNotificationMessage, { params: { id: replaced?.id ?? '' } });
  await send();
  expect((await list()).map(({ status, error }) => [status, error])).toEqual([
    ['succeeded', null],
    ['succeeded', null],
  ]);
});

describe('NO6: sending again', () => {
  const resend = async () => {
    const [message] = await list();
    return now.owner.attempt(resendNotificationMessage, { params: { id: message?.id ?? '' } });
  };

  it('gives one that has ended a new schedule, and makes one that waits due', async () => {
    await written();
    now.status = 410;
    await send();
    expect(await list()).toMatchObject([{ status: 'dead', abilities: { resend: true } }]);
    expect((await resend()).ok).toBe(true);
    expect(await list()).toMatchObject([{ status: 'pending', run: { attempt: 0, of: 10 }, error: null }]);
    now.status = 500;
    await send();
    await send();
    expect(now.got).toHaveLength(2);
    expect((await resend()).ok).toBe(true);
    now.status = 200;
    await send();
    const [message] = await list();
    expect(message).toMatchObject({ status: 'succeeded', run: { attempt: 2, of: 10 } });
    expect(message?.attempts.map(({ n }) => n)).toEqual([3, 2, 1]);
  });

  it('is refused while it is being sent, and where its target was removed', async () => {
    await written();
    await inside.sql(`update notification_message set status = 'sending'`);
    const busy = await resend();
    expect(busy.ok ? null : busy.problem.code).toBe('delivery_under_way');
    await inside.sql(`update notification_message set status = 'dead'`);
    await set([]);
    expect(await list()).toMatchObject([{ abilities: { resend: false } }]);
    const removed = await resend();
    expect(removed.ok ? null : removed.problem.code).toBe('validation_failed');
  });
});

describe('NO5: a target that is removed', () => {
  it('gets nothing more, not even what waits or is tried again; another one does', async () => {
    const other: Notification = { ...target('webhook'), url: `${now.base}/other` };
    await set([target(), other]);
    await submit(2);
    await remind();
    now.status = 503;
    await send();
    expect(now.got).toHaveLength(2);
    await set([other]);
    now.status = 200;
    await due();
    await send();
    expect(now.got).toHaveLength(3);
    const shown = (await list()).map(({ kind, status, next_attempt_at }) => [kind, status, next_attempt_at]);
    expect(shown).toHaveLength(2);
    expect(shown).toEqual(
      expect.arrayContaining([
        ['slack', 'dead', null],
        ['webhook', 'succeeded', null],
      ]),
    );
  });
});

describe('NO5: the circuit of a target', () => {
  it('opens after ten failures in a row, lets one message through after its pause, and closes with an answer', async () => {
    await written();
    await inside.sql(
      `insert into notification_message (id, project_id, kind, url, target, body, status, next_attempt_at, created_at)
       select gen_random_uuid(), project_id, kind, url, target, body, 'pending', next_attempt_at, now()
       from notification_message, generate_series(1, 3)`,
    );
    now.status = 503;
    while (now.got.length < TRIPS_AT) {
      await due();
      await send();
    }
    const failed = now.got.length;
    expect(await circuit()).toMatchObject([{ resting: true }]);
    expect((await list())[0]?.circuit_open_until).not.toBeNull();
    await due();
    await send();
    expect(now.got).toHaveLength(failed);
    await inside.sql(`update notification_target set open_until = now() - interval '1 s'`);
    await Promise.all([send(), send(), send()]);
    expect(now.got).toHaveLength(failed + 1);
    now.status = 200;
    await inside.sql(`update notification_target set open_until = now() - interval '1 s'`);
    await due();
    await send();
    expect(await circuit()).toEqual([{ failures: 0, resting: null }]);
    await send();
    expect((await list()).map((message) => message.status)).toEqual(Array.from({ length: 4 }, () => 'succeeded'));
  });
});

it('NO5: a message whose secret cannot be decrypted fails visibly, and another one of the same batch arrives', async () => {
  await set([target('webhook'), target('slack')]);
  await submit(2);
  await remind();
  await inside.sql(`update webhook_endpoint set current = 'absent.key' where project_id = ?`, [now.project.id]);
  await send();
  const failed = async () => (await list()).find(({ kind }) => kind === 'webhook');
  expect(await failed()).toMatchObject({
    status: 'pending',
    error: 'internal',
    attempts: [{ n: 1, error: 'internal' }],
  });
  expect(now.got).toHaveLength(1);
  while ((await failed())?.status === 'pending') {
    await due();
    await send();
  }
  expect(await failed()).toMatchObject({ status: 'dead', run: { attempt: 10, of: 10 }, abilities: { resend: true } });
});

describe('NO6: a test message', () => {
  const test = (kind: Notification['kind']) =>
    now.owner.attempt(testNotification, { params: params(), body: { kind, url: target().url } });

  it.each(['slack', 'teams'] as const)('says to %s that it is one, unsigned, and is not listed', async (kind) => {
    const answer = await test(kind);
    expect(answer.ok && answer.reply).toMatchObject({ ok: true, http_status: 200, error: null });
    expect(now.got).toHaveLength(1);
    expect(now.got[0]?.body).toContain('This is a test.');
    expect(now.got[0]?.headers['x-webhook-signature']).toBeUndefined();
    expect(await list()).toEqual([]);
    const { data } = await now.owner.call(listChanges, { params: params() });
    expect(data[0]).toMatchObject({ action: 'webhook.notification_tested', before: null, after: null });
  });

  it('is the signed test event for our own receivers', async () => {
    const secret = (await now.owner.call(rotateWebhookSecret, { params: params() })).webhook_secret;
    await test('webhook');
    const { body, headers } = now.got[0]!;
    expect(JSON.parse(body)).toMatchObject({ event: 'webhook.test', project_id: now.project.id });
    expect(await verifyWebhook(body, headers, { secret, now: inside.clock.now().getTime() / 1000 })).toBe(true);
  });

  it('tells how it failed, and is limited', async () => {
    now.status = 404;
    const failed = await test('slack');
    expect(failed.ok && failed.reply).toMatchObject({ ok: false, http_status: 404, error: 'http_4xx' });
    for (let n = 0; n < 4; n += 1) await test('slack');
    const limited = await test('slack');
    expect(limited.ok ? null : limited.problem.code).toBe('rate_limited');
  });

  it('goes to no address that the guard refuses', async () => {
    const body = { kind: 'slack' as const, url: 'https://169.254.169.254/x' };
    const refused = await now.owner.attempt(testNotification, { params: params(), body });
    expect(refused.ok ? null : refused.problem.code).toBe('webhook_url_refused');
  });
});

it('NO3: no message contains anything of an item', async () => {
  const marks = 'zq7';
  await set((['slack', 'teams', 'webhook'] as const).map(target));
  for (let n = 0; n < 2; n += 1)
    await now.project.pipeline.submit(
      aSubmission({
        ...{
          input: { q: `${marks}<!channel>` },
          suggestion: `${marks}<https://evil.example|x>`,
          title: `${marks} title`,
        },
        ...{ metadata: { [marks]: marks, model: `${marks}-model` }, risk_flags: [`${marks}-flag`] },
      }),
    );
  await remind();
  await send();
  expect(now.got).toHaveLength(3);
  for (const { body, headers } of now.got) expect(JSON.stringify([body, headers])).not.toContain(marks);
});
