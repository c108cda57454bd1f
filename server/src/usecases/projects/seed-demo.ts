// Creates or reuses the projects of the demo, with a new pipeline key at each start.
import { AUTOMATIC_KEY_NAMES } from '@countersign/shared/limits';
import { Refusal } from '@countersign/shared/errors';
import type { Samples } from '@countersign/shared/enums';
import { DEFAULT_SETTINGS, type ProjectSettings } from '@countersign/shared/settings';
import { newAddress } from '../../crypto/ed25519.ts';
import { decrypt } from '../../crypto/key-ring.ts';
import { displayName, memberRef } from '../../domain/access/actor.ts';
import { secretContext } from '../../domain/webhooks/signing.ts';
import type { Tx } from '../../db/database.ts';
import { ApiKey } from '../../db/entities/api-key.ts';
import { Member } from '../../db/entities/member.ts';
import { Project } from '../../db/entities/project.ts';
import { User } from '../../db/entities/user.ts';
import { WebhookEndpoint } from '../../db/entities/webhook-endpoint.ts';
import { purgeBatch } from '../../db/retention/purge-project.ts';
import { lockProject } from '../../db/lock-project.ts';
import { findOrCreateUser } from '../access/add-member.ts';
import { createApiKey, revokeApiKey } from '../credentials/api-keys.ts';
import { changeSettings } from './change-settings.ts';
import { insertProject } from './create-project.ts';
import { restoreProject } from './lifecycle.ts';
import { recordChange } from '../../db/record-change.ts';
import type { MemberActor, Services } from '../services.ts';

/** In the order in which they are locked. */
const DEMO_PROJECT_IDS = {
  answers: '01980000-0000-7000-8000-00000000de30',
  tool_calls: '01980000-0000-7000-8000-00000000de31',
  refunds: '01980000-0000-7000-8000-00000000de32',
  posts: '01980000-0000-7000-8000-00000000de33',
} as const;
const [, KEY_NAME] = AUTOMATIC_KEY_NAMES;
/** The most batches in which a deleted demo project is purged. */
const MAX_BATCHES = 1000;

export interface DemoSeed {
  /** Which of the demo's projects; `answers` unless stated. */
  project?: keyof typeof DEMO_PROJECT_IDS;
  name: string;
  webhookUrl: string;
  settings: Partial<ProjectSettings>;
}

/** What a project of the demo needs to work. */
export interface SeededProject {
  projectId: string;
  /** The key of its pipeline. */
  apiKey: string;
  webhookSecret: string;
  /** Its first owner. */
  host: MemberActor;
}

/** Which of the demo's projects exist and are open, each with what it says about samples. */
export async function demoStates({
  db,
}: Services): Promise<ReadonlyMap<keyof typeof DEMO_PROJECT_IDS, Samples | null>> {
  const ids = Object.entries(DEMO_PROJECT_IDS) as [keyof typeof DEMO_PROJECT_IDS, string][];
  const open = { id: { $in: ids.map(([, id]) => id) }, deletedAt: null, archivedAt: null };
  const found = await db.read((em) => em.find(Project, open, { fields: ['id', 'samples'] }));
  const byId = new Map(found.map(({ id, samples }) => [id, samples ?? null]));
  return new Map(ids.flatMap(([which, id]) => (byId.has(id) ? [[which, byId.get(id) ?? null] as const] : [])));
}

/**
 * Finds or creates a project of the demo and returns what its pipeline and its receiver need: a deleted one is created
 * again, an archived one is restored. For demo mode only. Everyone who signs in to a demo becomes an owner
 * (`joinDemo`).
 */
