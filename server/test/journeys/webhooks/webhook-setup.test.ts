// Tests how an owner sets up a webhook: a refused URL, a test event, a secret rotation, a verifying receiver.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listChanges } from '@countersign/shared/routes/changes';
import { listDeliveries } from '@countersign/shared/routes/deliveries';
import {
  changeProject,
  promoteWebhookSecret,
  readProject,
  rotateWebhookSecret,
} from '@countersign/shared/routes/projects';
import { readWebhook, testWebhook } from '@countersign/shared/routes/webhook';
import { HEADERS, verifyWebhook } from '@countersign/shared/webhook';
import { join, openProject, type OpenProject } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';

describe('an owner', () => {
  const testEnv = useSharedTestEnvironment();
  let owner: Person;
  let receiver: Receiver;
  let project: OpenProject;
  const params = () => ({ params: { id: project.id } });
  const state = () => owner.call(readWebhook, params());

  beforeAll(async () => {
    owner = await person(testEnv);
    receiver = await startReceiver();
    project = await openProject(owner);
  });
  afterAll(() => receiver.close());

  it('tries a URL before saving it, and the saved one after (WT1)', async () => {
    expect(await state()).toMatchObject({ url: null, state: 'active', secret: { revealed: false, rolling: false } });
    await owner.refused('validation_failed', testWebhook, params());
    receiver.trust(project.id, (await owner.call(rotateWebhookSecret, params())).webhook_secret);

    const tried = await owner.call(testWebhook, { ...params(), body: { url: receiver.url } });
    expect(tried).toMatchObject({ ok: true, http_status: 200, error: null, response_text: '', url: receiver.url });
    // The receiver has verified it by node:crypto, standardwebhooks, svix and our own code.
    expect(await receiver.nextTest()).toMatchObject({ webhookId: tried.webhook_id, attempt: 1 });
    expect((await state()).url).toBeNull();

    const { settings_version } = await owner.call(readProject, params());
    await owner.call(changeProject, { ...params(), body: { settings_version, webhook_url: receiver.url } });
    const saved = await owner.call(testWebhook, params());
    expect(await receiver.nextTest()).toMatchObject({ webhookId: saved.webhook_id });
    expect((await owner.call(listDeliveries, params())).data).toEqual([]);
  });

  it('gets the reason why a URL is refused, by the same guard as at a delivery', async () => {
    const url = 'http://169.254.169.254/latest/meta-data/';
    const refusal = await owner.refused('webhook_url_refused', testWebhook, { ...params(), body: { url } });
    expect(refusal).toMatchObject({ status: 422, errors: [{ pointer: '#/url' }] });
    expect(refusal.detail).toMatch(/public host/);
  });

  it('is limited to five tests a minute, over all processes: 429 with Retry-After', async () => {
    const other = await openProject(owner, { receiver });
    const target = { params: { id: other.id } };
    for (let sent = 0; sent < 5; sent += 1) await owner.call(testWebhook, target, { process: sent });
    const answer = await owner.attempt(testWebhook, target, { process: 1 });
    expect(answer).toMatchObject({ ok: false, status: 429, problem: { code: 'rate_limited' } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    for (let sent = 0; sent < 5; sent += 1) await receiver.nextTest();
  });

  it('rotates the secret: both sign until the old one expires, and the state says so', async () => {
    const { webhook_secret: second, promote_at } = await owner.call(rotateWebhookSecret, {
      ...params(),
      body: { overlap_hours: 1 },
    });
    const overlap = { rolling: true, promote_at, previous_until: null, overlap_hours: 1 };
    expect((await state()).secret).toEqual({ revealed: true, ...overlap });
    expect(Date.parse(promote_at ?? '') - Date.now()).toBeLessThanOrEqual(3_600_000);
    await owner.call(testWebhook, params());
    const both = await receiver.nextTest();
    expect(both.headers[HEADERS.signatureSecondary]).toMatch(/^[0-9a-f]{64}$/);
    expect(await verifyWebhook(both.body, both.headers, { secret: second, now: Date.now() / 1000 })).toBe(true);

    await owner.call(promoteWebhookSecret, params());
    expect((await state()).secret).toMatchObject({ rolling: false, promote_at: null });
    expect((await state()).secret.previous_until).not.toBeNull();
    receiver.trust(project.id, second);
    await owner.call(testWebhook, params());
    await receiver.nextTest();
  });

  it('finds it all in the change log; a reviewer sees none of it', async () => {
    const { data } = await owner.call(listChanges, { ...params(), query: { limit: 100 } });
    const actions = data.map(({ action }) => action).filter((action) => action.startsWith('webhook.'));
    expect(actions.filter((action) => action === 'webhook.tested')).toHaveLength(4);
    expect(actions).toContain('webhook.secret_made');
    expect(actions).toContain('webhook.secret_promoted');
    const reviewer = await person(testEnv);
    await join(project, reviewer);
    await reviewer.refused('forbidden', readWebhook, params());
    await reviewer.refused('forbidden', testWebhook, params());
  });
});
