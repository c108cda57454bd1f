// Tests display names: set once, in the account or in a project, and published in every project of the person.
import { beforeEach, expect, it } from 'vitest';
import { createMemoryLimiter } from '../../../src/limits/memory-limiter.ts';
import { policiesOf } from '../../../src/limits/policies.ts';
import { changeAccount, readAccount } from '../../../src/usecases/access/account.ts';
import { changeMember } from '../../../src/usecases/access/change-member.ts';
import { createProject } from '../../../src/usecases/projects/create-project.ts';
import { archiveProject, deleteProject } from '../../../src/usecases/projects/lifecycle.ts';
import { listOwnOffers } from '../../../src/usecases/access/list-offers.ts';
import { readPool } from '../../../src/usecases/access/list-members.ts';
import { addMember } from '../../../src/usecases/access/add-member.ts';
import { eventLogOf, changeLogOf } from '../support/database-helpers.ts';
import { createProjectFixture, grantRole, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
let other: string;

beforeEach(async () => {
  fixture = await createProjectFixture(testEnv.services);
  other = await createProject(testEnv.services, fixture.owner, { name: 'Claims' });
  await grantRole(testEnv.services, { owner: fixture.owner, projectId: other }, { who: fixture.anna });
});

const nameIn = async (projectId: string) => {
  const { members } = await readPool(testEnv.services, fixture.owner, projectId);
  return members.find(({ user }) => user.id === fixture.anna.userId)?.user.name ?? null;
};
const last = async (projectId: string) => (await changeLogOf(testEnv, projectId)).at(-1);
const setName = (name: string | null) => changeAccount(testEnv.services, fixture.anna, { name });

it('PM4: a name changed in the account shows in every project, each with one event and one entry', async () => {
  expect(await readAccount(testEnv.services, fixture.anna)).toEqual({ name: 'Anna', directAdding: false });
  expect(await setName('Anne')).toEqual({ name: 'Anne', directAdding: false });
  for (const projectId of [fixture.projectId, other]) {
    expect(await nameIn(projectId)).toBe('Anne');
    expect(await last(projectId)).toMatchObject({
      ...{ action: 'member.changed', subject: 'Anna', subject_id: fixture.anna.userId },
      ...{ before: { name: 'Anna' }, after: { name: 'Anne' }, changed_by: fixture.anna.userId },
    });
    expect((await eventLogOf(testEnv, projectId)).at(-1)).toMatchObject({ data: { changed: ['members'] } });
  }
});

it('PM4: changed in one project it appends an event in the others too', async () => {
  const memberKey = { projectId: other, userId: fixture.anna.userId, role: undefined };
  await changeMember(testEnv.services, fixture.anna, { ...memberKey, name: 'Anne' });
  for (const projectId of [fixture.projectId, other])
    expect(await last(projectId)).toMatchObject({ after: { name: 'Anne' } });
});

it('PM4: a removed name is replaced by the address', async () => {
  await setName(null);
  expect([await nameIn(fixture.projectId), (await last(other))?.after]).toEqual([null, { name: null }]);
  await setName('Anne');
  expect(await last(other)).toMatchObject({
    subject: `${fixture.anna.address.slice(0, 4)}…${fixture.anna.address.slice(-4)}`,
  });
});

it('CL1: an unchanged name adds no entry; an archived project gets one, a deleted one none', async () => {
  const before = (await changeLogOf(testEnv, other)).length;
  await setName('Anna');
  expect((await changeLogOf(testEnv, other)).length).toBe(before);
  await archiveProject(testEnv.services, fixture.owner, fixture.projectId);
  await deleteProject(testEnv.services, fixture.owner, other);
  const atEnd = (await changeLogOf(testEnv, other)).length;
  await setName('Anne');
  expect(await last(fixture.projectId)).toMatchObject({ after: { name: 'Anne' } });
  expect((await changeLogOf(testEnv, other)).length).toBe(atEnd);
});

it('RL5: names are counted by person, in the account and in a project, other settings are not', async () => {
  const policies = { ...policiesOf(), rename: { quota: 2, windowSeconds: 60 } };
  const few = { ...testEnv.services, limiter: createMemoryLimiter(policies, testEnv.clock) };
  const memberKey = { projectId: other, userId: fixture.anna.userId, role: undefined };
  await changeAccount(few, fixture.anna, { name: 'Anne' });
  await changeMember(few, fixture.anna, { ...memberKey, name: 'Ann' });
  const refused = { code: 'rate_limited' };
  await expect(changeAccount(few, fixture.anna, { name: 'Anna' })).rejects.toMatchObject(refused);
  await expect(changeMember(few, fixture.anna, { ...memberKey, name: 'Anna' })).rejects.toMatchObject(refused);
  await changeAccount(few, fixture.anna, { directAdding: true });
  expect([await nameIn(other), await readAccount(few, fixture.anna)]).toEqual([
    'Ann',
    { name: 'Ann', directAdding: true },
  ]);
});

it('PM4: the owner who offers a membership is shown by the current name', async () => {
  const guest = (await createProjectFixture(testEnv.services)).ben;
  await addMember(testEnv.services, fixture.owner, { projectId: other, address: guest.address, role: 'reviewer' });
  await changeAccount(testEnv.services, fixture.owner, { name: 'Olga the second' });
  const { rows } = await listOwnOffers(testEnv.services, guest, { after: undefined, limit: 1 });
  expect(rows[0]?.by.name).toBe('Olga the second');
});
