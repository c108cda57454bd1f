// Tests every route of the contract with every kind of caller, by the table in routes.ts: a route without a row fails.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS } from '@countersign/shared/contract/endpoints';
import { createInvite } from '@countersign/shared/routes/invites';
import { addMember, changeMember, listMembers } from '@countersign/shared/routes/projects';
import { listEvents, listItems } from '@countersign/shared/routes/public';
import { endSession } from '@countersign/shared/routes/session';
import { ROLES, type Role } from '@countersign/shared/enums';
import { makeWallet, person } from '../../client.ts';
import { bindRoutes } from '../../../src/http/app.ts';
import { encodeCursor } from '../../../src/usecases/cursor.ts';
import { CHANGES, endpointOf, FOR_PEOPLE, ACCESS_RULES, named } from './routes.ts';
import {
  asPerson,
  codeOf,
  type MatrixEnvironment,
  refusalCodeOf,
  openMatrixEnvironment,
  requestOf,
  send,
  type Who,
} from './environment.ts';
import { hexOf, neutral } from '../webhooks/inbound-sender.ts';
import { serve } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let matrixEnv: MatrixEnvironment;

beforeAll(async () => {
  matrixEnv = await openMatrixEnvironment(await serve(inside.services), inside);
});
afterAll(() => matrixEnv.served.close());

const sameOrigin = () => ({ origin: matrixEnv.served.testEnv.baseUrl });
const MEMBERS = named((least) => ROLES.includes(least as Role));
const FOR_KEYS = named((least) => least === 'key');

describe('T5: every route', () => {
  it('has a row in this table, and the server serves it', () => {
    expect(Object.keys(ACCESS_RULES).sort()).toEqual(ENDPOINTS.map(([name]) => name).sort());
    const router = bindRoutes(inside.services);
    const bound = router.stack.flatMap(({ methods, path }) => methods.map((method) => `${method} ${String(path)}`));
    for (const name of Object.keys(ACCESS_RULES)) {
      const { method, path } = endpointOf(name);
      expect(bound, name).toContain(`${method} ${path}`);
    }
    expect(router.stack).toHaveLength(Object.keys(ACCESS_RULES).length);
  });

  it('T1: admits the callers that the contract names, and denies all others', () => {
    const asks = {
      nobody: 'none',
      anyone: 'session',
      key: 'api_key',
      bearer: 'bearer',
      signature: 'signature',
    } as const;
    for (const [name, { least }] of Object.entries(ACCESS_RULES))
      expect([name, endpointOf(name).auth]).toEqual([name, asks[least as keyof typeof asks] ?? 'session']);
  });
});

describe('anybody', () => {
  it.each(FOR_PEOPLE)('A6: %s: requires a session, and takes no API key in its place', async (name) => {
    const keys = [matrixEnv.project.pipeline.apiKey, matrixEnv.other.pipeline.apiKey, matrixEnv.revokedKey];
    expect(await refusalCodeOf(matrixEnv, name, sameOrigin())).toBe('session_missing');
    for (const key of keys)
      expect(await refusalCodeOf(matrixEnv, name, { ...sameOrigin(), 'x-api-key': key })).toBe('session_missing');
  });

  it.each(FOR_PEOPLE)('A4: %s: refuses a session that was ended', async (name) => {
    const gone = await person(matrixEnv.served.testEnv, matrixEnv.project.owner.wallet);
    const cookie = gone.cookieHeader();
    await gone.call(endSession);
    expect(await refusalCodeOf(matrixEnv, name, { ...sameOrigin(), cookie })).toBe('session_missing');
  });

  it.each(FOR_KEYS)('A6: %s: requires a key, and takes no session in its place', async (name) => {
    expect(await refusalCodeOf(matrixEnv, name, asPerson(matrixEnv, 'owner'))).toBe('api_key_missing');
    for (const key of ['csk_x', matrixEnv.revokedKey])
      expect(await refusalCodeOf(matrixEnv, name, { ...asPerson(matrixEnv, 'owner'), 'x-api-key': key })).toBe(
        'api_key_invalid',
      );
    const cookie = '__Host-sid=none';
    expect(await refusalCodeOf(matrixEnv, name, { 'x-api-key': matrixEnv.project.pipeline.apiKey, cookie })).toBe('in');
  });

  it.each(named((least) => least === 'signature'))(
    'K6: %s: requires a signature, and takes no key or session in its place',
    async (name) => {
      const others = { ...asPerson(matrixEnv, 'owner'), 'x-api-key': matrixEnv.project.pipeline.apiKey };
      expect(await refusalCodeOf(matrixEnv, name, others)).toBe('signature_missing');
      const body = requestOf(matrixEnv, name).body as string;
      for (const secret of ['whsec_', matrixEnv.theirSource.secret])
        expect(await refusalCodeOf(matrixEnv, name, { ...others, ...hexOf(secret, body) })).toBe('signature_invalid');
      expect(await refusalCodeOf(matrixEnv, name, hexOf(matrixEnv.source.secret, body))).toBe('in');
    },
  );
});

