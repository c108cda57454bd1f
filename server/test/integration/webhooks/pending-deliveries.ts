// Creates deliveries as the relay would, without the decision before each, and a worker that sends what is due.
import { createDeliverer } from '../../../src/delivery/deliver.ts';
import { anItem, type ProjectFixture } from '../support/project-fixture.ts';
import { type ServicesEnvironment, POLICY } from '../support/test-services.ts';

interface Given {
  /** Of this item; otherwise of a new one. */
  itemId?: string;
  webhookId?: string;
  /** How many attempts it has had. */
  attempt?: number;
  /** For how many seconds it has been due, below 0 when it is not yet; otherwise for most of an hour, in order of creation. */
  ago?: number;
}

let made = 0;

/** Creates one delivery in the project, by the database's clock and after all earlier ones; returns its id. */
export async function aDelivery(testEnv: ServicesEnvironment, of: ProjectFixture, given: Given = {}): Promise<string> {
  const { itemId = (await anItem(testEnv.services, of)).id } = given;
  return deliveryOf(testEnv, { projectId: of.projectId, itemId }, given);
}

/** The same for an existing item. */
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
    // The column has milliseconds, and would round now to the future.
    [id, projectId, itemId, webhookId, made, attempt, ago + 0.001],
  );
  return id;
}

/** Creates this many of them, each of a separate item, due in order of creation. */
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
 * Makes this delivery due, or all pending ones, by the database's clock, which no test moves. A moment ago: the column has
 * milliseconds, and rounds now to the future.
 */
export const makeDue = (testEnv: ServicesEnvironment, id: string | null = null): Promise<unknown> =>
  testEnv.sql(
    `update delivery set next_attempt_at = now() - interval '1 s' where status = 'pending' and id = coalesce(?::uuid, id)`,
    [id],
  );

/** Runs one worker until nothing more can be sent now; returns when more is due. */
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
