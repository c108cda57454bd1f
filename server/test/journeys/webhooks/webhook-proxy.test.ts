// Tests a server with WEBHOOK_PROXY_URL: everything it sends goes through that proxy, and the receiver cannot tell.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testWebhook } from '@countersign/shared/routes/webhook';
import { aSubmission, openProject, type OpenProject, review } from '../../builders.ts';
import { person } from '../../client.ts';
import { type ConnectProxy, connectProxy } from '../../fixtures/connect-proxy.ts';
import { closeReceivers } from '../../fixtures/receivers.ts';
import { logWatch } from '../../log-watch.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { startTestEnvironment, type TestEnvironment } from '../../test-environment.ts';

const PASSWORD = 'open-sesame-and-no-one-else';
const CREDENTIALS = `Basic ${Buffer.from(`countersign:${PASSWORD}`).toString('base64')}`;
let proxy: ConnectProxy;
let testEnv: TestEnvironment | undefined;
let receiver: Receiver;
let project: OpenProject;
/** While true, the proxy refuses every connection. */
let shut = false;

beforeAll(async () => {
  proxy = await connectProxy(() => shut && 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  logWatch.secret('the password of the proxy', PASSWORD);
  const WEBHOOK_PROXY_URL = proxy.url.replace('//', `//countersign:${PASSWORD}@`);
  testEnv = await startTestEnvironment({ processes: 1, env: { WEBHOOK_PROXY_URL } });
  receiver = await startReceiver();
  project = await openProject(await person(testEnv), { receiver });
});
afterAll(async () => {
  await testEnv?.stop();
  await receiver.close();
  await closeReceivers();
});

it('W5: test events and deliveries go through it, signed as usual', async () => {
  const asked = { target: new URL(receiver.url).host, credentials: CREDENTIALS };
  const params = { params: { id: project.id } };
  const tried = await project.owner.call(testWebhook, params);
  expect(tried).toMatchObject({ ok: true, http_status: 200, error: null });
  await receiver.nextTest();
  expect(proxy.asked).toEqual([asked]);
  const { id } = await project.pipeline.submit(aSubmission());
  await review(project.owner, id);
  expect(await receiver.next(id)).toMatchObject({ attempt: 1 });
  expect(proxy.asked).toEqual([asked, asked]);
});

it('WH7: an owner who tests during an outage reads that the fault is ours, and nothing of the proxy', async () => {
  shut = true;
  const tried = await project.owner.call(testWebhook, { params: { id: project.id } });
  expect(tried).toMatchObject({ ok: false, http_status: null, error: 'internal', response_text: null });
  // Times, ids and ports may contain any digits.
  const words = JSON.stringify(tried, (_, value: unknown) => (typeof value === 'number' ? 0 : value));
  expect(words).not.toMatch(/prox|\b407\b/i);
  await expect.poll(() => testEnv?.log()).toContain('responded with 407');
});
