// Tests a failing receiver, a gone one, and addresses that are never connected to.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listDeliveries } from '@countersign/shared/routes/deliveries';
import { changeProject, createProject, readProject } from '@countersign/shared/routes/projects';
import { aProject, aSubmission, openProject, type OpenProject, review } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { connectLive, type Live } from '../../live-client.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { useSharedTestEnvironment, useTestEnvironment } from '../../test-environment.ts';

describe('a receiver', () => {
  const testEnv = useSharedTestEnvironment();
  let owner: Person;
  let receiver: Receiver;
  let project: OpenProject;
  let live: Live;

  beforeAll(async () => {
    owner = await person(testEnv);
    receiver = await startReceiver();
    project = await openProject(owner, { receiver });
    live = await connectLive(owner, { process: 1 });
  });
  afterAll(async () => {
    live.close();
    await receiver.close();
  });

  async function decided(): Promise<string> {
    const { id } = await project.pipeline.submit(aSubmission());
    await review(owner, id, 'approve');
    return id;
  }
  /** Postpones the next attempt by a day, after the one that may be under way. Returns how many there were. */
  async function putOff(itemId: string): Promise<number> {
    const text = `update delivery set next_attempt_at = now() + interval '1 day'
      where item_id = $1 and status = 'pending' and attempt > 0 returning attempt`;
    return vi.waitFor(async () => {
      const [row] = await testEnv.sql<{ attempt: number }>(text, [itemId]);
      if (row === undefined) throw new Error('No attempt has failed.');
      return row.attempt;
    });
  }

  /** When the first attempt started, in ms since the epoch. */
  async function firstStart(itemId: string): Promise<number> {
    const [row] = await testEnv.sql<{ started_at: Date }>(
      'select a.started_at from attempt a join delivery d on d.id = a.delivery_id where d.item_id = $1 and a.n = 1',
      [itemId],
    );
    return row?.started_at.getTime() ?? Infinity;
  }

  /** Makes it due in half a second; returns the time. */
  async function dueSoon(itemId: string): Promise<number> {
    const [row] = await testEnv.sql<{ due: Date }>(
      `update delivery set next_attempt_at = clock_timestamp() + interval '500 ms' where item_id = $1 returning next_attempt_at as due`,
      [itemId],
    );
    return row?.due.getTime() ?? Infinity;
  }

  const changed = (id: string, status?: string) =>
    live.next('delivery.changed', (event) => event.item_id === id && event.status === (status ?? event.status));
  const health = async () => (await owner.call(readProject, { params: { id: project.id } })).summary.webhook;

  it('a receiver that fails is retried no sooner than 5 s later (WH1, less 20 %), with the same request, and delays nothing else', async () => {
    // Not only once: on a slow machine the retry may come before the failure was looked at.
    receiver.answer = () => ({ status: 500 });
    const failing = await decided();
    const first = await receiver.next(failing);
    const failed = await changed(failing);
    expect(failed).toMatchObject({ status: 'pending', attempt: 1, http_status: 500, error: 'http_5xx' });
    expect(Date.parse(failed.next_attempt_at ?? '') - (await firstStart(failing))).toBeGreaterThanOrEqual(4000);
    expect(await health()).toBe('failing');
    const attempts = await putOff(failing);
    receiver.answer = () => ({ status: 200 });
    const other = await decided();
    await receiver.next(other);
    const due = await dueSoon(failing);
    expect(await changed(failing, 'succeeded')).toMatchObject({ attempt: attempts + 1 });
    const last = receiver.arrivals.findLast(({ event }) => event.item_id === failing);
    expect(last).toMatchObject({ webhookId: first.webhookId, body: first.body, attempt: attempts + 1 });
    expect(last?.at).toBeGreaterThanOrEqual(due);
    expect(receiver.counts()[first.webhookId]).toBe(attempts + 1);
  });

  it('a receiver that redirects is not followed: anything but 2xx has failed', async () => {
    receiver.answer = () => ({ status: 302, headers: { location: `${receiver.url}/elsewhere` } });
    const id = await decided();
    const { webhookId } = await receiver.next(id);
    expect(await changed(id)).toMatchObject({ status: 'pending', http_status: 302, error: 'redirect_refused' });
    // Its retry must not meet what the next test answers.
    const attempts = await putOff(id);
    expect(receiver.counts()[webhookId]).toBe(attempts);
  });

  it('a receiver that responds 410 is paused until its URL is saved again; then all pending deliveries arrive (WH3)', async () => {
    receiver.answer = () => ({ status: 410 });
    const gone = await decided();
    const first = await receiver.next(gone);
    expect(await changed(gone)).toMatchObject({ status: 'paused', http_status: 410 });
    expect(await health()).toBe('paused');
    receiver.answer = () => ({ status: 200 });
    const waiting = await decided();
    await live.next('item.finalized', (event) => event.item_id === waiting);
    const { data } = await owner.call(listDeliveries, { params: { id: project.id } });
    expect(data.find((delivery) => delivery.item_id === waiting)).toMatchObject({ attempt: 0 });

    const { settings_version, webhook_url } = await owner.call(readProject, { params: { id: project.id } });
    await owner.call(changeProject, { params: { id: project.id }, body: { settings_version, webhook_url } });
    const again = await receiver.next(gone);
    expect(again).toMatchObject({ webhookId: first.webhookId, body: first.body, attempt: 2 });
    await receiver.next(waiting);
    expect(await changed(gone)).toMatchObject({ status: 'succeeded' });
    expect(await changed(waiting)).toMatchObject({ status: 'succeeded', attempt: 1 });
    // The redirected one of the previous test failed last: only its own next attempt can clear that.
    expect(['healthy', 'failing']).toContain(await health());
  });
});