export async function seedDemo(
  services: Services,
  { project: which = 'answers', name, webhookUrl, settings }: DemoSeed,
): Promise<SeededProject> {
  const projectId = DEMO_PROJECT_IDS[which];
  await clearDeleted(services, projectId);
  const project = await services.db.read((em) => em.findOne(Project, { id: projectId }));
  const host = project ? await hostOf(services, projectId) : await makeHost(services);
  if (project === null) {
    const wanted = { ...DEFAULT_SETTINGS, ...settings, name, webhook_url: webhookUrl };
    await insertProject(services, host, { id: projectId, settings: wanted, notifications: [] });
  } else {
    await restoreProject(services, host, projectId);
    const changes = { webhook_url: webhookUrl };
    await changeSettings(services, host, { projectId, settingsVersion: project.settingsVersion, changes });
  }
  const former = await services.db.read((em) => em.find(ApiKey, { projectId, name: KEY_NAME, revokedAt: null }));
  for (const { id: keyId } of former) await revokeApiKey(services, host, { projectId, keyId });
  const { text } = await createApiKey(services, host, { projectId, name: KEY_NAME });
  return { projectId, apiKey: text, webhookSecret: await revealSecret(services, projectId), host };
}

/**
 * A deleted project of the demo has this id until its last row is deleted, so it is
 * purged now. Errors: `unavailable` when that takes too long.
 */
async function clearDeleted({ db }: Services, projectId: string): Promise<void> {
  for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
    const left = await db.write(async ({ em }) => {
      const rows = await em.execute<unknown[]>(
        'select id from project where id = ? and deleted_at is not null for no key update',
        [projectId],
      );
      return rows.length > 0 && !(await purgeBatch(em, projectId)).gone;
    });
    if (!left) return;
  }
  throw new Refusal('unavailable', 'The demo project is still being deleted. Start again later.');
}

/** The first owner of a project of the demo is a wallet whose key nobody has. */
async function makeHost(services: Services): Promise<MemberActor> {
  const user = await services.db.write((tx) =>
    findOrCreateUser(services, tx, { address: newAddress(), name: 'Demo host' }),
  );
  return actorOf(services, user);
}

async function hostOf(services: Services, projectId: string): Promise<MemberActor> {
  return services.db.read(async (em) => {
    const order = { orderBy: { createdAt: 'asc' as const } };
    const owner = await em.findOneOrFail(Member, { projectId, role: 'owner' }, order);
    return actorOf(services, await em.findOneOrFail(User, { id: owner.userId }));
  });
}

function actorOf(services: Services, user: User): MemberActor {
  const { id: userId, address } = user;
  return { kind: 'member', userId, address, name: user.name ?? null, sessionId: '', expiresAt: services.clock.now() };
}

async function revealSecret(services: Services, projectId: string): Promise<string> {
  const endpoint = await services.db.write(async ({ em }) => {
    // Otherwise the page would offer a first secret, and creating it would replace the one that the demo's receiver checks.
    await em.nativeUpdate(WebhookEndpoint, { id: projectId }, { revealed: true });
    return em.findOneOrFail(WebhookEndpoint, { id: projectId });
  });
  return decrypt(services.keyRing, endpoint.current, secretContext(projectId));
}

/**
 * Locks the projects before the person is looked up, the order of all membership
 * changes. A deletion of a project waits, or was first.
 */
export async function lockDemoProjects({ em }: Tx): Promise<void> {
  for (const projectId of Object.values(DEMO_PROJECT_IDS)) await lockProject(em, projectId);
}

/**
 * Makes a person who signs in to a demo an owner of its projects, in the transaction of the sign-in, after `lockDemoProjects`.
 */
export async function joinDemo(services: Services, tx: Tx, user: User): Promise<void> {
  for (const projectId of Object.values(DEMO_PROJECT_IDS)) await joinProject(services, tx, { projectId, user });
}

async function joinProject(
  services: Services,
  tx: Tx,
  { projectId, user }: { projectId: string; user: User },
): Promise<void> {
  const project = await tx.em.findOne(Project, { id: projectId, archivedAt: null, deletedAt: null });
  if (project === null) return;
  if ((await tx.em.count(Member, { projectId, userId: user.id })) > 0) return;
  const guidelinesSeen = project.guidelinesVersion;
  const createdAt = services.clock.now();
  await tx.em.insert(Member, { projectId, userId: user.id, role: 'owner', createdAt, guidelinesSeen });
  const actor = actorOf(services, user);
  const who = { subject: displayName(actor), subjectId: user.id };
  const change = { action: 'member.joined' as const, ...who, after: { role: 'owner' } };
  await recordChange(services, { tx, by: memberRef(actor) }, { projectId, changed: ['members'], ...change });
}
