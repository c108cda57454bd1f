// Every route of the contract by every kind of caller, from one table: a route without a row fails.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS } from '@countersign/shared/api/all.fixture';
import type { Endpoint } from '@countersign/shared/api/endpoint';
import * as invites from '@countersign/shared/api/invites';
import * as projects from '@countersign/shared/api/projects';
import { problem } from '@countersign/shared/errors';
import { ROLES, type Role } from '@countersign/shared/words';
import { aSubmission, join, openProject, type OpenProject } from '../builders.ts';
import { makeWallet, person, type Person } from '../client.ts';
import { bindRoutes } from '../../src/http/app.ts';
import { aSender, hexOf, type Sender } from './inbound-sender.ts';
import { ask, serve, type Served } from './served.ts';
import { useServices } from './services.ts';

const BY_NAME = new Map(ENDPOINTS);

function endpointOf(name: string): Endpoint {
  const endpoint = BY_NAME.get(name);
  if (endpoint === undefined) throw new Error(`The contract has no ${name}.`);
  return endpoint;
}

/** The least that is let in: nobody in particular, anyone signed in, a member by role (rule PM), a key, a signature. And a body that is in order. */
const GATES: Record<
  string,
  { least: 'nobody' | 'anyone' | Role | 'key' | 'signature'; body?: object; query?: string }
> = {
  challenge: { least: 'nobody' },
  verify: { least: 'nobody', body: {} },
  readMeta: { least: 'nobody' },
  readOpenApi: { least: 'nobody' },
  readSession: { least: 'anyone' },
  endSession: { least: 'anyone' },
  listSessions: { least: 'anyone' },
  endOneSession: { least: 'anyone' },
  endOtherSessions: { least: 'anyone' },
  listProjects: { least: 'anyone' },
  createProject: { least: 'anyone', body: { name: 'Mine' } },
  readProject: { least: 'reviewer' },
  changeProject: { least: 'owner', body: { settings_version: 1 } },
  listApiKeys: { least: 'owner' },
  createApiKey: { least: 'owner' },
  revokeApiKey: { least: 'owner' },
  rotateWebhookSecret: { least: 'owner' },
  promoteWebhookSecret: { least: 'owner' },
  listMembers: { least: 'reviewer' },
  addMember: { least: 'owner', body: { address: makeWallet().address, role: 'reviewer' } },
  changeMember: { least: 'owner', body: { role: 'reviewer' } },
  removeMember: { least: 'owner' },
  listInvites: { least: 'owner' },
  createInvite: { least: 'owner', body: { role: 'reviewer' } },
  revokeInvite: { least: 'owner' },
  acceptInvite: { least: 'anyone' },
  listQueue: { least: 'reviewer', query: 'project_id=:id' },
  claimNext: { least: 'reviewer', body: { project_id: ':id' } },
  readQueueItem: { least: 'reviewer' },
  readHistory: { least: 'reviewer' },
  claimItem: { least: 'reviewer' },
  renewClaim: { least: 'reviewer', body: { fence: 1 } },
  releaseClaim: { least: 'reviewer', body: { fence: 1 } },
  decideItem: { least: 'reviewer', body: { fence: 99, action: 'approve' } },
  undoDecision: { least: 'reviewer' },
  listLearnings: { least: 'supervisor' },
  readAnalytics: { least: 'supervisor' },
  listDeliveries: { least: 'supervisor' },
  submitItem: { least: 'key', body: { project_id: ':id', input: 'q', suggestion: 'a', confidence: 0.8 } },
  submitBatch: { least: 'key', body: { items: [{}] } },
  readItem: { least: 'key' },
  receiveInbound: { least: 'signature', body: { input: 'q', suggestion: 'a', confidence: 0.8 } },
  listInboundSources: { least: 'owner' },
  createInboundSource: { least: 'owner' },
  removeInboundSource: { least: 'owner' },
  listItems: { least: 'key' },
  listEvents: { least: 'key' },
};

const inside = useServices();
let served: Served;
let project: OpenProject;
let itemId: string;
let keyId: string;
let inviteId: string;
/** A member who may be changed and removed. */
let member: Person;
let source: Sender;
/** A second one, which may be removed. */
let spare: Sender;
const callers: Partial<Record<Role | 'stranger', Person>> = {};

beforeAll(async () => {
  served = await serve(inside.services);
  project = await openProject(await person(served.world));
  callers.owner = project.owner;
  for (const role of ['reviewer', 'supervisor'] as const)
    await join(project, (callers[role] = await person(served.world)), role);
  await join(project, (member = await person(served.world)));
  const invited = { params: { id: project.id }, body: { role: 'reviewer' as const } };
  inviteId = (await project.owner.call(invites.createInvite, invited)).id;
  callers.stranger = await person(served.world);
  itemId = (await project.pipeline.submit(aSubmission())).id;
  keyId = (await project.owner.call(projects.createApiKey, { params: { id: project.id }, body: { name: 'Other' } })).id;
  [source, spare] = [await aSender(project), await aSender(project)];
});
afterAll(() => served.close());

const cookieOf = (caller: Role | 'stranger') => ({ cookie: callers[caller]?.cookieHeader() ?? '' });
const sameOrigin = () => ({ origin: served.world.baseUrl });

