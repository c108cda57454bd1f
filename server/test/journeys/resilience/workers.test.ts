// Tests separate worker processes: killed, frozen, and with a backlog. Nothing is lost, and no project is delayed.
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDelivery, listDeliveries } from '@countersign/shared/routes/deliveries';
import { aSubmission, openProject, type OpenProject, review } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { scaled } from '../../soak.ts';
import { WITH_REDIS, useTestEnvironment, type TestEnvironment } from '../../test-environment.ts';
import { endOldLeases } from './expire-leases.ts';

/** In the short round each of the three dies once. */
const KILLS = scaled(3, 30);
/** Webhooks between one kill and the next: about a second's worth. */
const ITEMS_BETWEEN_KILLS = 20;
/** Responses that the receiver holds back, so that something is always in flight. */
const HELD_RESPONSES = 3;
const WORKERS = [1, 2, 3];

/** A decided item of the project. */
async function decided(project: OpenProject): Promise<string> {
  const { id } = await project.pipeline.submit(aSubmission());
  await review(project.owner, id);
  return id;
}

/** How many deliveries are in each state. */
async function states(testEnv: TestEnvironment): Promise<Record<string, number>> {
  const rows = await testEnv.sql<{ status: string; n: string }>(
    'select status, count(*) as n from delivery group by 1',
  );
  return Object.fromEntries(rows.map(({ status, n }) => [status, Number(n)]));
}

describe.runIf(WITH_REDIS)('three workers', () => {
  const testEnv = useTestEnvironment({ roles: ['web', 'worker', 'worker', 'worker'] });
  let receiver: Receiver;
  let project: OpenProject;

  beforeAll(async () => {
    receiver = await startReceiver();
    project = await openProject(await person(testEnv), { receiver });
  });
  afterAll(() => receiver.close());

  it(
    `one killed with -9 repeatedly, ${KILLS} times under load: loses nothing, and repeats at most what was in flight (I5)`,
    async () => {
      const heldResponses: (() => void)[] = [];
      let over = false;
      receiver.answer = () => {
        const { promise, resolve } = Promise.withResolvers<{ status: number }>();
        heldResponses.push(() => resolve({ status: 200 }));
        while (heldResponses.length > (over ? 0 : HELD_RESPONSES)) heldResponses.shift()?.();
        return promise;
      };
      const made: string[] = [];
      const load = (async () => {
        while (!over) made.push(...(await Promise.all([decided(project), decided(project), decided(project)])));
      })();
      let inFlight = 0;
      for (let kill = 0; kill < KILLS; kill += 1) {
        const worker = WORKERS[kill % WORKERS.length] ?? 1;
        const due = receiver.arrivals.length + ITEMS_BETWEEN_KILLS;
        await expect
          .poll(() => receiver.arrivals.length, { timeout: 60_000, interval: 20 })
          .toBeGreaterThanOrEqual(due);
        await testEnv.kill9(worker);
        inFlight += (await states(testEnv)).sending ?? 0;
        await testEnv.restart(worker);
        await endOldLeases(testEnv);
      }
      over = true;
      await load;
      heldResponses.splice(0).forEach((answer) => answer());
      // Not until none is left: the delivery of the last decision may not have been made yet.
      const succeeded = async () => {
        await endOldLeases(testEnv);
        return (await states(testEnv)).succeeded;
      };
      await expect.poll(succeeded, { timeout: 60_000, interval: 200 }).toBe(made.length);
      expect(await states(testEnv)).toEqual({ succeeded: made.length });
      // The receiver has compared the bytes of every repeat, and each signature.
      const counts = Object.values(receiver.counts());
      expect(counts).toHaveLength(made.length);
      const repeats = counts.reduce((sum, n) => sum + n - 1, 0);
      expect(repeats).toBeLessThanOrEqual(inFlight);
    },
    (KILLS * 10 + 120) * 1000,
  );

  it('one stopped past its lease, and resumed: its late result changes nothing (I5)', async () => {
    await testEnv.terminate(2);
    await testEnv.terminate(3);
    const held = Promise.withResolvers<{ status: number }>();
    receiver.answer = ({ attempt }) => (attempt === 1 ? held.promise : { status: 204 });
    const id = await decided(project);
    const first = await receiver.next(id);
    testEnv.freeze(1);
    await testEnv.restart(2);
    await testEnv.sql(`update delivery set lease_until = now() - interval '1 second' where status = 'sending'`);
    const second = await receiver.next(id);
    expect(second).toMatchObject({ webhookId: first.webhookId, body: first.body, attempt: 2 });
    const whole = async () => {
      const { data } = await project.owner.call(listDeliveries, { params: { id: project.id } });
      const delivery = data.find(({ item_id }) => item_id === id);
      return project.owner.call(readDelivery, { params: { id: delivery?.id ?? '' } });
    };
    await expect.poll(async () => (await whole()).status).toBe('succeeded');
    testEnv.thaw(1);
    // The late response says that it failed: it must not undo the success.
    held.resolve({ status: 500 });
    const errors = async () => (await whole()).attempts.map(({ n, error }) => [n, error]);
    await expect.poll(errors).toEqual([
      [2, null],
      [1, 'lease_lost'],
    ]);
    expect(await whole()).toMatchObject({ status: 'succeeded', attempt: 2, http_status: 204 });
  });
});

