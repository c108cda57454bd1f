// The demo's project: made once, kept over restarts, its pipeline's key made anew at each start. Everyone who signs in to a demo owns it.
import { DEFAULT_SETTINGS, type ProjectSettings } from '@countersign/shared/api/projects';
import { newAddress } from '../crypto/ed25519.ts';
import { open } from '../crypto/key-ring.ts';
import { memberRef } from '../domain/actor.ts';
import { secretContext } from '../domain/webhook-secrets.ts';
import type { Tx } from '../db/database.ts';
import { ApiKey } from '../db/entities/api-key.ts';
import { Member } from '../db/entities/member.ts';
import { Project } from '../db/entities/project.ts';
import { User } from '../db/entities/user.ts';
import { WebhookEndpoint } from '../db/entities/webhook-endpoint.ts';
import { findOrCreateUser } from './add-member.ts';
import { createApiKey } from './api-keys.ts';
import { changeSettings } from './change-settings.ts';
import { insertProject } from './create-project.ts';
import type { MemberActor, Services } from './services.ts';

const DEMO_PROJECT_ID = '01980000-0000-7000-8000-00000000de30';
const KEY_NAME = 'Demo pipeline';

export interface DemoSeed {
  name: string;
  webhookUrl: string;
  settings: Partial<ProjectSettings>;
}

/** Finds or makes the demo project and hands out what its pipeline and its receiver need. For demo mode only. */
export async function seedDemo(
  services: Services,
  { name, webhookUrl, settings }: DemoSeed,
): Promise<{ projectId: string; apiKey: string; webhookSecret: string }> {
  const projectId = DEMO_PROJECT_ID;
  const project = await services.db.read((em) => em.findOne(Project, { id: projectId }));
  const host = project ? await hostOf(services) : await makeHost(services);
  if (project === null) {
    const wanted = { ...DEFAULT_SETTINGS, ...settings, name, webhook_url: webhookUrl };
    await insertProject(services, host, { id: projectId, settings: wanted });
  } else {
    const changes = { webhook_url: webhookUrl };
    await changeSettings(services, host, { projectId, settingsVersion: project.settingsVersion, changes });
  }
  const revokedAt = services.clock.now();
  await services.db.read((em) =>
    em.nativeUpdate(ApiKey, { projectId, name: KEY_NAME, revokedAt: null }, { revokedAt }),
  );
  const { text } = await createApiKey(services, host, { projectId, name: KEY_NAME });
  return { projectId, apiKey: text, webhookSecret: await revealSecret(services, projectId) };
}

/** The demo project's first owner is a wallet nobody holds the key of. */
async function makeHost(services: Services): Promise<MemberActor> {
  const user = await services.db.write((tx) =>
    findOrCreateUser(services, tx, { address: newAddress(), name: 'Demo host' }),
  );
  return actorOf(services, user);
}

async function hostOf(services: Services): Promise<MemberActor> {
  return services.db.read(async (em) => {
    const order = { orderBy: { createdAt: 'asc' as const } };
    const owner = await em.findOneOrFail(Member, { projectId: DEMO_PROJECT_ID, role: 'owner' }, order);
    return actorOf(services, await em.findOneOrFail(User, { id: owner.userId }));
  });
}

function actorOf(services: Services, user: User): MemberActor {
  const { id: userId, address } = user;
  return { kind: 'member', userId, address, name: user.name ?? null, sessionId: '', expiresAt: services.clock.now() };
}

async function revealSecret(services: Services, projectId: string): Promise<string> {
  const endpoint = await services.db.read((em) => em.findOneOrFail(WebhookEndpoint, { projectId }));
  return open(services.keyRing, endpoint.current, secretContext(projectId));
}

/** Makes whoever signs in to a demo an owner of the demo project, in the sign-in's own transaction. */
export async function joinDemo(services: Services, tx: Tx, user: User): Promise<void> {
  const projectId = DEMO_PROJECT_ID;
  const project = await tx.em.findOne(Project, { id: projectId });
  if (project === null) return;
  if ((await tx.em.count(Member, { projectId, userId: user.id })) > 0) return;
  await tx.em.insert(Member, { projectId, userId: user.id, role: 'owner', createdAt: services.clock.now() });
  const actor = memberRef({ userId: user.id, name: user.name ?? null, address: user.address });
  const settings_version = project.settingsVersion;
  tx.record({ type: 'project.changed', project_id: projectId, actor, settings_version, changed: ['members'] });
}
