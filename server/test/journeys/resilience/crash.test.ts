// Tests kill -9 at critical moments: what was acknowledged persists, webhooks keep id and bytes, figures agree (I9).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listDeliveries } from '@countersign/shared/routes/deliveries';
import { claimItem, decideItem, listQueue, readHistory } from '@countersign/shared/routes/queue';
import { aSubmission, openProject, type OpenProject, review } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { connectLive } from '../../live-client.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { expectInvariants, runScript } from '../../run-script.ts';
import { scaled } from '../../soak.ts';
import { WITH_REDIS, useTestEnvironment } from '../../test-environment.ts';
import { endDeliveryLeases } from './expire-leases.ts';

const testEnv = useTestEnvironment();
/** Each round kills in the same way: a soak finds rare failures. */
const ROUNDS = Array.from({ length: scaled(1, 10) }, (_, n) => n + 1);
let owner: Person;
let receiver: Receiver;
let project: OpenProject;

beforeAll(async () => {
  owner = await person(testEnv);
  receiver = await startReceiver();
  project = await openProject(owner, { receiver });
});

afterAll(() => receiver.close());

/** Kills every process at once and restarts it; the leases of their deliveries end. */
async function crash(): Promise<void> {
  await testEnv.kill9();
  await endDeliveryLeases(testEnv);
  await testEnv.restart();
}

/** Waits until the delivery log says that the item's webhook has succeeded. */
async function delivered(itemId: string): Promise<void> {
  const succeeded = async () => {
    const { data } = await owner.call(listDeliveries, { params: { id: project.id } });
    return data.filter((delivery) => delivery.item_id === itemId).map(({ status }) => status);
  };
  await expect.poll(succeeded, { interval: 50 }).toEqual(['succeeded']);
}

/** The one webhook-id of the item; the receiver has compared the bytes of repeats. */
function webhookIdsOf(itemId: string): string[] {
  return [
    ...new Set(receiver.arrivals.filter(({ event }) => event.item_id === itemId).map(({ webhookId }) => webhookId)),
  ];
}

describe('kill -9', () => {
  it.each(ROUNDS)(
    'right after a 201 and a decision: both persist, and the webhook arrives (I2, I5), round %i',
    async (round) => {
      const open = await project.pipeline.submit(aSubmission());
      const { fence } = await owner.call(claimItem, { params: { id: open.id } });
      const body = JSON.stringify({ project_id: project.id, ...aSubmission() });
      const idempotencyKey = `crash-${round}`;
      const decide = {
        params: { id: open.id },
        body: { fence, action: 'edit' as const, output: round, reason: 'Other' },
      };
      const [answer, decided] = await Promise.all([
        project.pipeline.submitRaw(body, { idempotencyKey }),
        owner.call(decideItem, decide, { process: 1 }),
      ]);
      await crash();
      const id = answer.ok ? answer.reply.id : '';
      expect(await project.pipeline.read(id)).toMatchObject({ id, status: 'queued' });
      const again = await project.pipeline.submitRaw(body, { idempotencyKey, process: 1 });
      expect(again).toMatchObject({ status: 201, reply: { id } });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      // Its event is in the event log too, and gets its sequence number there.
      await expect
        .poll(async () =>
          (await owner.call(readHistory, { params: { id } })).data.map((domainEvent) => domainEvent.type),
        )
        .toEqual(['item.queued']);

      const { event } = await receiver.next(open.id);
      expect(event.decision).toEqual(decided.decision);
      await delivered(open.id);
      expect(webhookIdsOf(open.id)).toHaveLength(1);
      expect(await project.pipeline.read(open.id)).toMatchObject({ status: 'approved', decision: decided.decision });
    },
  );

  it('in the middle of many submissions leaves each of them once or not at all (I2)', async () => {
    const own = await openProject(owner);
    const bodies = Array.from({ length: 40 }, () => JSON.stringify({ project_id: own.id, ...aSubmission() }));
    const send = (body: string, n: number) =>
      own.pipeline.submitRaw(body, { idempotencyKey: `burst-${n}`, process: n });
    const answered: string[] = [];
    const burst = bodies.map((body, n) =>
      send(body, n).then(
        (answer) => answer.ok && answered.push(answer.reply.id),
        // A connection cut by the crash: the retry finds out whether the item exists.
        () => undefined,
      ),
    );
    await Promise.race(burst);
    await testEnv.kill9();
    await Promise.all(burst);
    await testEnv.restart();
    const again = await Promise.all(bodies.map(send));
    const ids = again.map((answer) => (answer.ok ? answer.reply.id : answer.problem.code));
    expect(new Set(ids).size).toBe(bodies.length);
    expect(ids).toEqual(expect.arrayContaining(answered));
    const { counts } = await owner.call(listQueue, { query: { project_id: own.id } });
    expect(counts.all).toBe(bodies.length);
  });

  it('while the receiver holds the request: it is sent again after the lease, same id, next attempt (I5)', async () => {
    const held = Promise.withResolvers<{ status: number }>();
    receiver.answer = () => held.promise;
    const { id } = await project.pipeline.submit(aSubmission());
    await review(owner, id, 'reject');
    const first = await receiver.next(id);
    await testEnv.kill9();
    receiver.answer = () => ({ status: 204 });
    held.resolve({ status: 200 });
    await endDeliveryLeases(testEnv);
    await testEnv.restart();
    const second = await receiver.next(id);
    expect(second).toMatchObject({ webhookId: first.webhookId, body: first.body, attempt: first.attempt + 1 });
    await delivered(id);
    expect(receiver.counts()[first.webhookId]).toBe(2);
  });

  it('leaves sessions, claims and their fences unchanged: the holder continues', async () => {
    const { id } = await project.pipeline.submit(aSubmission());
    const { fence } = await owner.call(claimItem, { params: { id } });
    await crash();
    const live = await connectLive(owner);
    await owner.call(decideItem, { params: { id }, body: { fence, action: 'approve' } });
    await live.next('item.finalized', (domainEvent) => domainEvent.item_id === id);
    await receiver.next(id);
    live.close();
  });
});

describe('kill -9 of one process of two', () => {
  it.runIf(WITH_REDIS)('does not affect the users of the other one', async () => {
    const live = await connectLive(owner, { process: 1 });
    for (const round of ROUNDS) {
      const { id } = await project.pipeline.submit(aSubmission(), { process: 0 });
      await testEnv.kill9(0);
      await live.next('item.queued', (domainEvent) => domainEvent.item_id === id);
      await review(owner, id, 'approve', { process: 1 });
      const { event } = await receiver.next(id);
      expect(event.item_id, `round ${round}`).toBe(id);
      await testEnv.restart(0);
    }
    live.close();
  });
});

describe('the database after all of it', () => {
  beforeAll(async () => {
    await crash();
  });

  it('I9: npm run rollups -- check finds every figure equal to the event log', async () => {
    const said = await runScript('rollups.ts', testEnv.env, 'check');
    expect(said).toContain(project.id);
    expect(said.match(/all equal/g), said).toHaveLength(said.trim().split('\n').length);
  });

  it('I1, I2, I3, I4, I5, I6, I7: npm run invariants finds all of them satisfied', () => expectInvariants(testEnv.env));
});
