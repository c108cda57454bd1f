// The list of projects, a page at a time (RL9).
import { expect, it } from 'vitest';
import { createProject } from '../../src/usecases/create-project.ts';
import { listProjects } from '../../src/usecases/queries/list-projects.ts';
import { aPerson, aScene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();

it('RL9: each project stands on one page, oldest first, and nobody else’s on any', async () => {
  const who = await aPerson(world.services);
  const made: string[] = [];
  // Of one moment, some of them: the id decides.
  for (let n = 0; n < 7; n += 1) {
    if (n % 3 === 0) world.clock.pass(10);
    made.push(await createProject(world.services, who, { name: `Project ${n}` }));
  }
  await aScene(world.services);
  const met: string[] = [];
  const sizes: number[] = [];
  for (let after: string | undefined; ;) {
    const { rows, nextCursor } = await listProjects(world.services, who, { after, limit: 3 });
    sizes.push(rows.length);
    met.push(...rows.map(({ project }) => project.id));
    if (nextCursor === null) break;
    after = nextCursor;
  }
  expect([sizes, [...met].sort()]).toEqual([[3, 3, 1], [...made].sort()]);
  expect((await listProjects(world.services, who)).rows.map(({ project }) => project.id)).toEqual(met);
  await world.sql('update project set archived_at = now() where id = ?', [made[1]]);
  expect((await listProjects(world.services, who)).rows).toHaveLength(6);
  expect((await listProjects(world.services, who, { archived: true })).rows).toHaveLength(1);
  expect((await listProjects(world.services, who, { limit: 6 })).nextCursor).toBeNull();
  await expect(listProjects(world.services, who, { after: 'x' })).rejects.toMatchObject({ code: 'invalid_cursor' });
});
