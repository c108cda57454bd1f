// Tests SIGTERM: running work is finished, no new work starts, exit within 20 s (docs/spec/commands.md#stopping).
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listDeliveries } from '@countersign/shared/routes/deliveries';
import { readSession } from '@countersign/shared/routes/session';
import { aSubmission, openProject, type OpenProject, review } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { connectLive } from '../../live-client.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { WITH_REDIS, useTestEnvironment } from '../../test-environment.ts';
import { type RawSocket, rawSocket } from './raw-socket.ts';

const testEnv = useTestEnvironment();
/**
 * In ms, longer than an idle process needs to exit. On a slow machine the test may miss a fault, but never reports a false one.
 */
const LINGER_MS = 1000;
let owner: Person;
let receiver: Receiver;
let project: OpenProject;
let silent: RawSocket | undefined;

beforeAll(async () => {
  owner = await person(testEnv);
  receiver = await startReceiver();
  project = await openProject(owner, { receiver });
});
afterEach(() => silent?.close());
afterAll(() => receiver.close());

describe('a process that gets SIGTERM', () => {
  it('waits for the webhook under way, and records its result', async () => {
    const live = await connectLive(owner);
    const held = Promise.withResolvers<{ status: number }>();
    receiver.answer = () => held.promise;
    const { id } = await project.pipeline.submit(aSubmission());
    await review(owner, id);
    const { webhookId } = await receiver.next(id);
    // Any process may be the one that sends it.
    const ended = Promise.all(testEnv.urls.map((_, process) => testEnv.terminate(process)));
    expect(await live.closed()).toBe('io server disconnect');
    expect(await Promise.race([ended, delay(LINGER_MS, 'still there')])).toBe('still there');
    held.resolve({ status: 200 });
    await ended;
    await testEnv.restart();
    const { data } = await owner.call(listDeliveries, { params: { id: project.id } });
    expect(data).toMatchObject([{ webhook_id: webhookId, status: 'succeeded', attempt: 1 }]);
    expect(receiver.counts()).toEqual({ [webhookId]: 1 });
    live.close();
  });

  it.runIf(WITH_REDIS)('closes its own sockets, and leaves those of the others alone', async () => {
    const [here, there] = [await connectLive(owner), await connectLive(owner, { process: 1 })];
    await testEnv.terminate(0);
    expect(await here.closed()).toBe('io server disconnect');
    const { id } = await project.pipeline.submit(aSubmission(), { process: 1 });
    await there.next('item.queued', (event) => event.item_id === id);
    expect(there.isOpen()).toBe(true);
    await testEnv.restart();
    here.close();
    there.close();
  });

  it('does not wait for a socket that never answers the close frame', async () => {
    silent = await rawSocket(owner);
    await silent.join();
    // Without an answer, the WebSocket library would wait for 30 s, longer than a process has to stop.
    await testEnv.terminate(0);
    await testEnv.restart();
    await owner.call(readSession);
  });
});
