// The trace context of a submission, from its request to every attempt of its webhooks (WH9).
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { readDelivery, listDeliveries } from '@countersign/shared/routes/deliveries';
import { submitBatch, submitItem } from '@countersign/shared/routes/public';
import { createDeliverer } from '../../../src/delivery/deliver.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { aSubmission, join, openProject, review, type OpenProject } from '../../builders.ts';
import { person, type Person } from '../../client.ts';
import { closeReceivers, httpReceiver } from '../../fixtures/receivers.ts';
import { serve, type Served } from '../support/http-server.ts';
import { POLICY, useServices } from '../support/test-services.ts';
import { aBody, aSender, hexOf, post } from './inbound-sender.ts';

const inside = useServices();
let served: Served;
let project: OpenProject;
let anna: Person;
/** By attempt, in order. */
const got: (string | undefined)[] = [];
/** What the receiver answers next, then 200. */
const statuses: number[] = [];

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

beforeAll(async () => {
  served = await serve(inside.services);
  const { port } = await httpReceiver((request, response) => {
    got.push(request.headers.traceparent as string | undefined);
    request.resume().on('end', () => response.writeHead(statuses.shift() ?? 200).end());
  });
  const settings = { webhook_url: `http://127.0.0.1:${port}/` };
  project = await openProject(await person(served.testEnv), { settings });
  anna = await person(served.testEnv);
  await join(project, anna);
});
afterEach(() => void got.splice(0));
afterAll(async () => {
  await served.close();
  await closeReceivers();
});

const submission = () => ({ ...aSubmission(), project_id: project.id });
const traced = (traceparent: string) => ({ headers: { traceparent } });

async function submitted(via = traced(TRACE)): Promise<string> {
  return (await project.pipeline.call(submitItem, { body: submission() }, via)).id;
}

/** Sends what is due, by a free permit at once or by leasing. */
async function deliver(way: 'direct' | 'leased'): Promise<void> {
  const deliverer = createDeliverer(inside.services, POLICY);
  await relayOnce(inside.services, inside.signals, way === 'direct' ? { capacity: deliverer } : {});
  await deliverer.drain();
  if (way === 'direct') return;
  await deliverer.runOnce();
  await deliverer.drain();
}

it.each(['direct', 'leased'] as const)('WH9: an attempt carries it, %s', async (way) => {
  await review(anna, await submitted());
  await deliver(way);
  expect(got).toEqual([TRACE]);
});

it('WH9: every attempt carries it, and the delivery log shows it', async () => {
  statuses.push(500);
  const id = await submitted();
  await review(anna, id);
  await deliver('direct');
  await inside.sql('update delivery set next_attempt_at = now() where item_id = ?', [id]);
  await deliver('leased');
  expect(got).toEqual([TRACE, TRACE]);
  const { data } = await project.owner.call(listDeliveries, { params: { id: project.id } });
  const { attempts } = await project.owner.call(readDelivery, { params: { id: data[0]!.id } });
  expect(attempts.map(({ request_headers: headers }) => headers['traceparent'])).toEqual([TRACE, TRACE]);
});

it('WH9: every item of a batch has that of the request', async () => {
  const body = { items: [submission(), submission()] };
  const { results } = await project.pipeline.call(submitBatch, { body }, traced(TRACE));
  for (const result of results) await review(anna, 'id' in result ? result.id : '');
  await deliver('direct');
  expect(got).toEqual([TRACE, TRACE]);
});

it('WH9: an item that an inbound webhook submitted has that of the message', async () => {
  const { path, secret } = await aSender(project);
  const body = aBody();
  const { text } = await post(served, path, { body, headers: { ...hexOf(secret, body), traceparent: TRACE } });
  await review(anna, (JSON.parse(text) as { id: string }).id);
  await deliver('direct');
  expect(got).toEqual([TRACE]);
});

it('WH9: an invalid one is ignored, and without one there is none', async () => {
  await review(anna, await submitted(traced('00-zero-01')));
  await review(anna, (await project.pipeline.submit(aSubmission())).id);
  await deliver('direct');
  expect(got).toEqual([undefined, undefined]);
});
