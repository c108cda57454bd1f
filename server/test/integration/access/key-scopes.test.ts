// Tests the scopes and expiry of a key, and what happens to it when its creator leaves (K8, K9).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listChanges } from '@countersign/shared/api/changes';
import { createApiKey, listApiKeys, removeMember } from '@countersign/shared/api/projects';
import { listItems, readItem, submitItem } from '@countersign/shared/api/public';
import { SCOPES, type Scope } from '@countersign/shared/enums';
import { aSubmission, join, type OpenProject } from '../../builders.ts';
import { checkApiKey } from '../../../src/usecases/credentials/check-api-key.ts';
import { person, type Person, pipeline } from '../../client.ts';
import {
  codeOf,
  type MatrixEnvironment,
  openMatrixEnvironment,
  requestOf,
  send,
} from '../access-matrix/environment.ts';
import { endpointOf, named } from '../access-matrix/routes.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let matrixEnv: MatrixEnvironment;
let project: OpenProject;

beforeAll(async () => {
  served = await serve(inside.services);
  matrixEnv = await openMatrixEnvironment(served, inside);
  ({ project } = matrixEnv);
});
afterAll(() => served.close());

const aKey = (body: object, by: Person = project.owner) =>
  by.call(createApiKey, { params: { id: project.id }, body: { name: 'Scoped', ...body } });
const as = (apiKey: string) => pipeline(project.owner.testEnv, { projectId: project.id, apiKey });

it('PW2, MB1: a key counts for its creator, also when its project has another owner', async () => {
  const maker = project.owner.id;
  const { api_key: key } = await aKey({});
  await inside.sql(`update member set created_at = '2020-01-01' where project_id = ? and user_id <> ?`, [
    project.id,
    maker,
  ]);
  inside.services.keys.forget((await checkApiKey(inside.services, key)).keyId);
  expect(await checkApiKey(inside.services, key)).toMatchObject({ ownerId: maker });
});

describe('K8: the scopes of a key', () => {
  const FOR_KEYS = named((least) => least === 'key');

  it.each(FOR_KEYS.flatMap((name) => SCOPES.map((scope) => [name, scope] as const)))(
    '%s with %s alone',
    async (name, scope) => {
      const { api_key: key } = await aKey({ scopes: [scope] });
      const outcome = codeOf(await send(matrixEnv, requestOf(matrixEnv, name), { 'x-api-key': key }));
      expect(outcome).toBe(endpointOf(name).scope === scope ? 'in' : 'forbidden');
    },
  );

  it('are each needed somewhere, and every route of a key has one', () => {
    const scopes = FOR_KEYS.map((name) => endpointOf(name).scope);
    expect([...new Set(scopes)].sort()).toEqual(['read', 'submit']);
  });

  it('default to both, as for every key from before scopes', async () => {
    const { api_key: key, scopes } = await aKey({});
    expect(scopes).toEqual(['submit', 'read']);
    await inside.sql(
      `insert into api_key (id, project_id, name, hash, last4, created_at) values (gen_random_uuid(), ?, 'Old', 'x', 'abcd', now())`,
      [project.id],
    );
    const { data } = await project.owner.call(listApiKeys, { params: { id: project.id } });
    expect(data.find(({ name }) => name === 'Old')).toMatchObject({
      scopes: ['submit', 'read'],
      expires_at: null,
      created_by: null,
    });
    const { id } = await as(key).call(submitItem, { body: { project_id: project.id, ...aSubmission() } });
    expect((await as(key).call(readItem, { params: { id } })).id).toBe(id);
  });

  it.each([[[]], [['write']]])('the scopes of a key cannot be %j', async (scopes) => {
    const body = { scopes: scopes as Scope[] };
    await project.owner.refused('validation_failed', createApiKey, { params: { id: project.id }, body });
  });
});

describe('K9: the expiry and the creator of a key', () => {
  const inMs = (ms: number) => new Date(inside.clock.now().getTime() + ms).toISOString();

  it('an expired key is treated as a revoked one, also right after a lookup', async () => {
    const end = inMs(600_000);
    const { api_key: key, expires_at } = await aKey({ expires_at: end });
    expect(expires_at).toBe(end);
    await as(key).call(listItems);
    inside.clock.pass(597_500);
    await as(key).call(listItems);
    // Less than the cache lifetime of a key.
    inside.clock.pass(2500);
    const ended = await as(key).refused('api_key_invalid', listItems);
    const unknown = await as(matrixEnv.revokedKey).refused('api_key_invalid', listItems);
    expect(ended.detail).toBe(unknown.detail);
  });

  it('an expiry in the past is refused', async () => {
    const body = { expires_at: inMs(-1000) };
    const refusal = await project.owner.refused('validation_failed', createApiKey, {
      params: { id: project.id },
      body,
    });
    expect(refusal.errors).toMatchObject([{ pointer: '#/expires_at' }]);
  });

  it('the list shows who created it, its scopes and its expiry', async () => {
    const { id } = await aKey({ scopes: ['read'], expires_at: inMs(60_000) });
    const { data } = await project.owner.call(listApiKeys, { params: { id: project.id } });
    const made = { scopes: ['read'], created_by: { user_id: project.owner.id }, last_used_at: null };
    expect(data.find((key) => key.id === id)).toMatchObject(made);
  });

  it('removing a member with the option revokes the keys they created, each with its entry', async () => {
    const leaves = await person(served.testEnv);
    await join(project, leaves, 'owner');
    const [one, other, gone] = [
      await aKey({ name: 'One' }, leaves),
      await aKey({ name: 'Other' }, leaves),
      await aKey({}, leaves),
    ];
    await inside.sql('update api_key set revoked_at = now() where id = ?', [gone.id]);
    const own = await aKey({ name: 'Stays' });
    const params = { id: project.id, user_id: leaves.id };
    await as(one.api_key).call(listItems);
    await project.owner.call(removeMember, { params, query: { revoke_keys: 'true' } });
    for (const key of [one, other]) await as(key.api_key).refused('api_key_invalid', listItems);
    await as(own.api_key).call(listItems);
    const { data } = await project.owner.call(listChanges, { params: { id: project.id }, query: { limit: 3 } });
    expect(data.map(({ action }) => action).sort()).toEqual(['key.revoked', 'key.revoked', 'member.left']);
  });

  it('without the option the keys stay, and a caller who may not revoke keys cannot request it', async () => {
    const leaves = await person(served.testEnv);
    await join(project, leaves, 'owner');
    const key = await aKey({}, leaves);
    const reviewer = await person(served.testEnv);
    await join(project, reviewer);
    const own = { id: project.id, user_id: reviewer.id };
    await reviewer.refused('forbidden', removeMember, { params: own, query: { revoke_keys: 'true' } });
    await project.owner.call(removeMember, { params: { id: project.id, user_id: leaves.id } });
    await as(key.api_key).call(listItems);
  });
});
