// Tests test events, which are signed and guarded like deliveries (WT1), and the webhook state that owners see.
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { HEADERS, verifyWebhook } from '@countersign/shared/webhook';
import { webhookTest } from '@countersign/shared/schemas/parts/webhook-events';
import { createMemoryLimiter } from '../../../src/limits/memory-limiter.ts';
import { policiesOf } from '../../../src/limits/policies.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { readWebhook } from '../../../src/usecases/webhooks/read-webhook.ts';
import { promoteWebhookSecret, rotateWebhookSecret } from '../../../src/usecases/webhooks/rotate-webhook-secret.ts';
import type { MemberActor, Services } from '../../../src/usecases/services.ts';
import { testWebhook } from '../../../src/usecases/webhooks/test-webhook.ts';
import { exactly } from '../../client.ts';
import { closeReceivers, httpReceiver } from '../../fixtures/receivers.ts';
import { eventLogOf, changeLogOf } from '../support/database-helpers.ts';
import { aPerson, createProjectFixture, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const HOUR = 3_600_000;
let fixture: ProjectFixture;
/** A separate server has separate limits, so that the tests do not count for each other. */
let services: Services;

beforeEach(async () => {
  fixture = await createProjectFixture(testEnv.services);
  services = { ...testEnv.services, limiter: createMemoryLimiter(policiesOf(60_000), testEnv.clock) };
  testEnv.names.addresses.clear();
  testEnv.names.asked.length = 0;
});
afterEach(() => closeReceivers());

interface Got {
  headers: Record<string, string>;
  body: string;
}

/** A receiver that responds with this; what it got, and its URL under a name that resolves to it. */
async function receiving(status = 200, text = 'thanks'): Promise<{ got: Got[]; url: string }> {
  const got: Got[] = [];
  const { port } = await httpReceiver((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      got.push({ headers: request.headers as Got['headers'], body });
      response.writeHead(status).end(text);
    });
  });
  testEnv.names.addresses.set('receiver.example', ['127.0.0.1']);
  return { got, url: `http://receiver.example:${port}/hooks` };
}

const test = (url?: string, who: MemberActor = fixture.owner) =>
  testWebhook(services, who, { projectId: fixture.projectId, url });
const save = (webhook_url: string, settingsVersion = 1) =>
  changeSettings(services, fixture.owner, { projectId: fixture.projectId, settingsVersion, changes: { webhook_url } });
const tested = async () =>
  (await changeLogOf(testEnv, fixture.projectId)).filter(({ action }) => action === 'webhook.tested');

