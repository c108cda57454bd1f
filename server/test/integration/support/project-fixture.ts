// A project fixture with people, pipeline and items, created through the use cases.
import { beforeEach } from 'vitest';
import type { ProjectSettings } from '@countersign/shared/settings';
import type { Role } from '@countersign/shared/enums';
import { ACTIONS, type ReviewAction } from '@countersign/shared/review-actions';
import { newAddress } from '../../../src/crypto/ed25519.ts';
import { Member } from '../../../src/db/entities/member.ts';
import { User } from '../../../src/db/entities/user.ts';
import { addMember } from '../../../src/usecases/access/add-member.ts';
import { createApiKey } from '../../../src/usecases/credentials/api-keys.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { createProject } from '../../../src/usecases/projects/create-project.ts';
import { decide, type DecideInput } from '../../../src/usecases/decisions/decide.ts';
import { acceptOffer } from '../../../src/usecases/access/offers.ts';
import type { ApiKeyActor, MemberActor, Services } from '../../../src/usecases/services.ts';
import type { SubmitResult } from '../../../src/usecases/items/intake.ts';
import { submit, type SubmitRequest } from '../../../src/usecases/items/submit.ts';
import type { ServicesEnvironment } from './test-services.ts';

export interface ProjectFixture {
  projectId: string;
  owner: MemberActor;
  supervisor: MemberActor;
  /** A reviewer, and a second one. */
  anna: MemberActor;
  ben: MemberActor;
  pipeline: ApiKeyActor;
  apiKey: string;
}

/** People with wallets and no memberships, created in one statement. */
async function people(services: Services, names: (string | null)[]): Promise<MemberActor[]> {
  const made = names.map((name) => ({
    kind: 'member' as const,
    userId: services.ids.uuid(),
    address: newAddress(),
    name,
    sessionId: '',
    expiresAt: services.clock.now(),
  }));
  const createdAt = services.clock.now();
  const rows = made.map(({ userId: id, address, name }) => ({ id, address, name, createdAt }));
  await services.db.write(({ em }) => em.insertMany(User, rows));
  return made;
}

/** A person without memberships. */
export async function aPerson(services: Services): Promise<MemberActor> {
  const [person] = await people(services, [null]);
  if (person === undefined) throw new Error('One was asked for.');
  return person;
}

async function addMembers(
  services: Services,
  projectId: string,
  members: { who: MemberActor; role: Role }[],
): Promise<void> {
  const createdAt = services.clock.now();
  const rows = members.map(({ who, role }) => ({ projectId, userId: who.userId, role, createdAt }));
  await services.db.write(({ em }) => em.insertMany(Member, rows));
}

/** Adds a person, or changes a member's role, through an offer that they accept (PM5). */
export async function grantRole(
  services: Services,
  { owner, projectId }: Pick<ProjectFixture, 'owner' | 'projectId'>,
  { who, role = 'reviewer' }: { who: MemberActor; role?: Role },
): Promise<void> {
  const added = await addMember(services, owner, { projectId, address: who.address, role });
  if (added.kind === 'offer') await acceptOffer(services, who, added.offer.id);
}

/** Adds this many reviewers. */
export async function addReviewers(services: Services, fixture: ProjectFixture, count: number): Promise<MemberActor[]> {
  const reviewers = await people(
    services,
    Array.from({ length: count }, (_, index) => `Reviewer ${index}`),
  );
  await addMembers(
    services,
    fixture.projectId,
    reviewers.map((who) => ({ who, role: 'reviewer' })),
  );
  return reviewers;
}

/** A project whose decisions are final at once, unless the settings say otherwise. */
export async function createProjectFixture(
  services: Services,
  settings: Partial<ProjectSettings> = {},
): Promise<ProjectFixture> {
  const [owner, supervisor, anna, ben] = await people(services, ['Olga', 'Sam', 'Anna', 'Ben']);
  if (!owner || !supervisor || !anna || !ben) throw new Error('Four were asked for.');
  const projectId = await createProject(services, owner, { name: 'Refunds', undo_window_seconds: 0, ...settings });
  await addMembers(services, projectId, [
    { who: supervisor, role: 'supervisor' },
    { who: anna, role: 'reviewer' },
    { who: ben, role: 'reviewer' },
  ]);
  const { key, text: apiKey } = await createApiKey(services, owner, { projectId, name: 'Pipeline' });
  const pipeline = { kind: 'api_key' as const, keyId: key.id, projectId, ownerId: owner.userId, name: key.name };
  return { projectId, owner, supervisor, anna, ben, pipeline, apiKey };
}

/** A new project before each test, with these settings (see `createProjectFixture`). */
export function useProjectFixture(
  testEnv: Pick<ServicesEnvironment, 'services'>,
  settings: Partial<ProjectSettings> = {},
): ProjectFixture {
  // Tests are defined before there is a project: each finds its own in the same object.
  const fixture = {} as ProjectFixture;
  beforeEach(async () => void Object.assign(fixture, await createProjectFixture(testEnv.services, settings)));
  return fixture;
}

/** A submission as the intake receives it: queued under the default thresholds. */
export function aSubmission(overrides: Partial<SubmitRequest> = {}): SubmitRequest {
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

export async function anItem(
  services: Services,
  fixture: ProjectFixture,
  overrides: Partial<SubmitRequest> = {},
): Promise<SubmitResult['item']> {
  return (await submit(services, fixture.pipeline, aSubmission(overrides))).item;
}

export function items(services: Services, fixture: ProjectFixture, count: number): Promise<SubmitResult['item'][]> {
  return Promise.all(Array.from({ length: count }, () => anItem(services, fixture)));
}

/** A decision as the use case receives it, with what the action needs. */
export function aDecision(
  action: ReviewAction,
  overrides: Partial<DecideInput> = {},
): Omit<DecideInput, 'itemId' | 'fence'> {
  const { requires } = ACTIONS[action];
  const output = requires === 'output' ? { value: 'No.', raw: '"No."' } : null;
  const reason = requires === 'nothing' || requires === 'response' ? null : 'Wrong fact';
  const response = requires === 'response' ? 'Ask the customer first.' : null;
  return { action, output, reason, note: null, response, ...overrides };
}

/** Claims the item and decides it. */
export async function review(
  services: Services,
  who: MemberActor,
  { itemId, action, ...overrides }: { itemId: string; action: ReviewAction } & Partial<DecideInput>,
): Promise<SubmitResult['item']> {
  const { fence } = await claim(services, who, itemId);
  return decide(services, who, { itemId, fence, ...aDecision(action, overrides) });
}
