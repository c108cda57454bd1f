// Tests the details of one delivery: request and response as they were, without the signatures (W6).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { presentDelivery, presentDeliveryDetail } from '../../../src/presenters/delivery.ts';
import { NO_EXTRAS } from '../../../src/usecases/webhooks/delivery-extras.ts';
import { listDeliveries } from '../../../src/usecases/webhooks/list-deliveries.ts';
import { readDelivery } from '../../../src/usecases/webhooks/read-delivery.ts';
import { replayDelivery } from '../../../src/usecases/webhooks/replay-deliveries.ts';
import { rotateWebhookSecret } from '../../../src/usecases/webhooks/rotate-webhook-secret.ts';
import { Item } from '../../../src/db/entities/item.ts';
import { createDeliverer } from '../../../src/delivery/deliver.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { closeReceivers, httpReceiver } from '../../fixtures/receivers.ts';
import { makeDue } from './pending-deliveries.ts';
import { anItem, createProjectFixture, review, type ProjectFixture } from '../support/project-fixture.ts';
import { POLICY, useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
/** The headers of each request, in the order they came. */
let got: Record<string, string>[];

beforeEach(async () => {
  got = [];
  const { port } = await httpReceiver((request, response) => {
    request.resume().on('end', () => {
      got.push(request.headers as Record<string, string>);
      const headers = {
        'content-type': 'text/plain',
        'set-cookie': 'a=secret',
        'retry-after': '7',
        server: '<b>\u0085',
      };
      response.writeHead(got.length === 1 ? 503 : 200, headers).end('busy');
    });
  });
  fixture = await createProjectFixture(testEnv.services, { webhook_url: `http://127.0.0.1:${port}/` });
});
afterEach(() => closeReceivers());

/** Sends everything that is due and waits for it. */
async function deliver(): Promise<void> {
  const deliverer = createDeliverer(testEnv.services, POLICY);
  while ((await deliverer.runOnce()).again) await deliverer.drain();
}

async function delivered(): Promise<string> {
  const { id: itemId } = await anItem(testEnv.services, fixture);
  await review(testEnv.services, fixture.anna, { itemId, action: 'approve' });
  await relayOnce(testEnv.services, testEnv.signals);
  await deliver();
  const [row] = await testEnv.sql<{ id: string }>('select id from delivery where item_id = ?', [itemId]);
  return row?.id ?? '';
}

const detailOf = async (id: string) =>
  presentDeliveryDetail(await readDelivery(testEnv.services, fixture.supervisor, id));

/** Headers that the connection adds. */
const OF_THE_CONNECTION = ['host', 'connection', 'content-length'];

describe('W6: an attempt', () => {
  it('shows the headers it was sent with, and no signature, also during a secret rotation', async () => {
    await rotateWebhookSecret(testEnv.services, fixture.owner, { projectId: fixture.projectId });
    const id = await delivered();
    await rotateWebhookSecret(testEnv.services, fixture.owner, { projectId: fixture.projectId });
    await makeDue(testEnv, id);
    await deliver();
    const detail = await detailOf(id);
    const shown = detail.attempts.map(({ request_headers }) => request_headers).reverse();
    expect(shown.map((headers) => 'x-webhook-signature-secondary' in headers)).toEqual([false, true]);
    for (const [index, headers] of shown.entries()) {
      const sent = Object.entries(got[index] ?? {}).filter(([name]) => !OF_THE_CONNECTION.includes(name));
      const isSignature = (name: string) => name.includes('signature');
      expect(sent.map(([name]) => name).sort()).toEqual(Object.keys(headers).sort());
      for (const [name, value] of sent.filter(([of]) => isSignature(of))) {
        expect(headers[name]).toContain('•');
        for (const signature of value.split(/[ ,]/))
          if (signature !== 'v1') expect(JSON.stringify(detail)).not.toContain(signature);
      }
      const plain = sent.filter(([name]) => !isSignature(name));
      expect(plain.map(([name]) => [name, headers[name]])).toEqual(plain);
    }
  });

  it('keeps a few headers of the response, as inert text', async () => {
    const { attempts } = await detailOf(await delivered());
    const { date, ...kept } = attempts[0]?.response_headers ?? {};
    expect(Date.parse(date ?? '')).not.toBeNaN();
    expect(kept).toEqual({ 'content-type': 'text/plain', server: '<b>\ufffd', 'retry-after': '7' });
  });

  it('has no response headers without a response', async () => {
    await closeReceivers();
    const { attempts } = await detailOf(await delivered());
    expect(attempts[0]).toMatchObject({ error: 'connection_refused', response_headers: null });
  });
});

describe('a line of the delivery log', () => {
  const lineOf = async (id: string) => {
    const page = await listDeliveries(testEnv.services, fixture.supervisor, {
      projectId: fixture.projectId,
      after: undefined,
      limit: 10,
    });
    const row = page.rows.find((each) => each.id === id);
    if (row === undefined) throw new Error('It is not listed.');
    return presentDelivery(row, page, page.extras.get(id) ?? NO_EXTRAS);
  };

  it('WH1: counts the attempts of the current schedule, and says how long the last one took', async () => {
    const id = await delivered();
    expect((await lineOf(id)).run).toEqual({ attempt: 1, of: 10 });
    await makeDue(testEnv, id);
    await deliver();
    expect(await lineOf(id)).toMatchObject({ status: 'succeeded', attempt: 2, run: { attempt: 2, of: 10 } });
    await replayDelivery(testEnv.services, fixture.supervisor, id);
    expect((await lineOf(id)).run).toEqual({ attempt: 0, of: 10 });
    await deliver();
    const line = await lineOf(id);
    expect(line).toMatchObject({ attempt: 3, run: { attempt: 1, of: 10 } });
    expect(line.duration_ms).toBe((await detailOf(id)).attempts[0]?.duration_ms);
  });

  it('has no time before its first attempt has ended', async () => {
    const { id: itemId } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId, action: 'approve' });
    await relayOnce(testEnv.services, testEnv.signals);
    const [row] = await testEnv.sql<{ id: string }>('select id from delivery where item_id = ?', [itemId]);
    expect(await lineOf(row?.id ?? '')).toMatchObject({ duration_ms: null, run: { attempt: 0, of: 10 } });
  });

  it('names its item and the decision that it reports, in the list and in full', async () => {
    const id = await delivered();
    const line = await lineOf(id);
    const { preview } = await testEnv.services.db.read((em) => em.findOneOrFail(Item, { id: line.item_id }));
    expect(preview).not.toBe('');
    const told = { item_preview: preview, reports: { event: 'item.decided', status: 'approved', action: 'approve' } };
    expect(line).toMatchObject(told);
    expect(await detailOf(id)).toMatchObject(told);
  });
});