describe('WT1: a test event', () => {
  it('is sent to the saved URL, signed like a delivery, and leaves no delivery', async () => {
    const { got, url } = await receiving();
    await save(url);
    const { secret } = await rotateWebhookSecret(services, fixture.owner, { projectId: fixture.projectId });
    const result = await test();
    expect(result).toMatchObject({ ok: true, url, outcome: { httpStatus: 200, error: null, responseText: 'thanks' } });
    const [{ headers, body } = { headers: {}, body: '' }] = got;
    expect(got).toHaveLength(1);
    expect(exactly(webhookTest, body)).toMatchObject({ event: 'webhook.test', project_id: fixture.projectId });
    expect(headers[HEADERS.id]).toBe(result.webhookId);
    expect(result.webhookId).toMatch(/^evt_test_[0-9a-f-]{36}$/);
    expect(headers[HEADERS.attempt]).toBe('1');
    expect(headers[HEADERS.signature]).toBe(createHmac('sha256', secret).update(body).digest('hex'));
    expect(headers[HEADERS.signatureSecondary]).toBeUndefined();
    new Webhook(secret).verify(body, headers);
    expect(await testEnv.sql('select id from delivery where project_id = ?', [fixture.projectId])).toEqual([]);
  });

  it('is signed by both secrets during a rotation', async () => {
    const { got, url } = await receiving();
    const { secret: first } = await rotateWebhookSecret(services, fixture.owner, { projectId: fixture.projectId });
    const { secret: second } = await rotateWebhookSecret(services, fixture.owner, { projectId: fixture.projectId });
    await test(url);
    const now = Date.now() / 1000;
    for (const secret of [first, second])
      expect(await verifyWebhook(got[0]?.body ?? '', got[0]?.headers ?? {}, { secret, now })).toBe(true);
  });

  it('is sent to an unsaved URL, and saves nothing', async () => {
    const { got, url } = await receiving();
    await save('https://saved.example/');
    expect(await test(url)).toMatchObject({ ok: true, url });
    expect(got).toHaveLength(1);
    expect((await readWebhook(services, fixture.owner, fixture.projectId)).url).toBe('https://saved.example/');
  });

  it.each([
    ['http://169.254.169.254/latest', 'public host'],
    ['http://inside.example/', 'inside.example resolves to a private'],
    ['ftp://receiver.example/', 'https'],
    ['', 'full URL'],
  ])('to %j is refused before anything is sent, with the reason', async (url, reason) => {
    testEnv.names.addresses.set('inside.example', ['127.0.0.1', '10.0.0.1']);
    await expect(test(url)).rejects.toMatchObject({
      code: 'webhook_url_refused',
      detail: expect.stringContaining(reason) as string,
      extras: { errors: [{ pointer: '#/url' }] },
    });
    expect(await tested()).toEqual([]);
  });

  it('resolves its name again when it is sent: a name that changes meanwhile is not connected to (W2)', async () => {
    const { got, url } = await receiving();
    const refuse = services.refuseWebhookUrl;
    services.refuseWebhookUrl = async (asked) => {
      const said = await refuse(asked);
      testEnv.names.addresses.set('receiver.example', ['10.0.0.1']);
      return said;
    };
    expect(await test(url)).toMatchObject({ ok: false, outcome: { httpStatus: null, error: 'blocked_address' } });
    expect(got).toEqual([]);
  });

  it('without any URL is refused, and does not count for the limit', async () => {
    const { url } = await receiving();
    const fault = { code: 'validation_failed', extras: { errors: [{ pointer: '#/url', code: 'required' }] } };
    for (let times = 0; times < 6; times += 1) await expect(test()).rejects.toMatchObject(fault);
    expect(await test(url)).toMatchObject({ ok: true });
  });

  it('is for owners: others cause no lookup and no request, and use up no limit', async () => {
    const { got, url } = await receiving();
    const others: [MemberActor, string][] = [
      [fixture.supervisor, 'forbidden'],
      [fixture.anna, 'forbidden'],
      [await aPerson(services), 'not_found'],
    ];
    for (const [who, code] of others)
      for (let times = 0; times < 3; times += 1) await expect(test(url, who)).rejects.toMatchObject({ code });
    expect(testEnv.names.asked).toEqual([]);
    expect(got).toEqual([]);
    expect(await test(url)).toMatchObject({ ok: true });
  });

  it('is limited to five a minute for all owners of a project together, then refused with Retry-After', async () => {
    const { got, url } = await receiving();
    for (let times = 0; times < 5; times += 1) await test(url);
    const refusal = await test(url).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'rate_limited' });
    const { retryAfter } = (refusal as { extras: { retryAfter: number } }).extras;
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(12);
    expect(got).toHaveLength(5);
    const another = await createProjectFixture(testEnv.services);
    const theirs = await testWebhook(services, another.owner, { projectId: another.projectId, url });
    expect(theirs.ok).toBe(true);
    testEnv.clock.pass(retryAfter * 1000);
    expect(await test(url)).toMatchObject({ ok: true });
    testEnv.clock.pass(-retryAfter * 1000);
  });

  it('a test event that fails is a result, not an error; the response is inert text of at most 8 KiB', async () => {
    const { url } = await receiving(500, `<script>\u0000${'x'.repeat(20_000)}`);
    const { ok, outcome } = await test(url);
    expect(ok).toBe(false);
    expect(outcome).toMatchObject({ httpStatus: 500, error: 'http_5xx' });
    expect(outcome.responseText).toHaveLength(8_192);
    expect(outcome.responseText).toMatch(/^<script>\ufffdx/);
  });

  it('410 pauses nothing: only a delivery does (WH3)', async () => {
    const { url } = await receiving(410);
    await save(url);
    expect(await test()).toMatchObject({ ok: false, outcome: { httpStatus: 410 } });
    expect(await readWebhook(services, fixture.owner, fixture.projectId)).toMatchObject({ state: 'active' });
  });

  it('is logged with its result, and appends an event', async () => {
    const { url } = await receiving(404);
    await test(url);
    expect(await tested()).toMatchObject([
      {
        changed_by: fixture.owner.userId,
        before: null,
        after: { url, saved: false, ok: false, http_status: 404, error: 'http_4xx' },
      },
    ]);
    expect((await eventLogOf(testEnv, fixture.projectId)).at(-1)).toMatchObject({
      type: 'project.changed',
      data: { changed: ['webhook'] },
    });
  });

  it('is sent while no transaction is open: a slow receiver delays no other request', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const { port } = await httpReceiver((_, response) => {
      arrive();
      void held.then(() => response.end());
    });
    const slow = test(`http://127.0.0.1:${port}/`);
    await arrived;
    // An open transaction would hold a connection, and its locks, for as long as the receiver takes.
    await save('https://meanwhile.example/');
    release();
    expect(await slow).toMatchObject({ ok: true });
  });
});

