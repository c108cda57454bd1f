// Tests a webhook URL when it is saved: resolved for permitted callers, before the transaction, every address checked.
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProjectSettings } from '@countersign/shared/settings';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { createProject } from '../../../src/usecases/projects/create-project.ts';
import { readProject } from '../../../src/usecases/projects/list-projects.ts';
import type { MemberActor, Services } from '../../../src/usecases/services.ts';
import { aPerson, createProjectFixture, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

beforeEach(async () => {
  fixture = await createProjectFixture(testEnv.services);
  testEnv.names.addresses.clear();
  testEnv.names.asked.length = 0;
});

const PUBLIC = 'https://receiver.example/hooks';
const change = (changes: Partial<ProjectSettings>, { who = fixture.owner, settingsVersion = 1 } = {}) =>
  changeSettings(testEnv.services, who, { projectId: fixture.projectId, settingsVersion, changes });
const saved = async () => (await readProject(testEnv.services, fixture.owner, fixture.projectId)).project.webhookUrl;
const projects = async (who: MemberActor) =>
  (await testEnv.sql<object>('select 1 from member where user_id = ?', [who.userId])).length;

describe('W1, W2: a webhook URL with a name', () => {
  it('a webhook URL whose name resolves to a private network is refused, for an existing project and for a new one', async () => {
    testEnv.names.addresses.set('inside.example', ['93.184.215.14', '10.0.0.7']);
    const webhook_url = 'https://inside.example/hooks';
    const refusal = {
      code: 'webhook_url_refused',
      detail: 'Use a public host: inside.example resolves to a private, local or reserved address.',
      extras: { errors: [{ pointer: '#/webhook_url', code: 'webhook_url_refused' }] },
    };
    await expect(change({ webhook_url })).rejects.toMatchObject(refusal);
    const someone = await aPerson(testEnv.services);
    await expect(createProject(testEnv.services, someone, { name: 'x', webhook_url })).rejects.toMatchObject(refusal);
    expect(await saved()).toBeNull();
    expect(await projects(someone)).toBe(0);
    expect(testEnv.names.asked).toEqual(['inside.example', 'inside.example']);
  });

  it('a webhook URL whose name resolves to public addresses is saved; so is an unresolvable one, which each attempt resolves again', async () => {
    testEnv.names.addresses.set('receiver.example', ['93.184.215.14']);
    await change({ webhook_url: PUBLIC });
    expect(await saved()).toBe(PUBLIC);
    await change({ webhook_url: 'https://not-yet.example/' }, { settingsVersion: 2 });
    expect(await saved()).toBe('https://not-yet.example/');
  });

  it('is resolved for owners alone: others cause no lookup', async () => {
    const others: [MemberActor, string][] = [
      [fixture.supervisor, 'forbidden'],
      [fixture.anna, 'forbidden'],
      [await aPerson(testEnv.services), 'not_found'],
    ];
    for (const [who, code] of others)
      await expect(change({ webhook_url: PUBLIC }, { who })).rejects.toMatchObject({ code });
    expect(testEnv.names.asked).toEqual([]);
  });

  it('is not resolved for an outdated change, nor when it stays the same', async () => {
    await change({ webhook_url: PUBLIC });
    expect(testEnv.names.asked).toEqual(['receiver.example']);
    await expect(change({ webhook_url: 'https://other.example/' })).rejects.toMatchObject({ code: 'stale_settings' });
    await change({ webhook_url: PUBLIC, name: 'Other' }, { settingsVersion: 2 });
    await change({ webhook_url: null }, { settingsVersion: 3 });
    expect(testEnv.names.asked).toEqual(['receiver.example']);
  });

  it('cannot bypass the guard through a version saved in between', async () => {
    const { db } = testEnv.services;
    const overtaken: Services['db'] = {
      ...db,
      read: async (work) => {
        const answer = await db.read(work);
        await change({ name: 'Meanwhile' });
        return answer;
      },
    };
    const input = { projectId: fixture.projectId, settingsVersion: 2, changes: { webhook_url: PUBLIC } };
    const early = changeSettings({ ...testEnv.services, db: overtaken }, fixture.owner, input);
    await expect(early).rejects.toMatchObject({ code: 'stale_settings' });
    expect(await saved()).toBeNull();
  });

  it('is not resolved when the thresholds are refused first', async () => {
    const fault = { name: 'x', webhook_url: PUBLIC, review_threshold: 0.99 };
    await expect(createProject(testEnv.services, fixture.owner, fault)).rejects.toMatchObject({
      code: 'validation_failed',
    });
    expect(testEnv.names.asked).toEqual([]);
  });

  it('is resolved while no transaction is open: a slow resolver delays no other request', async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<null>();
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const services = {
      ...testEnv.services,
      refuseWebhookUrl: () => {
        ask();
        return answered;
      },
    };
    const input = { projectId: fixture.projectId, settingsVersion: 1, changes: { webhook_url: PUBLIC } };
    const slow = changeSettings(services, fixture.owner, input);
    await asked;
    // An open transaction would hold a connection, and its locks, for as long as the lookup takes.
    await change({ name: 'Quicker' });
    answer(null);
    await expect(slow).rejects.toMatchObject({ code: 'stale_settings' });
    expect(await saved()).toBeNull();
  });
});
