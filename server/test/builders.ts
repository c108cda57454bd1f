// Builds test data with defaults: a submission, a project with its key, its members and its receiver.
import { acceptOffer } from '@countersign/shared/routes/offers';
import {
  addMember,
  changeProject,
  createApiKey,
  createProject,
  readProject,
  rotateWebhookSecret,
} from '@countersign/shared/routes/projects';
import type { Project } from '@countersign/shared/schemas/projects';
import type { ProjectSettings } from '@countersign/shared/settings';
import type { Submission } from '@countersign/shared/schemas/public';
import { claimItem, decideItem } from '@countersign/shared/routes/queue';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import type { Role } from '@countersign/shared/enums';
import { ACTIONS, byAction, isReasoned, type ReviewAction } from '@countersign/shared/review-actions';
import { type Person, type Pipeline, pipeline } from './client.ts';
import type { Receiver } from './receiver.ts';

let made = 0;

/** A submission that is queued under the default thresholds, unless the overrides say otherwise. */
export function aSubmission(overrides: Partial<Submission> = {}): Omit<Submission, 'project_id'> {
  made += 1;
  return {
    input: { question: `Question ${made}: may the parcel be returned?` },
    suggestion: `Answer ${made}: yes, within 30 days.`,
    confidence: 0.8,
    ...overrides,
  };
}

/** Settings of a project whose decisions are final at once (LC2: window 0), so that no test has to wait. */
export function aProject(overrides: Partial<ProjectSettings> = {}): Partial<ProjectSettings> & { name: string } {
  made += 1;
  return { name: `Project ${made}`, undo_window_seconds: 0, ...overrides };
}

export interface OpenProject {
  readonly id: string;
  readonly project: Project;
  readonly owner: Person;
  /** Submits with the project's key. */
  readonly pipeline: Pipeline;
}

/** Creates a project with a key; with a receiver also its webhook URL and secret, which the receiver verifies with. */
export async function openProject(
  owner: Person,
  { settings, receiver }: { settings?: Partial<ProjectSettings>; receiver?: Receiver } = {},
): Promise<OpenProject> {
  const webhook = receiver ? { webhook_url: receiver.url } : {};
  const project = await owner.call(createProject, { body: aProject({ ...webhook, ...settings }) });
  const params = { id: project.id };
  if (receiver) receiver.trust(project.id, (await owner.call(rotateWebhookSecret, { params })).webhook_secret);
  const { api_key: apiKey } = await owner.call(createApiKey, { params, body: { name: 'Pipeline' } });
  return { id: project.id, project, owner, pipeline: pipeline(owner.testEnv, { projectId: project.id, apiKey }) };
}

/** Gives decisions of the project an undo window of this many seconds from now on (LC2). */
export async function setUndoWindow({ owner, id }: OpenProject, seconds: number): Promise<void> {
  const params = { id };
  const { settings_version } = await owner.call(readProject, { params });
  await owner.call(changeProject, { params, body: { settings_version, undo_window_seconds: seconds } });
}

/** Makes an offer to a wallet; returns the id of the offer. */
export async function offerTo(
  { id, owner }: Pick<OpenProject, 'id' | 'owner'>,
  address: string,
  role: Role = 'reviewer',
): Promise<string> {
  const added = await owner.call(addMember, { params: { id }, body: { address, role } });
  if (added.kind !== 'offer') throw new Error('The wallet was added at once.');
  return added.id;
}

/** Adds a person to the reviewer pool through an offer that they accept (PM5). A member gets the role at once. */
export async function join(
  project: Pick<OpenProject, 'id' | 'owner'>,
  member: Person,
  role: Role = 'reviewer',
): Promise<void> {
  const body = { address: member.wallet.address, role };
  const added = await project.owner.call(addMember, { params: { id: project.id }, body });
  if (added.kind === 'offer') await member.call(acceptOffer, { params: { id: added.id } });
}

/** The required fields of `edit` and the other actions, where a test does not care. */
const COMPLETED = byAction((action): { output?: string; reason?: string; response?: string } => {
  if (ACTIONS[action].requires === 'response') return { response: 'Ask the customer first.' };
  if (isReasoned(action)) return { reason: action === 'reject' ? 'Incomplete' : 'Against policy' };
  return ACTIONS[action].requires === 'output'
    ? { output: 'An answer that a person wrote.', reason: 'Wrong fact' }
    : {};
});

/** Inserts many members at once, past the service: no event is appended. */
export async function insertMembers(
  { id, owner: { testEnv } }: Pick<OpenProject, 'id' | 'owner'>,
  reviewers: readonly Person[],
): Promise<void> {
  const insert = `insert into member (project_id, user_id, role, created_at) values ($1, $2, 'reviewer', now())`;
  for (const member of reviewers) await testEnv.sql(insert, [id, member.id]);
}

/** Claims the item and decides it. */
export async function review(
  reviewer: Person,
  itemId: string,
  action: ReviewAction = 'approve',
  via: { process?: number } = {},
): Promise<ItemDetail> {
  const params = { id: itemId };
  const { fence } = await reviewer.call(claimItem, { params }, via);
  return reviewer.call(decideItem, { params, body: { fence, action, ...COMPLETED[action] } }, via);
}