/** Accepts connections and never responds. */
async function blackHole(): Promise<{ server: Server; url: string }> {
  const server = createServer((socket) => void socket.on('error', () => undefined));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** This many due deliveries of the project, each of a separate item, all copied from one. */
async function backlog(testEnv: TestEnvironment, project: OpenProject, count: number): Promise<void> {
  const itemId = (await project.pipeline.submit(aSubmission())).id;
  const columns = await testEnv.sql<{ column_name: string }>(
    `select column_name from information_schema.columns where table_name = 'item' and column_name <> 'id'
     and is_generated = 'NEVER' and is_identity = 'NO'`,
  );
  const names = columns.map(({ column_name }) => `"${column_name}"`).join(', ');
  await testEnv.sql(
    `with copies as (
       insert into item (id, ${names}) select gen_random_uuid(), ${names} from item, generate_series(1, ${count}) where id = $1 returning id, project_id)
     insert into delivery (id, project_id, item_id, webhook_id, seq, body, status, attempt, next_attempt_at, created_at)
     select gen_random_uuid(), project_id, id, 'evt_' || id, 1, '{}', 'pending', 0, now() - interval '1 minute', now() from copies`,
    [itemId],
  );
}

describe.runIf(WITH_REDIS)('10 000 due deliveries to one dead endpoint', () => {
  const testEnv = useTestEnvironment({ processes: 1 });
  let receiver: Receiver;
  let owner: Person;
  let project: OpenProject;
  let hole: Awaited<ReturnType<typeof blackHole>>;

  beforeAll(async () => {
    owner = await person(testEnv);
    receiver = await startReceiver();
    project = await openProject(owner, { receiver });
    hole = await blackHole();
  });
  afterAll(async () => {
    hole.server.close();
    await receiver.close();
  });

  it.each(['that never answers', 'where nobody listens'])(
    '%s do not delay another project’s first attempt (WH5)',
    async (kind) => {
      const webhook_url = kind === 'that never answers' ? hole.url : 'http://127.0.0.1:9/';
      const dead = await openProject(owner, { settings: { webhook_url: webhook_url.replace(':9/', ':1025/') } });
      await backlog(testEnv, dead, 10_000);
      for (let n = 0; n < 40; n += 1) {
        const { id } = await project.pipeline.submit(aSubmission());
        await review(owner, id);
        await receiver.next(id);
      }
      const [{ tried = '' } = {}] = await testEnv.sql<{ tried: string }>(
        'select sum(attempt) as tried from delivery where project_id = $1',
        [dead.id],
      );
      // The dead endpoint was tried, and its circuit opened: later deliveries did not wait for its ten thousand.
      expect(Number(tried)).toBeGreaterThan(0);
      expect(Number(tried)).toBeLessThan(100);
    },
    240_000,
  );
});