describe('T2: a key', () => {
  /** What a key of another project sees of this project's objects. */
  const EXPECTED_CODES: Record<string, string> = {
    ...{ readItem: 'not_found', withdrawItem: 'not_found', submitItem: 'project_mismatch' },
    ...{ readRegression: 'not_found', listCases: 'not_found', answerCases: 'not_found' },
  };

  it.each(FOR_KEYS)('%s: of another project sees nothing of this one', async (name) => {
    const answer = await send(matrixEnv, requestOf(matrixEnv, name), { 'x-api-key': matrixEnv.other.pipeline.apiKey });
    expect(codeOf(answer)).toBe(EXPECTED_CODES[name] ?? 'in');
    expect(JSON.stringify(neutral(answer))).not.toContain(matrixEnv.ids.item);
  });

  it('lists only what belongs to its own project', async () => {
    for (const { pipeline, id } of [matrixEnv.project, matrixEnv.other]) {
      const { data } = await pipeline.call(listItems);
      expect(data.length).toBeGreaterThan(0);
      expect(new Set(data.map((item) => item.project_id))).toEqual(new Set([id]));
      const events = await pipeline.call(listEvents);
      expect(events.data.filter((event) => event.project_id !== id)).toEqual([]);
    }
  });

  it('continues from another project’s cursor with its own objects alone', async () => {
    const { pipeline } = matrixEnv.project;
    const after = encodeCursor({ at: new Date(Date.now() + 60_000), id: matrixEnv.theirs.item });
    const { data } = await pipeline.call(listItems, { query: { after } });
    expect(data.map((item) => item.project_id)).toContain(matrixEnv.ids.project);
    expect(data.map((item) => item.project_id)).not.toContain(matrixEnv.theirs.project);
  });
});

describe('another site', () => {
  const foreign = (ours: string): Record<string, string>[] => [
    {},
    { origin: 'null' },
    { origin: ours.replace('http:', 'https:') },
    { origin: `${ours}:81` },
    { origin: `${ours}.evil.test` },
    { origin: ours.slice(0, -1) },
    { origin: `${ours}/` },
    { origin: `${ours}, ${ours}` },
    { origin: ours.toUpperCase() },
    { origin: ours, 'sec-fetch-site': 'cross-site' },
    { origin: ours, 'sec-fetch-site': 'same-site' },
    { origin: ours, 'sec-fetch-site': 'none' },
    { host: new URL(ours).host, referer: `${ours}/queue` },
  ];

  it.each(CHANGES)('A5: %s: makes no change, with any cookie', async (name) => {
    const { cookie } = asPerson(matrixEnv, 'owner');
    for (const headers of foreign(matrixEnv.served.testEnv.baseUrl))
      expect(await refusalCodeOf(matrixEnv, name, { cookie, ...headers }), JSON.stringify(headers)).toBe(
        'origin_refused',
      );
  });

  it.each(CHANGES.filter((name) => endpointOf(name).body !== null))('A5: %s: takes JSON and no form', async (name) => {
    const request = { ...requestOf(matrixEnv, name), body: '{"a":1}' };
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''])
      expect(
        codeOf(await send(matrixEnv, request, { ...asPerson(matrixEnv, 'stranger'), 'content-type': type })),
        type,
      ).toBe('unsupported_media_type');
  });

  it.each(Object.keys(ACCESS_RULES))('A6: %s: sets no CORS header in any response', async (name) => {
    const request = requestOf(matrixEnv, name);
    const preflight = {
      'access-control-request-method': request.method,
      'access-control-request-headers': 'x-api-key',
    };
    const headers = { origin: 'https://evil.test', ...preflight, 'x-api-key': matrixEnv.other.pipeline.apiKey };
    for (const method of ['OPTIONS', request.method]) {
      const answer = await send(matrixEnv, { ...request, method }, headers);
      expect([...answer.headers.keys()].filter((header) => header.startsWith('access-control'))).toEqual([]);
    }
  });
});

const OUTSIDE: Who[] = ['stranger', 'removed reviewer', 'removed owner'];

describe('PM: a non-member', () => {
  it.each(MEMBERS.flatMap((name) => OUTSIDE.map((who) => [name, who] as const)))(
    '%s: returns 404 to a %s',
    async (name, who) => {
      expect(await refusalCodeOf(matrixEnv, name, asPerson(matrixEnv, who))).toBe('not_found');
    },
  );
});

/** Codes that say nothing about permission: the input or the state may still be wrong, but the caller is admitted. */
const SHUT = ['forbidden', 'not_found', 'session_missing', 'origin_refused', 'invalid_id', 'internal'];

describe('PM: a member', () => {
  it.each(MEMBERS.flatMap((name) => ROLES.map((role) => [name, role] as const)))(
    '%s as %s answers as the access matrix says',
    async (name, role) => {
      const at = ACCESS_RULES[name]?.ends ? await openMatrixEnvironment(matrixEnv.served, inside) : matrixEnv;
      const outcome = await refusalCodeOf(at, name, { ...asPerson(at, role), 'sec-fetch-site': 'same-origin' });
      if (ROLES.indexOf(role) < ROLES.indexOf(ACCESS_RULES[name]?.least as Role)) expect(outcome).toBe('forbidden');
      else expect(SHUT).not.toContain(outcome);
    },
  );
});

describe('T6: nobody assigns a role above their own', () => {
  const below = ROLES.filter((role) => role !== 'owner');

  it.each(below.flatMap((role) => ROLES.map((given) => [role, given] as const)))(
    'a %s cannot make anyone %s',
    async (role, given) => {
      const at = await openMatrixEnvironment(matrixEnv.served, inside);
      const who = at.people[role];
      const params = { id: at.ids.project };
      const pool = async () =>
        (await at.project.owner.call(listMembers, { params })).data.map((one) => [one.user_id, one.role]);
      const before = await pool();
      const guest = makeWallet().address;
      await who.refused('forbidden', addMember, { params, body: { address: guest, role: given } });
      await who.refused('forbidden', addMember, { params, body: { address: who.wallet.address, role: given } });
      await who.refused('forbidden', createInvite, { params, body: { role: given } });
      for (const user of [who.id, at.ids.member])
        await who.refused('forbidden', changeMember, { params: { ...params, user_id: user }, body: { role: given } });
      expect(await pool()).toEqual(before);
    },
  );
});