describe('the state of a webhook', () => {
  const state = (who = fixture.owner) => readWebhook(services, who, fixture.projectId);
  const rotate = () => rotateWebhookSecret(services, fixture.owner, { projectId: fixture.projectId });

  it('lists which secrets sign, by the clock, and never their values', async () => {
    const never = { promoteAt: null, previousUntil: null };
    expect(await state()).toEqual({
      url: null,
      state: 'active',
      failures: 0,
      restsUntil: null,
      revealed: false,
      rolling: false,
      overlapHours: 24,
      ...never,
    });
    await rotate();
    expect(await state()).toMatchObject({ revealed: true, rolling: false, ...never });
    const { secret, promoteAt } = await rotate();
    expect(await state()).toMatchObject({ rolling: true, promoteAt, previousUntil: null });
    expect(JSON.stringify(await state())).not.toContain(secret);
    await promoteWebhookSecret(services, fixture.owner, fixture);
    const promoted = await state();
    expect(promoted).toMatchObject({ rolling: false, promoteAt: null });
    expect((promoted.previousUntil?.getTime() ?? 0) - testEnv.clock.now().getTime()).toBeGreaterThan(23 * HOUR);
    await rotate();
    testEnv.clock.pass(24 * HOUR);
    expect(await state()).toMatchObject({ rolling: false, promoteAt: null });
    testEnv.clock.pass(24 * HOUR);
    expect(await state()).toMatchObject({ rolling: false, ...never });
    testEnv.clock.pass(-48 * HOUR);
  });

  it('WH3: paused, it is resumed by saving the URL again: one entry and one event', async () => {
    const { url } = await receiving();
    await save(url);
    await testEnv.sql(`update webhook_endpoint set state = 'paused' where project_id = ?`, [fixture.projectId]);
    expect(await state()).toMatchObject({ url, state: 'paused' });
    const { length } = await changeLogOf(testEnv, fixture.projectId);
    await save(url, 2);
    expect(await state()).toMatchObject({ state: 'active' });
    await save(url, 2);
    const lines = (await changeLogOf(testEnv, fixture.projectId)).slice(length);
    expect(lines).toMatchObject([{ action: 'webhook.resumed', changed_by: fixture.owner.userId }]);
    expect((await eventLogOf(testEnv, fixture.projectId)).at(-1)).toMatchObject({ data: { changed: ['webhook'] } });
  });

  it('is shown to owners only', async () => {
    await expect(state(fixture.supervisor)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(state(await aPerson(services))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('changes only with a change log entry, without a secret; promoting nothing adds none', async () => {
    const made = [await rotate(), await rotate()];
    await promoteWebhookSecret(services, fixture.owner, fixture);
    await promoteWebhookSecret(services, fixture.owner, fixture);
    await expect(rotate().then(rotate)).rejects.toMatchObject({ code: 'rotation_in_progress' });
    const lines = (await changeLogOf(testEnv, fixture.projectId)).filter(({ action }) => action.startsWith('webhook.'));
    expect(lines).toMatchObject([
      { action: 'webhook.secret_made', after: { phase: 'current', promote_at: null } },
      { action: 'webhook.secret_made', after: { phase: 'next', promote_at: made[1]?.promoteAt?.toISOString() } },
      { action: 'webhook.secret_promoted', changed_by: fixture.owner.userId },
      { action: 'webhook.secret_made', after: { phase: 'next' } },
    ]);
    for (const { secret } of made) expect(JSON.stringify(lines)).not.toContain(secret.slice('whsec_'.length));
  });
});
