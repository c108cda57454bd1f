// Deliveries that were sent, or that died, over a real receiver whose answers the test says.
import { afterEach, beforeEach, expect } from 'vitest';
import { SCHEDULE_SECONDS } from '../../src/domain/retry.ts';
import { createDeliverer } from '../../src/worker/deliver.ts';
import { relayOnce } from '../../src/worker/relay.ts';
import { closeReceivers, httpReceiver } from '../fixtures/receivers.ts';
import { anItem, aScene, review, type Scene } from './scene.ts';
import { POLICY, useServices } from './services.ts';

export interface Got {
  id: string | undefined;
  attempt: string | undefined;
  body: string;
}

/** A scene, and a receiver at its URL, anew for each test. */
export function useReplaying() {
  const world = useServices();
  const now = { scene: undefined as unknown as Scene, got: [] as Got[], answers: [] as number[], says: '' };

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
    now.scene = await aScene(world.services, { webhook_url: `http://127.0.0.1:${port}/` });
  });
  afterEach(() => closeReceivers());

  /** A decided item, its delivery written. */
  const decided = async (): Promise<string> => {
    const { id } = await anItem(world.services, now.scene);
    await review(world.services, now.scene.anna, { itemId: id, action: 'approve' });
    await relayOnce(world.services, world.signals);
    const [delivery] = await world.sql<{ id: string }>('select id from delivery where item_id = ?', [id]);
    return delivery?.id ?? '';
  };

  /** Sends everything that is due and waits for it. */
  const deliver = async (): Promise<void> => {
    const deliverer = createDeliverer(world.services, POLICY);
    while ((await deliverer.runOnce()).again) await deliverer.drain();
  };

  const statusOf = async (id: string) =>
    (await world.sql<{ status: string }>('select status from delivery where id = ?', [id]))[0]?.status;

  /** A delivery that every attempt of its schedule was spent on. */
  const dead = async (): Promise<string> => {
    const id = await decided();
    await world.sql(`update delivery set attempt = ? where id = ?`, [SCHEDULE_SECONDS.length - 1, id]);
    now.answers = [500];
    await deliver();
    expect(await statusOf(id)).toBe('dead');
    return id;
  };

  return { world, now, decided, deliver, statusOf, dead };
}
