// Tests the paged list of projects (RL9).
import { expect, it } from 'vitest';
import { createProject } from '../../../src/usecases/projects/create-project.ts';
import { listProjects } from '../../../src/usecases/projects/list-projects.ts';
import { aPerson, createProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();

it('RL9: each project is on one page, oldest first, and no foreign one on any', async () => {
  const who = await aPerson(testEnv.services);
  const made: string[] = [];
  // Some were created at the same moment: the id decides.
  for (let n = 0; n < 7; n += 1) {
    if (n % 3 === 0) testEnv.clock.pass(10);
    made.push(await createProject(testEnv.services, who, { name: `Project ${n}` }));
  }
  await createProjectFixture(testEnv.services);
  const met: string[] = [];
  const sizes: number[] = [];
  for (let after: string | undefined; ;) {
    const { rows, nextCursor } = await listProjects(testEnv.services, who, { after, limit: 3 });
    sizes.push(rows.length);
    met.push(...rows.map(({ project }) => project.id));
    if (nextCursor === null) break;
    after = nextCursor;
  }
  expect([sizes, [...met].sort()]).toEqual([[3, 3, 1], [...made].sort()]);
  expect((await listProjects(testEnv.services, who)).rows.map(({ project }) => project.id)).toEqual(met);
  await testEnv.sql('update project set archived_at = now() where id = ?', [made[1]]);
  expect((await listProjects(testEnv.services, who)).rows).toHaveLength(6);
  expect((await listProjects(testEnv.services, who, { archived: true })).rows).toHaveLength(1);
  expect((await listProjects(testEnv.services, who, { limit: 6 })).nextCursor).toBeNull();
  await expect(listProjects(testEnv.services, who, { after: 'x' })).rejects.toMatchObject({ code: 'invalid_cursor' });
});
