// Creates delivered and dead deliveries over a real receiver whose responses the test sets.
import { afterEach, beforeEach, expect } from 'vitest';
import { SCHEDULE_SECONDS } from '../../../src/domain/webhooks/retry.ts';
import { createDeliverer } from '../../../src/delivery/deliver.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { closeReceivers, httpReceiver } from '../../fixtures/receivers.ts';
import { anItem, createProjectFixture, review, type ProjectFixture } from '../support/project-fixture.ts';
import { POLICY, useServices } from '../support/test-services.ts';

export interface Got {
  id: string | undefined;
  attempt: string | undefined;
  body: string;
}

/** A project and a receiver at its URL, new for each test. */
export function useReplayFixture() {
  const testEnv = useServices();
  const now = { fixture: undefined as unknown as ProjectFixture, got: [] as Got[], answers: [] as number[], says: '' };

  beforeEach(async () => {
    now.got = [];
    now.answers = [];
    now.says = 'hello';
    const { port } = await httpReceiver((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const header = (name: string) => request.headers[name] as string | undefined;
        now.got.push({ id: header('webhook-id'), attempt: header('x-webhook-attempt'), body });
        response.writeHead(now.answers.shift() ?? 200).end(now.says);
      });
    });
    now.fixture = await createProjectFixture(testEnv.services, { webhook_url: `http://127.0.0.1:${port}/` });
  });
  afterEach(() => closeReceivers());

  /** A decided item with its delivery. */
  const decided = async (): Promise<string> => {
    const { id } = await anItem(testEnv.services, now.fixture);
    await review(testEnv.services, now.fixture.anna, { itemId: id, action: 'approve' });
    await relayOnce(testEnv.services, testEnv.signals);
    const [delivery] = await testEnv.sql<{ id: string }>('select id from delivery where item_id = ?', [id]);
    return delivery?.id ?? '';
  };

  /** Sends everything that is due and waits for it. */
  const deliver = async (): Promise<void> => {
    const deliverer = createDeliverer(testEnv.services, POLICY);
    while ((await deliverer.runOnce()).again) await deliverer.drain();
  };

  const statusOf = async (id: string) =>
    (await testEnv.sql<{ status: string }>('select status from delivery where id = ?', [id]))[0]?.status;

  /** A delivery that used up every attempt of its schedule. */
  const dead = async (): Promise<string> => {
    const id = await decided();
    await testEnv.sql(`update delivery set attempt = ? where id = ?`, [SCHEDULE_SECONDS.length - 1, id]);
    now.answers = [500];
    await deliver();
    expect(await statusOf(id)).toBe('dead');
    return id;
  };

  return { testEnv, now, decided, deliver, statusOf, dead };
}
