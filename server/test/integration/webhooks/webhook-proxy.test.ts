// Tests a long outage of the operator's proxy: no delivery dies, no receiver is blamed, the operator reads why (WH7).
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { testWebhook } from '../../../src/usecases/webhooks/test-webhook.ts';
import { dispatchWebhook } from '../../../src/delivery/dispatch.ts';
import { createDeliverer } from '../../../src/delivery/deliver.ts';
import { connectProxy } from '../../fixtures/connect-proxy.ts';
import { closeReceivers, httpReceiver } from '../../fixtures/receivers.ts';
import { logWatch, watchedLogger } from '../../log-watch.ts';
import { aDelivery, makeDue, sendAll } from './pending-deliveries.ts';
import { createProjectFixture, type ProjectFixture } from '../support/project-fixture.ts';
import { POLICY, useServices } from '../support/test-services.ts';

const testEnv = useServices();
const PASSWORD = 'open-sesame-and-no-one-else';
let fixture: ProjectFixture;
/** The numbers of the attempts that the receiver saw. */
let got: string[];
let answer: number;
/** What the proxy responds instead of connecting. */
let refusal: string | null;
let proxyUrl: string;
let lines: string[];

beforeEach(async () => {
  await testEnv.sql('delete from attempt');
  await testEnv.sql('delete from delivery');
  [got, lines, answer, refusal] = [[], [], 200, 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'];
  logWatch.secret('the password of the proxy', PASSWORD);
  const { port } = await httpReceiver((request, response) => {
    got.push(String(request.headers['x-webhook-attempt']));
    request.resume().on('end', () => response.writeHead(answer).end());
  });
  const proxy = await connectProxy(() => refusal ?? false);
  proxyUrl = proxy.url.replace('//', `//countersign:${PASSWORD}@`);
  fixture = await createProjectFixture(testEnv.services, { webhook_url: `http://127.0.0.1:${port}/` });
});
afterEach(() => closeReceivers());

/** A delivery that is due, with this many attempts behind it. */
const due = (attempt = 0) => aDelivery(testEnv, fixture, { attempt, ago: 0 });

async function deliver(url: string | null = proxyUrl): Promise<void> {
  const services = { ...testEnv.services, log: watchedLogger((line) => lines.push(line)) };
  await sendAll(services, { ...POLICY, proxyUrl: url });
}

interface Row {
  status: string;
  attempt: number;
  schedule_from: number;
  error: string | null;
  wait: number | null;
}

const rowOf = async (id: string) =>
  (
    await testEnv.sql<Row>(
      `select status, attempt, schedule_from, error, extract(epoch from next_attempt_at - now())::float as wait
       from delivery where id = ?`,
      [id],
    )
  )[0] as Row;
const endpoint = async () =>
  (
    await testEnv.sql<{ failures: number; openings: number; rest: number | null }>(
      `select failures, openings, extract(epoch from open_until - now())::float as rest from webhook_endpoint where project_id = ?`,
      [fixture.projectId],
    )
  )[0];

describe('WH7: while the proxy fails', () => {
  it('a delivery is retried about every 30 s, beyond the length of the schedule, and never dies', async () => {
    const id = await due();
    for (let n = 1; n <= 14; n += 1) {
      await makeDue(testEnv, id);
      await deliver();
      expect(await rowOf(id)).toMatchObject({ status: 'pending', attempt: n, schedule_from: n, error: 'internal' });
    }
    const { wait } = await rowOf(id);
    expect(wait).toBeGreaterThan(12);
    expect(wait).toBeLessThanOrEqual(36);
    expect(got).toEqual([]);
    expect(await endpoint()).toEqual({ failures: 0, openings: 0, rest: null });
    const attempts = await testEnv.sql<object>(
      'select n, error, remote_address, response_text from attempt order by n',
    );
    expect(attempts).toEqual(
      Array.from({ length: 14 }, (_, n) => ({
        n: n + 1,
        error: 'internal',
        remote_address: null,
        response_text: null,
      })),
    );
    refusal = null;
    await makeDue(testEnv, id);
    await deliver();
    expect(await rowOf(id)).toMatchObject({ status: 'succeeded', attempt: 15, error: null });
    expect(got).toEqual(['15']);
  });

  it('the schedule pauses, and continues where it was', async () => {
    const id = await due(1);
    refusal = null;
    answer = 500;
    await deliver();
    expect(await rowOf(id)).toMatchObject({ attempt: 2, schedule_from: 0, error: 'http_5xx' });
    await makeDue(testEnv, id);
    refusal = 'HTTP/1.1 429 Too Many Requests\r\n\r\n';
    await deliver();
    expect(await rowOf(id)).toMatchObject({ attempt: 3, schedule_from: 1, error: 'internal' });
    await makeDue(testEnv, id);
    refusal = null;
    await deliver();
    const { wait, ...row } = await rowOf(id);
    expect(row).toMatchObject({ attempt: 4, schedule_from: 1, error: 'http_5xx' });
    // The third of the schedule: half an hour.
    expect(wait).toBeGreaterThan(1_400);
    expect(wait).toBeLessThanOrEqual(2_160);
  });

  it('pending deliveries are not tried one by one: one probe at a time is enough', async () => {
    // The deliverer's clock is stopped, however long this takes.
    vi.useFakeTimers({ toFake: ['performance'] });
    for (let n = 0; n < 5; n += 1) await due();
    const deliverer = createDeliverer(testEnv.services, { ...POLICY, proxyUrl });
    await deliverer.runOnce();
    await deliverer.drain();
    for (let n = 0; n < 5; n += 1) await due();
    const before = Date.now();
    const next = await deliverer.runOnce();
    expect(next.at?.getTime()).toBeGreaterThan(before);
    await deliverer.drain();
    vi.useRealTimers();
    const [{ n } = { n: '' }] = await testEnv.sql<{ n: string }>('select count(*) as n from attempt');
    expect(Number(n)).toBe(5);
  });

  it('WH4: a refusal before it is still counted after it', async () => {
    const id = await due();
    refusal = 'HTTP/1.1 403 Forbidden\r\n\r\n';
    await deliver();
    refusal = 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n';
    await makeDue(testEnv, id);
    await deliver();
    refusal = 'HTTP/1.1 403 Forbidden\r\n\r\n';
    await makeDue(testEnv, id);
    await deliver();
    expect(await rowOf(id)).toMatchObject({ status: 'dead', attempt: 3, schedule_from: 1, error: 'blocked_address' });
  });

  it('errors that a working proxy reports about the receiver count as usual', async () => {
    const id = await due();
    refusal = 'HTTP/1.1 502 Bad gateway\r\n\r\n';
    await deliver();
    expect(await rowOf(id)).toMatchObject({ attempt: 1, schedule_from: 0, error: 'connection_refused' });
    expect(await endpoint()).toMatchObject({ failures: 1 });
    refusal = 'HTTP/1.1 403 Forbidden\r\n\r\n';
    for (const status of ['pending', 'dead']) {
      await makeDue(testEnv, id);
      await deliver();
      expect(await rowOf(id)).toMatchObject({ status, schedule_from: 0, error: 'blocked_address' });
    }
  });

  it('a receiver with an open circuit gets no longer pause', async () => {
    await due();
    const resting =
      'update webhook_endpoint set failures = 12, openings = 1, open_until = now() - make_interval(secs => 0.001) where project_id = ?';
    await testEnv.sql(resting, [fixture.projectId]);
    await deliver();
    const { rest, ...health } = (await endpoint()) ?? { rest: null };
    expect(health).toEqual({ failures: 12, openings: 1 });
    // The next probe is sent when the lease of this one is over.
    expect(rest).toBeLessThanOrEqual(25);
    expect(lines.join('')).toContain('responded with 407');
  });

  it('the operator reads why, without the password; an owner who tests the webhook reads that the fault is ours', async () => {
    await due();
    await deliver();
    const msg: unknown = expect.stringContaining('WEBHOOK_PROXY_URL');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: 40, fault: 'responded with 407', msg },
    ]);
    const { keyRing, log } = testEnv.services;
    const policy = { ...POLICY, proxyUrl };
    const services = {
      ...testEnv.services,
      dispatchWebhook: (what: Parameters<typeof dispatchWebhook>[1]) => dispatchWebhook({ keyRing, log, policy }, what),
    };
    const { outcome } = await testWebhook(services, fixture.owner, { projectId: fixture.projectId, url: undefined });
    expect(outcome).toMatchObject({ httpStatus: null, error: 'internal', responseText: null, remoteAddress: null });
    expect(got).toEqual([]);
  });

  it('an unreachable proxy is treated the same', async () => {
    const id = await due();
    const away = await connectProxy();
    await closeReceivers();
    await deliver(away.url);
    expect(await rowOf(id)).toMatchObject({ status: 'pending', attempt: 1, schedule_from: 1, error: 'internal' });
    expect(lines.join('')).toContain('ECONNREFUSED');
  });
});
