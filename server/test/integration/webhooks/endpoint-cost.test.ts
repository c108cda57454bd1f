// Tests the cost of an endpoint's health (WH10) and of its dead deliveries (WH6) among many deliveries.
import { expect, it } from 'vitest';
import { deadUpTo } from '../../../src/db/dead-deliveries.ts';
import { NEWEST_ARRIVED } from '../../../src/db/endpoint-health.ts';
import { createEndpoint } from '../../../src/usecases/webhooks/endpoints.ts';
import { UNSEEN_ALERTS } from '../../../src/usecases/webhooks/list-alerts.ts';
import { seeAlert } from '../../../src/usecases/webhooks/see-alert.ts';
import { aDelivery } from './pending-deliveries.ts';
import { useProjectFixture } from '../support/project-fixture.ts';
import { nodesOf, planOf, rowsVisited } from '../support/query-plan.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const URL = 'http://127.0.0.1:1024/';
const MANY = 20_000;
const fixture = useProjectFixture(testEnv, { webhook_url: URL });

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

const HEALTH = `${NEWEST_ARRIVED} as arrived`;
const DEAD = `${deadUpTo('e.id', 1)} > 0 as has_dead, ${deadUpTo('e.id', 5)} as dead`;

async function expectFewRows(values: string): Promise<void> {
  const plan = await planOf(testEnv, `select ${values} from webhook_endpoint e where e.id = $1`, [fixture.projectId]);
  for (const node of nodesOf(plan)) expect(rowsVisited(node)).toBeLessThanOrEqual(10);
}

/** One more endpoint of the project. */
async function anotherEndpoint(): Promise<string> {
  const fields = { url: URL, description: '', events: ['item.decided' as const], isEnabled: true };
  const other = { projectId: fixture.projectId, ...fields };
  return (await createEndpoint(testEnv.services, fixture.owner, other)).endpointId;
}

it('WH10: reads nothing of what waits for a first attempt', async () => {
  const id = await aDelivery(testEnv, fixture);
  await testEnv.sql(`update delivery set status = 'succeeded', attempt = 1 where id = ?`, [id]);
  await many(id, null, `'pending', 0`);
  await expectFewRows(HEALTH);
});

it('WH10: reads nothing of other endpoints of the project', async () => {
  await many(await aDelivery(testEnv, fixture), await anotherEndpoint(), `'succeeded', 1`);
  await expectFewRows(HEALTH);
});

it('WH6: reads no dead delivery to other endpoints of the project', async () => {
  await many(await aDelivery(testEnv, fixture), await anotherEndpoint(), `'dead', 10`);
  await expectFewRows(DEAD);
});

it('WH6: reads no more dead deliveries than it counts', async () => {
  await many(await aDelivery(testEnv, fixture), null, `'dead', 10`);
  await expectFewRows(DEAD);
});

it('WH6: reads no alert that the owner has seen, and the latest of another endpoint alone', async () => {
  const { projectId, owner } = fixture;
  const paused = await anotherEndpoint();
  await testEnv.sql(`update webhook_endpoint set state = 'paused' where id = ?`, [paused]);
  await testEnv.sql(`update member set created_at = now() - interval '1 year' where user_id = ?`, [owner.userId]);
  await testEnv.sql(
    `insert into webhook_alert (id, project_id, endpoint_id, kind, attempts, created_at)
     select gen_random_uuid(), ?, endpoint_id, 'paused', 1, now() + n * interval '1 minute' + days
     from generate_series(1, 2000) n, (values (null, -interval '10 days'), (?::uuid, -interval '5 days')) e (endpoint_id, days)`,
    [projectId, paused],
  );
  const [newest] = await testEnv.sql<{ id: string }>(
    'select id from webhook_alert where project_id = ? and endpoint_id is null order by created_at desc limit 1',
    [projectId],
  );
  await seeAlert(testEnv.services, owner, { projectId, alertId: newest?.id ?? '' });
  await testEnv.sql('vacuum analyze webhook_alert');
  const plan = await planOf(testEnv, UNSEEN_ALERTS.replace('?', '$1').replace('?', '$2'), [owner.userId, '{owner}']);
  expect(plan['Actual Rows']).toBe(1);
  for (const node of nodesOf(plan)) expect(rowsVisited(node)).toBeLessThanOrEqual(10);
});
