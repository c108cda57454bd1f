// Tests a row that the database refuses: its error quotes the row, but neither log nor pipeline does (K7).
import { expect, it } from 'vitest';
import { aSubmission, openProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { useTestEnvironment } from '../../test-environment.ts';

const testEnv = useTestEnvironment({ processes: 1 });

it('K7: logs a row that PostgreSQL rejects by its constraint and its location, without its content', async () => {
  const project = await openProject(await person(testEnv));
  await testEnv.sql(`alter table item add constraint none_of_these check (preview not like '%parcel%')`);
  const submission = aSubmission({ metadata: { note: 'nobody else may read this' } });
  const answer = await project.pipeline.submitRaw(JSON.stringify({ project_id: project.id, ...submission }));
  expect(answer).toMatchObject({ ok: false, status: 500, problem: { code: 'internal' } });
  await expect.poll(() => testEnv.log()).toContain('violates check constraint \\"none_of_these\\"');
  for (const text of [testEnv.log(), answer.text]) expect(text).not.toMatch(/parcel|nobody else|within 30 days/);
  // The location in the code is still logged.
  expect(testEnv.log()).toMatch(/"stack":" +at /);
});
