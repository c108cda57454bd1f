// Tests kill -9 of workers that deliver to three endpoints: nothing is lost, or sent too often (WH12).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listDeliveries } from '@countersign/shared/routes/deliveries';
import { createEndpoint } from '@countersign/shared/routes/webhook';
import { aSubmission, openProject, type OpenProject, review } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { expectInvariants } from '../../run-script.ts';
import { useTestEnvironment } from '../../test-environment.ts';
import { endDeliveryLeases } from './expire-leases.ts';

const testEnv = useTestEnvironment();
const ITEMS = 3;
let owner: Person;
let project: OpenProject;
/** The one of the settings, and two others. */
let receivers: [Receiver, Receiver, Receiver];

beforeAll(async () => {
  owner = await person(testEnv);
  receivers = [await startReceiver(), await startReceiver(), await startReceiver()];
  project = await openProject(owner, { receiver: receivers[0] });
  for (const receiver of receivers.slice(1)) await addEndpoint(receiver);
});

afterAll(() => Promise.all(receivers.map((receiver) => receiver.close())));

async function addEndpoint(receiver: Receiver): Promise<void> {
  const about = { url: receiver.url, description: '', is_enabled: true };
  const body = { ...about, events: ['item.decided' as const] };
  const { webhook_secret: secret } = await owner.call(createEndpoint, { params: { id: project.id }, body });
  receiver.trust(project.id, secret);
}

const statuses = async () => {
  const { data } = await owner.call(listDeliveries, { params: { id: project.id }, query: { limit: 100 } });
  return data.map(({ status }) => status).sort();
};
const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);

it('WH12: sends again what no answer was recorded for, once at each endpoint, and nothing that had arrived', async () => {
  const held = Promise.withResolvers<{ status: number }>();
  const [answers, ...holding] = receivers;
  for (const receiver of holding) receiver.answer = () => held.promise;
  for (let n = 0; n < ITEMS; n += 1) {
    const { id } = await project.pipeline.submit(aSubmission());
    await review(owner, id);
  }
  await expect.poll(() => receivers.map(({ arrivals }) => arrivals.length)).toEqual(times(3, ITEMS));
  await expect.poll(statuses).toEqual([...times(2 * ITEMS, 'sending'), ...times(ITEMS, 'succeeded')]);

  await testEnv.kill9();
  for (const receiver of holding) receiver.answer = () => ({ status: 204 });
  held.resolve({ status: 200 });
  await endDeliveryLeases(testEnv);
  await testEnv.restart();

  await expect.poll(statuses).toEqual(times(3 * ITEMS, 'succeeded'));
  expect(Object.values(answers.counts())).toEqual(times(ITEMS, 1));
  for (const receiver of holding) {
    expect(Object.keys(receiver.counts()).sort()).toEqual(Object.keys(answers.counts()).sort());
    const attempts = Map.groupBy(receiver.arrivals, ({ webhookId }) => webhookId);
    expect([...attempts.values()].map((its) => its.map(({ attempt }) => attempt))).toEqual(times(ITEMS, [1, 2]));
  }
  await expectInvariants(testEnv.env);
});
