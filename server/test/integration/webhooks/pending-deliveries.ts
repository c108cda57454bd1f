// Deliveries as the relay would have left them, without the decision before each, and a worker that sends what is due.
import { createDeliverer } from '../../../src/worker/deliveries/deliver.ts';
import { anItem, type ProjectFixture } from '../support/project-fixture.ts';
import { type ServicesEnvironment, POLICY } from '../support/test-services.ts';

interface Given {
  /** Of this item; else of one of its own. */
  itemId?: string;
  webhookId?: string;
  /** How many attempts are behind it. */
  attempt?: number;
  /** For how many seconds it has been due, below 0 when it is not yet; else for most of an hour, in the order they are made. */
  ago?: number;
}

let made = 0;

/** One delivery of the scene, by the database's clock and after all that were made before; answers its id. */
export async function aDelivery(testEnv: ServicesEnvironment, of: ProjectFixture, given: Given = {}): Promise<string> {
  const { itemId = (await anItem(testEnv.services, of)).id } = given;
  return deliveryOf(testEnv, { projectId: of.projectId, itemId }, given);
}

/** The same of an item that is there. */
export async function deliveryOf(
  testEnv: ServicesEnvironment,
  { projectId, itemId }: { projectId: string; itemId: string },
  given: Omit<Given, 'itemId'> = {},
): Promise<string> {
  const id = testEnv.services.ids.uuid();
  made += 1;
  const { webhookId = `evt_${id}`, attempt = 0, ago = 3600 - made } = given;
  await testEnv.sql(
    `insert into delivery (id, project_id, item_id, webhook_id, seq, body, status, attempt, next_attempt_at, created_at)
     values (?, ?, ?, ?, ?, '{}', 'pending', ?, now() - make_interval(secs => ?), now())`,
    // The column has milliseconds, and would round what is now to what is not yet.
    [id, projectId, itemId, webhookId, made, attempt, ago + 0.001],
  );
  return id;
}

/** So many of them, each of an item of its own, due in the order they are made. */
export async function deliveriesOf(
  testEnv: ServicesEnvironment,
  of: ProjectFixture,
  { count, ...given }: Pick<Given, 'attempt'> & { count: number },
): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await aDelivery(testEnv, of, given));
  return ids;
}

/**
 * Makes this delivery due, or all that wait, by the database's clock, which no test moves. A moment ago: the column has milliseconds, and
 * rounds what is now to what is not yet.
 */
export const makeDue = (testEnv: ServicesEnvironment, id: string | null = null): Promise<unknown> =>
  testEnv.sql(
    `update delivery set next_attempt_at = now() - interval '1 s' where status = 'pending' and id = coalesce(?::uuid, id)`,
    [id],
  );

/** One worker, until nothing more can be sent now; answers when there is more to do. */
export async function sendAll(
  services: ServicesEnvironment['services'],
  egress: Parameters<typeof createDeliverer>[1] = POLICY,
): Promise<Date | null> {
  const deliverer = createDeliverer(services, egress);
  for (;;) {
    const next = await deliverer.runOnce();
    await deliverer.drain();
    if (!next.again) return next.at ?? null;
  }
}
