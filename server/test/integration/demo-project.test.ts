// The demo's project survives what its owners do to it: archived, it is restored at the next start; deleted, it is made anew.
import { describe, expect, it } from 'vitest';
import { User } from '../../src/db/entities/user.ts';
import { archiveProject, deleteProject } from '../../src/usecases/lifecycle.ts';
import { readContents } from '../../src/usecases/queries/read-contents.ts';
import { readProject } from '../../src/usecases/queries/list-projects.ts';
import { joinDemo, seedDemo } from '../../src/usecases/seed-demo.ts';
import type { MemberActor } from '../../src/usecases/services.ts';
import { submit } from '../../src/usecases/submit.ts';
import { checkApiKey } from '../../src/usecases/check-api-key.ts';
import { relayOnce } from '../../src/worker/relay.ts';
import { aPerson, aSubmission } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
const SEED = { name: 'Demo', webhookUrl: 'http://127.0.0.1:4001/hook', settings: {} };
const start = () => seedDemo(world.services, SEED);

/** Signs somebody in, as a demo does. */
async function signIn(who: MemberActor): Promise<void> {
  await world.services.db.write(async (tx) => {
    await joinDemo(world.services, tx, await tx.em.findOneOrFail(User, { id: who.userId }));
  });
}

describe('the demo’s project', () => {
  it('AR1: is open again after a start', async () => {
    const guest = await aPerson(world.services);
    const { projectId } = await start();
    await signIn(guest);
    await archiveProject(world.services, guest, projectId);
    const late = await aPerson(world.services);
    await signIn(late);
    await expect(readProject(world.services, late, projectId)).rejects.toMatchObject({ code: 'not_found' });
    const { apiKey } = await start();
    await submit(world.services, await checkApiKey(world.services, apiKey), aSubmission());
    expect((await readProject(world.services, guest, projectId)).project.archivedAt).toBeNull();
  });

  it('AR2: deleted, lets nobody in, and is made anew and empty by a start', async () => {
    const [guest, late] = [await aPerson(world.services), await aPerson(world.services)];
    const { projectId } = await start();
    await signIn(guest);
    await deleteProject(world.services, guest, projectId);
    await signIn(late);
    const gone = readProject(world.services, late, projectId);
    await expect(gone).rejects.toMatchObject({ code: 'not_found' });
    while ((await relayOnce(world.services, world.signals)).again);
    await start();
    await signIn(late);
    const contents = await readContents(world.services, late, projectId);
    expect(contents).toMatchObject({ items: 0, members: 2, api_keys: 1 });
    await expect(readProject(world.services, guest, projectId)).rejects.toMatchObject({ code: 'not_found' });
  });
});
