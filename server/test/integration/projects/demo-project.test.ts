// Tests that the demo's project exists at each start: an archived one is restored, a deleted one created again.
import { describe, expect, it } from 'vitest';
import { User } from '../../../src/db/entities/user.ts';
import { archiveProject, deleteProject } from '../../../src/usecases/projects/lifecycle.ts';
import { readContents } from '../../../src/usecases/projects/read-contents.ts';
import { readProject } from '../../../src/usecases/projects/list-projects.ts';
import { joinDemo, seedDemo } from '../../../src/usecases/projects/seed-demo.ts';
import { readWebhook } from '../../../src/usecases/webhooks/read-webhook.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { submit } from '../../../src/usecases/items/submit.ts';
import { checkApiKey } from '../../../src/usecases/credentials/check-api-key.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { aPerson, aSubmission } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const SEED = { name: 'Demo', webhookUrl: 'http://127.0.0.1:4001/hook', settings: {} };
const start = () => seedDemo(testEnv.services, SEED);

/** Signs a person in, as the demo does. */
async function signIn(who: MemberActor): Promise<void> {
  await testEnv.services.db.write(async (tx) => {
    await joinDemo(testEnv.services, tx, await tx.em.findOneOrFail(User, { id: who.userId }));
  });
}

describe('the demo’s project', () => {
  it('has a secret that counts as shown: its receiver verifies with it', async () => {
    const guest = await aPerson(testEnv.services);
    const { projectId } = await start();
    await signIn(guest);
    expect(await readWebhook(testEnv.services, guest, projectId)).toMatchObject({ revealed: true });
  });

  it('AR1: is open again after a start', async () => {
    const guest = await aPerson(testEnv.services);
    const { projectId } = await start();
    await signIn(guest);
    await archiveProject(testEnv.services, guest, projectId);
    const late = await aPerson(testEnv.services);
    await signIn(late);
    await expect(readProject(testEnv.services, late, projectId)).rejects.toMatchObject({ code: 'not_found' });
    const { apiKey } = await start();
    await submit(testEnv.services, await checkApiKey(testEnv.services, apiKey), aSubmission());
    expect((await readProject(testEnv.services, guest, projectId)).project.archivedAt).toBeNull();
  });

  it('has a second one for tool calls beside it, which everyone who signs in owns too', async () => {
    const guest = await aPerson(testEnv.services);
    const { projectId } = await start();
    const calls = await seedDemo(testEnv.services, { ...SEED, project: 'tool_calls', name: 'Calls' });
    expect(calls.projectId).not.toBe(projectId);
    await signIn(guest);
    for (const id of [projectId, calls.projectId])
      expect((await readProject(testEnv.services, guest, id)).role).toBe('owner');
  });

  it('AR2: deleted, admits nobody, and a start creates a new, empty one', async () => {
    const [guest, late] = [await aPerson(testEnv.services), await aPerson(testEnv.services)];
    const { projectId } = await start();
    await signIn(guest);
    await deleteProject(testEnv.services, guest, projectId);
    await signIn(late);
    const gone = readProject(testEnv.services, late, projectId);
    await expect(gone).rejects.toMatchObject({ code: 'not_found' });
    while ((await relayOnce(testEnv.services, testEnv.signals)).again);
    await start();
    await signIn(late);
    const contents = await readContents(testEnv.services, late, projectId);
    expect(contents).toMatchObject({ items: 0, members: 2, api_keys: 1 });
    await expect(readProject(testEnv.services, guest, projectId)).rejects.toMatchObject({ code: 'not_found' });
  });
});
