// A stored schema that a later validator refuses, and a schema that keeps changing, leave every item to people (TS1).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { claimItem, decideItem } from '@countersign/shared/routes/queue';
import { changeProject, readProject } from '@countersign/shared/routes/projects';
import { aSubmission, openProject, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let project: OpenProject;

beforeAll(async () => {
  served = await serve(inside.services);
  project = await openProject(await person(served.testEnv));
});
afterAll(() => served.close());

/** The project gets a schema that this version of the service refuses, as if an earlier one had stored it. */
async function storedOldSchema(): Promise<void> {
  const params = { id: project.id };
  const { settings_version } = await project.owner.call(readProject, { params });
  await project.owner.call(changeProject, { params, body: { settings_version, answer_schema: { type: 'string' } } });
  const digest = 'f'.repeat(64);
  await inside.sql(`insert into answer_schema (project_id, digest, text, created_at) values (?, ?, ?, now())`, [
    project.id,
    digest,
    '{"pattern":"(?=a)"}',
  ]);
  await inside.sql('update project set answer_schema_digest = ? where id = ?', [digest, project.id]);
}

it('TS1, RT8: items of a schema that is not valid any more are queued, and the error says which fault it has', async () => {
  await storedOldSchema();
  for (let n = 0; n < 2; n += 1) {
    const { id, status } = await project.pipeline.submit(aSubmission({ suggestion: 'yes', confidence: 1 }));
    expect(status).toBe('queued');
    const { routing, suggestion_faults } = await project.pipeline.read(id);
    expect([routing.rule, suggestion_faults?.[0]?.keyword]).toEqual(['RT8', 'schema']);
    const params = { id };
    const { fence } = await project.owner.call(claimItem, { params });
    const edit = { fence, action: 'edit' as const, output: 'no', reason: 'Wrong fact' };
    const { detail } = await project.owner.refused('answer_invalid', decideItem, { params, body: edit });
    expect(detail).toContain('its answer schema is not valid any more: /pattern Lookahead');
    await project.owner.call(decideItem, { params, body: { fence, action: 'reject', reason: 'Policy' } });
  }
});

it('a refused schema has bounded pointers, each naming what contains the fault', async () => {
  const name = '漢'.repeat(250);
  let schema: object = { type: 'text' };
  for (let level = 0; level < 7; level += 1) schema = { properties: { [name]: schema } };
  const body = JSON.stringify({ ...aSubmission(), project_id: project.id, answer_schema: schema });
  const answer = await project.pipeline.submitRaw(body);
  if (answer.ok) throw new Error(answer.text);
  expect(answer.problem.code).toBe('schema_invalid');
  const [fault] = answer.problem.errors ?? [];
  expect(fault?.pointer).toBe('#/answer_schema/properties');
  expect(answer.text.length).toBeLessThan(4000);
});
