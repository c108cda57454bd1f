// Tests unusual names: upper-case ids are the same ids, and keys named like object properties are plain keys.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimItem, decideItem, undoDecision } from '@countersign/shared/routes/queue';
import { aSubmission, join, openProject, type OpenProject } from '../../builders.ts';
import { person, type Person } from '../../client.ts';
import { ask, serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let project: OpenProject;
let anna: Person;
let ben: Person;

beforeAll(async () => {
  served = await serve(inside.services);
  [anna, ben] = [await person(served.testEnv), await person(served.testEnv)];
  project = await openProject(await person(served.testEnv), { settings: { undo_window_seconds: 30 } });
  for (const member of [anna, ben]) await join(project, member);
});
afterAll(() => served.close());

describe('upper-case ids', () => {
  it('I4: name the same item, the same claim and the same project', async () => {
    const { id } = await project.pipeline.submit(aSubmission({ project_id: project.id.toUpperCase() }));
    const capitals = { params: { id: id.toUpperCase() } };
    const { fence, item } = await anna.call(claimItem, capitals);
    expect(item).toMatchObject({ id, claim: { user_id: anna.id }, abilities: { decide: true } });
    expect([...(await inside.lock.holders([id, id.toUpperCase()])).keys()]).toEqual([id]);
    await ben.refused('claim_held', claimItem, { params: { id } });
    await anna.call(decideItem, { params: { id }, body: { fence, action: 'approve' } });
    expect(await anna.call(undoDecision, capitals)).toMatchObject({ id, status: 'queued' });
  });
});

describe('keys named like object properties', () => {
  it('count when an edit is compared, and are delivered (I7)', async () => {
    const { id } = await project.pipeline.submit(aSubmission({ suggestion: { a: 1 } }));
    const { fence } = await anna.call(claimItem, { params: { id } });
    const body = `{"fence":${fence},"action":"edit","reason":"Wrong fact","output":{"a":1,"__proto__":{"b":2}}}`;
    const headers = { 'content-type': 'application/json', cookie: anna.cookieHeader(), origin: served.testEnv.baseUrl };
    const raw = await ask(served, { method: 'POST', path: `/api/items/${id}/decision`, headers, body });
    expect([raw.status, raw.text]).toEqual([200, expect.stringContaining('"output":{"a":1,"__proto__":{"b":2}}')]);
  });
});
