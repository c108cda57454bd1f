// A project with its people, its pipeline and its items, made by the use cases themselves.
import type { ProjectSettings } from '@countersign/shared/api/projects';
import type { ReviewAction, Role } from '@countersign/shared/words';
import { newAddress } from '../../src/crypto/ed25519.ts';
import type { Item } from '../../src/db/entities/item.ts';
import { Member } from '../../src/db/entities/member.ts';
import { User } from '../../src/db/entities/user.ts';
import { addMember, findOrCreateUser } from '../../src/usecases/add-member.ts';
import { createApiKey } from '../../src/usecases/api-keys.ts';
import { checkApiKey } from '../../src/usecases/check-api-key.ts';
import { claim } from '../../src/usecases/claim.ts';
import { createProject } from '../../src/usecases/create-project.ts';
import { decide } from '../../src/usecases/decide.ts';
import type { DecideInput } from '../../src/usecases/decision-rows.ts';
import type { ApiKeyActor, MemberActor, Services } from '../../src/usecases/services.ts';
import { submit, type SubmitInput } from '../../src/usecases/submit.ts';

export interface Scene {
  projectId: string;
  owner: MemberActor;
  supervisor: MemberActor;
  /** A reviewer, and a second one. */
  anna: MemberActor;
  ben: MemberActor;
  pipeline: ApiKeyActor;
  apiKey: string;
}

/** Somebody with a wallet, member of nothing yet. */
export async function aPerson(services: Services, name: string | undefined = undefined): Promise<MemberActor> {
  const user = await services.db.write((tx) => findOrCreateUser(services, tx, { address: newAddress(), name }));
  const { id: userId, address } = user;
  return { kind: 'member', userId, address, name: name ?? null, sessionId: '', expiresAt: services.clock.now() };
}

export async function join(services: Services, scene: Scene, { who, role }: { who: MemberActor; role: Role }) {
  const { projectId, owner } = scene;
  await addMember(services, owner, { projectId, address: who.address, role, name: undefined });
}

/** So many reviewers of the scene, made in one go. */
export async function aCrowd(services: Services, scene: Scene, count: number): Promise<MemberActor[]> {
  const crowd = Array.from({ length: count }, (_, index) => ({
    kind: 'member' as const,
    userId: services.ids.uuid(),
    address: newAddress(),
    name: `Reviewer ${index}`,
    sessionId: '',
    expiresAt: services.clock.now(),
  }));
  const createdAt = services.clock.now();
  await services.db.write(async ({ em }) => {
    await em.insertMany(
      User,
      crowd.map(({ userId: id, address, name }) => ({ id, address, name, createdAt })),
    );
    await em.insertMany(
      Member,
      crowd.map(({ userId }) => ({ projectId: scene.projectId, userId, role: 'reviewer' as const, createdAt })),
    );
  });
  return crowd;
}

/** A project whose decisions are final at once, unless the settings say otherwise. */
export async function aScene(services: Services, settings: Partial<ProjectSettings> = {}): Promise<Scene> {
  const owner = await aPerson(services, 'Olga');
  const projectId = await createProject(services, owner, { name: 'Refunds', undo_window_seconds: 0, ...settings });
  const add = async (name: string, role: Role) => {
    const person = await aPerson(services, name);
    await addMember(services, owner, { projectId, address: person.address, role, name });
    return person;
  };
  const supervisor = await add('Sam', 'supervisor');
  const anna = await add('Anna', 'reviewer');
  const ben = await add('Ben', 'reviewer');
  const { text: apiKey } = await createApiKey(services, owner, { projectId, name: 'Pipeline' });
  const pipeline = await checkApiKey(services, apiKey);
  return { projectId, owner, supervisor, anna, ben, pipeline, apiKey };
}

/** What a pipeline submits, as the door hands it in: queued under the default thresholds. */
export function aSubmission(overrides: Partial<SubmitInput> = {}): SubmitInput {
  return {
    input: { value: { question: 'May it be returned?' }, raw: '{"question":"May it be returned?"}' },
    suggestion: { raw: '"Yes, within 30 days."' },
    metadata: null,
    confidence: 0.8,
    riskFlags: [],
    idempotency: null,
    ...overrides,
  };
}

export async function anItem(services: Services, scene: Scene, overrides: Partial<SubmitInput> = {}): Promise<Item> {
  return (await submit(services, scene.pipeline, aSubmission(overrides))).item;
}

export function items(services: Services, scene: Scene, count: number): Promise<Item[]> {
  return Promise.all(Array.from({ length: count }, () => anItem(services, scene)));
}

/** A decision as the door hands it in, with whatever the action needs. */
export function aDecision(
  action: ReviewAction,
  overrides: Partial<DecideInput> = {},
): Omit<DecideInput, 'itemId' | 'fence'> {
  const output = action === 'edit' ? { value: 'No.', raw: '"No."' } : null;
  const reason = action === 'approve' || action === 'return' ? null : 'Wrong fact';
  return { action, output, reason, note: null, ...overrides };
}

/** Claims the item and decides it. */
export async function review(
  services: Services,
  who: MemberActor,
  { itemId, action, ...overrides }: { itemId: string; action: ReviewAction } & Partial<DecideInput>,
): Promise<Item> {
  const { fence } = await claim(services, who, itemId);
  return decide(services, who, { itemId, fence, ...aDecision(action, overrides) });
}
