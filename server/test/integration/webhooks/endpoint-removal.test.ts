// Tests the removal of a webhook endpoint while a worker leases and records its deliveries (WH12, AR2).
import { AsyncResource } from 'node:async_hooks';
import { beforeEach, expect, it } from 'vitest';
import { leaseDue, stillLeased, type Leased } from '../../../src/delivery/lease.ts';
import { createEndpoint, removeEndpoint } from '../../../src/usecases/webhooks/endpoints.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { anItem, createProjectFixture, review, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const ENDPOINT = { description: '', events: ['item.decided' as const], isEnabled: true, url: 'http://127.0.0.1:1024/' };
const CAPACITY = { limit: 128, retries: 85, posting: 0, inFlight: new Map<string, number>() };
/** Another request: it does not run inside the transaction of the test. */
const another = new AsyncResource('another');

let fixture: ProjectFixture;

beforeEach(async () => {
  await testEnv.sql('delete from attempt');
  await testEnv.sql('delete from delivery');
  fixture = await createProjectFixture(testEnv.services);
});

it('AR2: what was leased before a removal, and committed after it, is not sent', async () => {
  const { projectId, owner, anna } = fixture;
  const { endpointId } = await createEndpoint(testEnv.services, owner, { projectId, ...ENDPOINT });
  const { id } = await anItem(testEnv.services, fixture);
  await review(testEnv.services, anna, { itemId: id, action: 'approve' });
  await relayOnce(testEnv.services, testEnv.signals);
  let leased: Leased[] = [];
  await testEnv.services.db.write(async ({ em }) => {
    leased = await leaseDue(em, CAPACITY);
    await another.runInAsyncScope(() => removeEndpoint(testEnv.services, owner, { projectId, endpointId }));
  });
  expect(leased).toHaveLength(1);
  expect(await testEnv.services.db.read((em) => stillLeased(em, leased))).toEqual([]);
});
