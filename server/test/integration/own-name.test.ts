// What somebody calls themself: said once, at their account or in a project, and told in every project they are in.
import { beforeEach, expect, it } from 'vitest';
import { changeAccount, readAccount } from '../../src/usecases/account.ts';
import { changeMember } from '../../src/usecases/change-member.ts';
import { createProject } from '../../src/usecases/create-project.ts';
import { archiveProject, deleteProject } from '../../src/usecases/lifecycle.ts';
import { listOwnOffers } from '../../src/usecases/queries/list-offers.ts';
import { readPool } from '../../src/usecases/queries/list-pool.ts';
import { addMember } from '../../src/usecases/add-member.ts';
import { ledgerOf, linesOf } from './looking.ts';
import { aScene, letIn, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;
let other: string;

beforeEach(async () => {
  scene = await aScene(world.services);
  other = await createProject(world.services, scene.owner, { name: 'Claims' });
  await letIn(world.services, { owner: scene.owner, projectId: other }, { who: scene.anna });
});

const nameIn = async (projectId: string) => {
  const { members } = await readPool(world.services, scene.owner, projectId);
  return members.find(({ user }) => user.id === scene.anna.userId)?.user.name ?? null;
};
const last = async (projectId: string) => (await linesOf(world, projectId)).at(-1);
const setName = (name: string | null) => changeAccount(world.services, scene.anna, { name });

it('PM4: a name that is changed at the account shows in every project, each told and logged once', async () => {
  expect(await readAccount(world.services, scene.anna)).toEqual({ name: 'Anna', directAdding: false });
  expect(await setName('Anne')).toEqual({ name: 'Anne', directAdding: false });
  for (const projectId of [scene.projectId, other]) {
    expect(await nameIn(projectId)).toBe('Anne');
    expect(await last(projectId)).toMatchObject({
      ...{ action: 'member.changed', subject: 'Anna', subject_id: scene.anna.userId },
      ...{ before: { name: 'Anna' }, after: { name: 'Anne' }, changed_by: scene.anna.userId },
    });
    expect((await ledgerOf(world, projectId)).at(-1)).toMatchObject({ data: { changed: ['members'] } });
  }
});

it('PM4: changed in one project it is told in the others too', async () => {
  const seat = { projectId: other, userId: scene.anna.userId, role: undefined };
  await changeMember(world.services, scene.anna, { ...seat, name: 'Anne' });
  for (const projectId of [scene.projectId, other])
    expect(await last(projectId)).toMatchObject({ after: { name: 'Anne' } });
});

it('PM4: a name is given up again, and who has none is shown by their address', async () => {
  await setName(null);
  expect([await nameIn(scene.projectId), (await last(other))?.after]).toEqual([null, { name: null }]);
  await setName('Anne');
  expect(await last(other)).toMatchObject({
    subject: `${scene.anna.address.slice(0, 4)}…${scene.anna.address.slice(-4)}`,
  });
});

it('CL1: what changes nothing leaves no line; a project that is archived gets one, a deleted one none', async () => {
  const before = (await linesOf(world, other)).length;
  await setName('Anna');
  expect((await linesOf(world, other)).length).toBe(before);
  await archiveProject(world.services, scene.owner, scene.projectId);
  await deleteProject(world.services, scene.owner, other);
  const atEnd = (await linesOf(world, other)).length;
  await setName('Anne');
  expect(await last(scene.projectId)).toMatchObject({ after: { name: 'Anne' } });
  expect((await linesOf(world, other)).length).toBe(atEnd);
});

it('PM4: whoever offers a seat is shown by the name they have now', async () => {
  const guest = (await aScene(world.services)).ben;
  await addMember(world.services, scene.owner, { projectId: other, address: guest.address, role: 'reviewer' });
  await changeAccount(world.services, scene.owner, { name: 'Olga the second' });
  const { rows } = await listOwnOffers(world.services, guest, { after: undefined, limit: 1 });
  expect(rows[0]?.by.name).toBe('Olga the second');
});
