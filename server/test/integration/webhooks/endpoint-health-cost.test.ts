// Tests the cost of an endpoint's health (WH10), however many deliveries wait for it or go to other endpoints.
import { beforeEach, expect, it } from 'vitest';
import { NEWEST_ARRIVED } from '../../../src/db/endpoint-health.ts';
import { createEndpoint } from '../../../src/usecases/webhooks/endpoints.ts';
import { aDelivery } from './pending-deliveries.ts';
import { createProjectFixture, type ProjectFixture } from '../support/project-fixture.ts';
import { nodesOf, planOf, rowsVisited } from '../support/query-plan.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const URL = 'http://127.0.0.1:1024/';
const MANY = 20_000;
let fixture: ProjectFixture;

beforeEach(async () => {
  fixture = await createProjectFixture(testEnv.services, { webhook_url: URL });
});

/** Copies a delivery this often, each copy newer than the one before. */
async function many(deliveryId: string, endpointId: string | null, columns: string): Promise<void> {
  await testEnv.sql(
    `insert into delivery (id, project_id, endpoint_id, item_id, webhook_id, seq, body, status, attempt, created_at)
     select gen_random_uuid(), project_id, ?::uuid, item_id, webhook_id || '-' || n, seq, body, ${columns}, created_at + n * interval '1 ms'
     from delivery, generate_series(1, ${MANY}) n where id = ?`,
    [endpointId, deliveryId],
  );
  await testEnv.sql('vacuum analyze delivery');
}

async function expectFewRows(): Promise<void> {
  const text = `select ${NEWEST_ARRIVED} as arrived from webhook_endpoint e where e.id = $1`;
  const plan = await planOf(testEnv, text, [fixture.projectId]);
  for (const node of nodesOf(plan)) expect(rowsVisited(node)).toBeLessThanOrEqual(10);
}

it('WH10: reads nothing of what waits for a first attempt', async () => {
  const id = await aDelivery(testEnv, fixture);
  await testEnv.sql(`update delivery set status = 'succeeded', attempt = 1 where id = ?`, [id]);
  await many(id, null, `'pending', 0`);
  await expectFewRows();
});

it('WH10: reads nothing of other endpoints of the project', async () => {
  const fields = { url: URL, description: '', events: ['item.decided' as const], isEnabled: true };
  const other = { projectId: fixture.projectId, ...fields };
  const { endpointId } = await createEndpoint(testEnv.services, fixture.owner, other);
  await many(await aDelivery(testEnv, fixture), endpointId, `'succeeded', 1`);
  await expectFewRows();
});
