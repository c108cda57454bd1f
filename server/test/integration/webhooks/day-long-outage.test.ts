// Tests a receiver that is down for a day, advancing the clock to each due time: it gets everything when it is back.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeReceivers, httpReceiver } from '../../fixtures/receivers.ts';
import { aDelivery, sendAll } from './pending-deliveries.ts';
import { anItem, createProjectFixture, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const DAY_SECONDS = 86_400;
const ITEMS = 12;
let fixture: ProjectFixture;
let answer = 503;
/** The ids that were answered with 200, in order of arrival. */
const taken: string[] = [];
let requests = 0;

beforeAll(async () => {
  const { port } = await httpReceiver((request, response) => {
    requests += 1;
    if (answer === 200) taken.push(String(request.headers['webhook-id']));
    request.resume().on('end', () => response.writeHead(answer).end());
  });
  fixture = await createProjectFixture(testEnv.services, { webhook_url: `http://127.0.0.1:${port}/` });
});
afterAll(closeReceivers);

/** Two deliveries of each item, the later ones due first, so that only the order per item can correct it. */
async function backlog(): Promise<void> {
  for (let n = 0; n < ITEMS; n += 1) {
    const { id: itemId } = await anItem(testEnv.services, fixture);
    for (const place of [1, 2])
      await aDelivery(testEnv, fixture, { itemId, webhookId: `evt_${n}_${place}`, ago: place });
  }
}

/** Advances time: everything pending is due this much sooner. */
async function pass(seconds: number): Promise<void> {
  await testEnv.sql('update delivery set next_attempt_at = next_attempt_at - make_interval(secs => ?)', [seconds]);
  await testEnv.sql('update webhook_endpoint set open_until = open_until - make_interval(secs => ?)', [seconds]);
}

/** Sends what is due; returns the seconds until more is due, null when nothing is. */
async function deliver(): Promise<number | null> {
  const at = await sendAll(testEnv.services);
  return at ? Math.max(0.01, (at.getTime() - Date.now()) / 1000) : null;
}

it('WH1, WH5: loses nothing, limits its attempts, and delivers everything in the order of each item', async () => {
  await backlog();
  let passed = 0;
  while (passed < DAY_SECONDS) {
    const wait = (await deliver()) ?? DAY_SECONDS - passed;
    await pass(wait);
    passed += wait;
  }
  // By its own schedule each delivery could have been tried seven times in a day; none ran out of attempts.
  expect(requests).toBeLessThanOrEqual(ITEMS * 2 * 7);
  expect(requests).toBeGreaterThan(10);
  const dead = await testEnv.sql(`select 1 from delivery where status <> 'pending'`);
  expect(dead).toEqual([]);

  answer = 200;
  for (let rounds = 0; rounds < 500 && taken.length < ITEMS * 2; rounds += 1) await pass((await deliver()) ?? 0);
  expect(new Set(taken).size).toBe(ITEMS * 2);
  expect(taken).toHaveLength(ITEMS * 2);
  for (let n = 0; n < ITEMS; n += 1) {
    expect(taken.indexOf(`evt_${n}_1`), `item ${n}`).toBeLessThan(taken.indexOf(`evt_${n}_2`));
  }
  const open = await testEnv.sql(`select 1 from delivery where status <> 'succeeded'`);
  expect(open).toEqual([]);
});
