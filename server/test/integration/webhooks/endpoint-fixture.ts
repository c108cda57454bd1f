// A project with a receiver at its first endpoint, and what tests of several endpoints do to it.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach } from 'vitest';
import type { DeliveredEvent } from '@countersign/shared/enums';
import { checksOf, reader, type Fault } from '../../../src/invariants/invariants.ts';
import { changeEndpoint, createEndpoint, removeEndpoint } from '../../../src/usecases/webhooks/endpoints.ts';
import { listEndpoints } from '../../../src/usecases/webhooks/read-webhook.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { closeReceivers, httpReceiver } from '../../fixtures/receivers.ts';
import { anItem, createProjectFixture, review, type ProjectFixture } from '../support/project-fixture.ts';
import type { ServicesEnvironment } from '../support/test-services.ts';

export interface Receiver {
  url: string;
  status: number;
  got: { id: string; body: string; headers: Record<string, string | undefined> }[];
}

export async function aReceiver(status = 200): Promise<Receiver> {
  const receiver: Receiver = { url: '', status, got: [] };
  // Of its own: what another test left to send may go to the same port.
  const path = `/${randomUUID()}`;
  const { port } = await httpReceiver((request, response) => {
    if (request.url !== path) return void response.writeHead(404).end();
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const headers = request.headers as Record<string, string | undefined>;
      receiver.got.push({ id: String(headers['webhook-id']), body, headers });
      response.writeHead(receiver.status).end();
    });
  });
  receiver.url = `http://127.0.0.1:${port}${path}`;
  return receiver;
}

const FIELDS = { description: '', events: ['item.decided' as DeliveredEvent], isEnabled: true };

interface EndpointFixture {
  fixture: ProjectFixture;
  /** The receiver of the first endpoint. */
  main: Receiver;
}

/** A new project for every test, without deliveries of others. */
export function useEndpointFixture(testEnv: ServicesEnvironment) {
  const now = {} as EndpointFixture;
  beforeEach(async () => {
    await testEnv.sql('delete from attempt');
    await testEnv.sql('delete from delivery');
    now.main = await aReceiver();
    now.fixture = await createProjectFixture(testEnv.services, { webhook_url: now.main.url });
  });
  afterEach(() => closeReceivers());
  return { now, ...actionsOf(testEnv, now), ...readsOf(testEnv, now) };
}

function actionsOf(testEnv: ServicesEnvironment, now: EndpointFixture) {
  const add = ({ url }: Pick<Receiver, 'url'>, fields: Partial<typeof FIELDS> = {}) =>
    createEndpoint(testEnv.services, now.fixture.owner, {
      projectId: now.fixture.projectId,
      ...FIELDS,
      ...fields,
      url,
    });
  const change = (
    endpointId: string,
    { settingsVersion, ...fields }: Partial<typeof FIELDS & { url: string; settingsVersion: number | undefined }>,
  ) => {
    const of = { projectId: now.fixture.projectId, endpointId, settingsVersion };
    return changeEndpoint(testEnv.services, now.fixture.owner, { ...of, ...fields });
  };
  const remove = (endpointId: string) =>
    removeEndpoint(testEnv.services, now.fixture.owner, { projectId: now.fixture.projectId, endpointId });
  const relay = () => relayOnce(testEnv.services, testEnv.signals);

  async function decided(): Promise<string> {
    const { id } = await anItem(testEnv.services, now.fixture);
    await review(testEnv.services, now.fixture.anna, { itemId: id, action: 'approve' });
    await relay();
    return id;
  }
  return { add, change, remove, relay, decided };
}

function readsOf(testEnv: ServicesEnvironment, now: EndpointFixture) {
  const endpoints = () => listEndpoints(testEnv.services, now.fixture.owner, now.fixture.projectId);
  const statuses = () =>
    testEnv.sql<{ status: string }>(
      'select endpoint_id is null as main, status from delivery where project_id = ? order by endpoint_id nulls first, seq',
      [now.fixture.projectId],
    );

  /** Of the project. */
  async function faults(): Promise<Fault[]> {
    const found: Fault[] = [];
    for (const check of checksOf(testEnv.orm))
      await check.run(
        reader(testEnv.orm),
        (fault) => found.push(fault),
        () => undefined,
      );
    return found.filter(({ says }) => says.includes(now.fixture.projectId));
  }
  return { endpoints, statuses, faults };
}