describe('without exceptions by the operator', () => {
  const testEnv = useTestEnvironment({ processes: 1, env: { WEBHOOK_ALLOW_CIDRS: '', WEBHOOK_ALLOW_HTTP: 'false' } });

  it.each([
    'https://127.0.0.1/hooks',
    'https://127.1/hooks',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://017700000001/',
    'https://0x7f.1../',
    'https://0/',
    'https://localhost/',
    'https://api.LOCALHOST./',
    'https://10.20.30.40/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fe80::1]/',
    'https://①②⑦.⓪.⓪.①/',
    'http://example.com/hooks',
    'ftp://example.com/hooks',
    'https://user:secret@example.com/',
    'https://example.com:22/',
    'https://example.com/#hooks',
    'example.com/hooks',
    '',
  ])('%j cannot be saved as a webhook URL (W1, W3)', async (webhookUrl) => {
    const { owner, project } = await refusing();
    const { settings_version } = project;
    const refusal = await owner.refused('webhook_url_refused', changeProject, {
      params: { id: project.id },
      body: { settings_version, webhook_url: webhookUrl },
    });
    expect(refusal.errors).toMatchObject([{ pointer: '#/webhook_url' }]);
    await owner.refused('webhook_url_refused', createProject, { body: aProject({ webhook_url: webhookUrl }) });
    expect(await owner.call(readProject, { params: { id: project.id } })).toMatchObject({
      webhook_url: null,
      settings_version,
    });
  });

  it('a public https address can', async () => {
    const { owner, project } = await refusing();
    const body = { settings_version: project.settings_version, webhook_url: 'https://example.com/hooks?v=1' };
    expect(await owner.call(changeProject, { params: { id: project.id }, body })).toMatchObject({
      webhook_url: body.webhook_url,
    });
    await owner.refused('stale_settings', changeProject, {
      params: { id: project.id },
      body: { ...body, name: 'Other' },
    });
  });

  let made: Promise<OpenProject> | undefined;
  const refusing = () => (made ??= person(testEnv).then((owner) => openProject(owner)));
});