/** Sends the route’s request, and names what came of it: `in`, or the code of the refusal. */
async function knock(name: string, headers: Record<string, string>): Promise<string> {
  const { method, path } = endpointOf(name);
  const { body, query } = GATES[name] ?? {};
  const mine = path.startsWith('/api/items/') || path.startsWith('/api/public/items/') ? itemId : project.id;
  const sourceId = name === 'receiveInbound' ? source.sourceId : spare.sourceId;
  const filled = (text: string, id = project.id) =>
    text
      .replace(':id', id)
      .replace(':key_id', keyId)
      .replace(':source_id', sourceId)
      .replace(':user_id', member.id)
      .replace(':invite_id', inviteId);
  const sent = {
    method,
    path: filled(path, mine) + (query ? `?${filled(query)}` : ''),
    headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
    body: body && filled(JSON.stringify(body)),
  };
  const { status, text } = await ask(served, sent);
  return status < 400 ? 'in' : problem.parse(JSON.parse(text)).code;
}

const named = (wanted: (least: string) => boolean) =>
  Object.entries(GATES).flatMap(([name, { least }]) => (wanted(least) ? [name] : []));
const FOR_PEOPLE = named((least) => !['nobody', 'key', 'signature'].includes(least));
const CHANGES = Object.keys(GATES).filter(
  (name) => endpointOf(name).method !== 'GET' && !['api_key', 'signature'].includes(endpointOf(name).auth),
);

describe('every route', () => {
  it('has a row in this table, and is answered by the server', () => {
    expect(Object.keys(GATES).sort()).toEqual(ENDPOINTS.map(([name]) => name).sort());
    const router = bindRoutes(inside.services);
    const bound = router.stack.flatMap(({ methods, path }) => methods.map((method) => `${method} ${String(path)}`));
    for (const name of Object.keys(GATES)) {
      const { method, path } = endpointOf(name);
      expect(bound, name).toContain(`${method} ${path}`);
    }
    expect(router.stack).toHaveLength(Object.keys(GATES).length);
  });

  it.each(FOR_PEOPLE)('%s: nobody gets in without a session, nor with an API key in its place', async (name) => {
    expect(await knock(name, sameOrigin())).toBe('session_missing');
    expect(await knock(name, { ...sameOrigin(), 'x-api-key': project.pipeline.apiKey })).toBe('session_missing');
  });

  it.each(named((least) => least === 'key'))(
    '%s: nobody gets in without a key, nor with a session in its place',
    async (name) => {
      expect(await knock(name, { ...sameOrigin(), ...cookieOf('owner') })).toBe('api_key_missing');
      expect(await knock(name, { 'x-api-key': 'csk_x' })).toBe('api_key_invalid');
      expect(await knock(name, { 'x-api-key': project.pipeline.apiKey })).toBe('in');
    },
  );

  it.each(named((least) => least === 'signature'))(
    'K6: %s: nobody gets in without a signature, nor with a key and a session in its place',
    async (name) => {
      const others = { ...sameOrigin(), ...cookieOf('owner'), 'x-api-key': project.pipeline.apiKey };
      expect(await knock(name, others)).toBe('signature_missing');
      const body = JSON.stringify(GATES[name]?.body);
      expect(await knock(name, { ...others, ...hexOf('whsec_', body) })).toBe('signature_invalid');
      expect(await knock(name, hexOf(source.secret, body))).toBe('in');
    },
  );

  it.each(CHANGES)('%s: no change from another site, whoever’s cookie it carries', async (name) => {
    const ours = served.world.baseUrl;
    const foreign: Record<string, string>[] = [
      {},
      { origin: 'null' },
      { origin: ours.replace('http:', 'https:') },
      { origin: `${ours}:81` },
      { origin: `${ours}.evil.test` },
      { origin: `${ours}/` },
      { origin: ours.toUpperCase() },
      { origin: ours, 'sec-fetch-site': 'cross-site' },
      { origin: ours, 'sec-fetch-site': 'same-site' },
      { origin: ours, 'sec-fetch-site': 'none' },
      { host: new URL(ours).host, referer: `${ours}/queue` },
    ];
    for (const headers of foreign) {
      expect(await knock(name, { ...cookieOf('owner'), ...headers }), JSON.stringify(headers)).toBe('origin_refused');
    }
  });

  const members = named((least) => ROLES.includes(least as Role));
  it.each(members)('PM: %s: to a stranger it is not there', async (name) => {
    expect(await knock(name, { ...sameOrigin(), ...cookieOf('stranger') })).toBe('not_found');
  });

  it.each(members.flatMap((name) => ROLES.map((role) => [name, role] as const)))('PM: %s as %s', async (name, role) => {
    const outcome = await knock(name, { ...sameOrigin(), 'sec-fetch-site': 'same-origin', ...cookieOf(role) });
    const allowed = ROLES.indexOf(role) >= ROLES.indexOf(GATES[name]?.least as Role);
    if (!allowed) expect(outcome).toBe('forbidden');
    // Two supervisors may stand in each other’s way; what is not allowed is being told that one may not.
    else expect(['in', 'claim_held', 'claim_lost', 'undo_window_passed']).toContain(outcome);
  });
});
