// Tests which requests are part of the trace of an item: those of callers who may see it, and none of strangers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS } from '@countersign/shared/contract/endpoints';
import { claimItem } from '@countersign/shared/routes/queue';
import type { Step } from '../../../src/telemetry/steps.ts';
import { aSubmission, openProject, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { ask, serve, type Sent, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let project: OpenProject;
let stranger: OpenProject;
const steps: Step[] = [];

beforeAll(async () => {
  served = await serve(inside.services, { traces: { send: (step) => void steps.push(step) } });
  project = await openProject(await person(served.testEnv));
  stranger = await openProject(await person(served.testEnv));
});
afterAll(() => served.close());

const credentialsOf = ({ owner, pipeline }: OpenProject) => ({
  ...{ cookie: owner.cookieHeader(), origin: served.testEnv.baseUrl },
  'x-api-key': pipeline.apiKey,
});
const sendAs = (who: OpenProject, { headers, ...sent }: Sent) =>
  ask(served, { ...sent, headers: { ...credentialsOf(who), ...headers } });
const JSON_TYPE = { 'content-type': 'application/json' };

/** The names and statuses of the steps about an item since the last call. */
const stepsOf = (itemId: string) =>
  steps
    .splice(0)
    .filter((step) => step.itemId === itemId)
    .map(({ name, attributes }) => [name, attributes['http.response.status_code']]);

const ITEM_ROUTES = ENDPOINTS.filter(([, { path }]) => /\/items\/:id(\/|$)/.test(path)).map(
  ([, { method, path }]) => [method, path] as const,
);

describe('a caller who may not see an item', () => {
  it.each(ITEM_ROUTES)('leaves nothing in its trace by %s %s', async (method, path) => {
    const { id } = await project.pipeline.submit(aSubmission());
    steps.splice(0);
    const named = { method, path: path.replace(':id', id) };
    const statuses: number[] = [];
    for (const sent of [
      { ...named },
      { ...named, path: `${named.path}?after=%00&wait=x&url=` },
      { ...named, headers: JSON_TYPE, body: '{' },
      { ...named, headers: JSON_TYPE, body: '{"fence":"no"}' },
      { ...named, headers: { 'content-type': 'text/plain' }, body: '{}' },
      { ...named, headers: JSON_TYPE, body: '{"fence":1,"action":"approve","seconds":60,"overturned":true}' },
    ])
      statuses.push((await sendAs(stranger, sent)).status);
    expect(statuses.filter((status) => status < 400)).toEqual([]);
    expect(stepsOf(id)).toEqual([]);
  });
});

describe('a caller who may see an item', () => {
  const about = async (id: string, [method, path, body]: readonly [string, string, object?]) => {
    const sent = body === undefined ? {} : { headers: JSON_TYPE, body: JSON.stringify(body) };
    await sendAs(project, { method, path: path.replace(':id', id), ...sent });
    return stepsOf(id);
  };

  it('is in its trace with what the service did, and with what it refused because of the item', async () => {
    const { id } = await project.pipeline.submit(aSubmission());
    expect(stepsOf(id)).toEqual([['POST /api/public/items', 201]]);
    const { fence } = await project.owner.call(claimItem, { params: { id } });
    expect(stepsOf(id)).toEqual([['POST /api/items/:id/claim', 200]]);
    for (const [method, path, status, body] of [
      ['GET', '/api/items/:id', 200],
      ['GET', '/api/items/:id/history', 200],
      ['GET', '/api/public/items/:id', 200],
      ['POST', '/api/items/:id/claim/renew', 409, { fence: fence + 1 }],
      ['POST', '/api/items/:id/decision', 422, { fence, action: 'edit' }],
      ['DELETE', '/api/items/:id/claim', 204, { fence }],
      ['POST', '/api/public/items/:id/withdraw', 200],
      ['POST', '/api/public/items/:id/withdraw', 200],
      ['POST', '/api/items/:id/claim', 409],
    ] as const)
      expect(await about(id, [method, path, body])).toEqual([[`${method} ${path}`, status]]);
  });
});
