// Tests the limits of the dashboard: rates of every route, few expensive ones at a time, sizes of lists (RL5 to RL8).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFile } from 'node:fs/promises';
import { createProject } from '@countersign/shared/routes/projects';
import { readAnalytics } from '@countersign/shared/routes/analytics';
import { exportLearnings } from '@countersign/shared/routes/exports';
import { readOpenApi } from '@countersign/shared/routes/openapi';
import { challenge, readMeta } from '@countersign/shared/routes/session';
import type { Limiter } from '../../../src/limits/limiter.ts';
import {
  CONCURRENCY_LIMITS,
  COUNT_LIMITS,
  POLICIES,
  type PolicyName,
  TRANSACTION_LIMITS,
} from '../../../src/limits/policies.ts';
import { startSignIn } from '../../../src/usecases/credentials/sign-in.ts';
import { concurrencyClassOf } from '../../../src/http/admission/rate-limit.ts';
import { FOR_PEOPLE } from '../access-matrix/routes.ts';
import {
  asPerson,
  type MatrixEnvironment,
  refusalCodeOf,
  openMatrixEnvironment,
  requestOf,
  send,
} from '../access-matrix/environment.ts';
import { ask, serve } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let matrixEnv: MatrixEnvironment;
/** Policies that reject everything, with a record of the callers per policy. */
const closed = new Set<PolicyName>();
const asked: [PolicyName, string][] = [];

beforeAll(async () => {
  const real = inside.services.limiter;
  const limiter: Limiter = {
    ...real,
    take: async (name, key, cost) => {
      asked.push([name, key]);
      const taken = await real.take(name, key, cost);
      return closed.has(name) ? { ...taken, allowed: false, retryAfterSeconds: 7 } : taken;
    },
  };
  matrixEnv = await openMatrixEnvironment(await serve({ ...inside.services, limiter }), inside);
});
afterAll(() => matrixEnv.served.close());

const shut = async <T>(name: PolicyName, work: () => Promise<T>): Promise<T> => {
  closed.add(name);
  try {
    return await work();
  } finally {
    closed.delete(name);
  }
};

describe('RL5: every route of the dashboard', () => {
  it.each(FOR_PEOPLE)('%s is counted by the person, and refused with Retry-After', async (name) => {
    asked.length = 0;
    const refused = await shut('dashboard', () =>
      send(matrixEnv, requestOf(matrixEnv, name), asPerson(matrixEnv, 'owner')),
    );
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7']);
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'rate_limited' });
    expect(asked).toEqual([['dashboard', matrixEnv.people.owner.id]]);
    expect(await refusalCodeOf(matrixEnv, name, { origin: matrixEnv.served.testEnv.baseUrl })).toBe('session_missing');
  });

  it.each([
    ['createProject', 'new-project', 201],
    ['createProject', 'new-project-address', 201],
    ['createApiKey', 'new-credential', 201],
    ['createInboundSource', 'new-credential', 201],
    ['addMember', 'new-member', 202],
  ] as const)('%s is counted as %s, too', async (name, policy, status) => {
    const refused = await shut(policy, () => send(matrixEnv, requestOf(matrixEnv, name), asPerson(matrixEnv, 'owner')));
    expect(refused.status).toBe(429);
    expect((await send(matrixEnv, requestOf(matrixEnv, name), asPerson(matrixEnv, 'owner'))).status).toBe(status);
  });
});

describe('RL10: a public request', () => {
  it.each(['/', '/nowhere', '/_app/none.js', '/api/none', readOpenApi.path, readMeta.path])(
    '%s is counted by address',
    async (path) => {
      asked.length = 0;
      const refused = await shut('anonymous', () => ask(matrixEnv.served, { method: 'GET', path }));
      expect([refused.status, refused.headers.get('retry-after'), asked.length]).toEqual([429, '7', 1]);
      expect((await ask(matrixEnv.served, { method: 'GET', path: '/healthz' })).status).toBe(200);
      expect(asked).toHaveLength(1);
    },
  );
});

it('RL6: an expensive request is named by its route', () => {
  expect([
    concurrencyClassOf(readAnalytics),
    concurrencyClassOf(exportLearnings),
    concurrencyClassOf(createProject),
  ]).toEqual([...['heavy', 'export', undefined]]);
});

describe('RL7: unused challenges', () => {
  it('are limited per address: beyond the limit the oldest is dropped, and nobody is refused', async () => {
    const unused = async (from: string) =>
      inside.sql<{ id: string }>(`select id from auth_challenge where asked_from = ? order by expires_at, id`, [from]);
    const first = await startSignIn(inside.services, 'office');
    for (let n = 0; n < COUNT_LIMITS.challenges - 1; n += 1) {
      inside.clock.pass(10);
      await startSignIn(inside.services, 'office');
    }
    await startSignIn(inside.services, 'elsewhere');
    expect(await unused('office')).toHaveLength(COUNT_LIMITS.challenges);
    expect((await unused('office'))[0]?.id).toBe(first.id);
    // A caller who requested a challenge a moment ago is about to sign: a crowd must not evict it.
    inside.clock.pass(10);
    await startSignIn(inside.services, 'office');
    expect((await unused('office'))[0]?.id).toBe(first.id);
    inside.clock.pass(60_000);
    const last = await startSignIn(inside.services, 'office');
    const left = (await unused('office')).map(({ id }) => id);
    expect([left.length, left.includes(first.id), left.at(-1)]).toEqual([COUNT_LIMITS.challenges, false, last.id]);
    expect(await unused('elsewhere')).toHaveLength(1);
    await Promise.all(Array.from({ length: 8 }, () => startSignIn(inside.services, 'office')));
    expect(await unused('office')).toHaveLength(COUNT_LIMITS.challenges);
  });

  it('are counted by the client address of the connection', async () => {
    await matrixEnv.people.owner.call(challenge);
    const rows = await inside.sql<{ asked_from: string }>('select distinct asked_from from auth_challenge');
    expect(rows.map(({ asked_from }) => asked_from)).toContain('127.0.0.1');
  });
});

describe('RL8: a stored list', () => {
  const statusOf = async (name: string) =>
    (await send(matrixEnv, requestOf(matrixEnv, name), asPerson(matrixEnv, 'owner'))).status;

  it.each([
    { table: 'api_key', name: 'createApiKey', most: COUNT_LIMITS.apiKeys, columns: 'hash, last4', gone: 'revoked_at' },
    {
      ...{ table: 'inbound_source', name: 'createInboundSource', most: COUNT_LIMITS.inboundSources },
      ...{ columns: 'secret', gone: 'removed_at' },
    },
  ])('of $table has a maximum per project, and a removed entry makes room', async (row) => {
    const { table, name, most, columns, gone } = row;
    const { id, owner } = matrixEnv.project;
    const values = columns.split(', ').map(() => 'gen_random_uuid()::text');
    await inside.sql(
      `insert into ${table} (id, project_id, created_by, created_at, name, ${columns})
       select gen_random_uuid(), ?, ?, now(), 'filler', ${values.join(', ')} from generate_series(1, ?)`,
      [id, owner.id, most],
    );
    expect(await statusOf(name)).toBe(422);
    await inside.sql(`update ${table} set ${gone} = now() where name = 'filler'`);
    expect(await statusOf(name)).toBe(201);
  });
});

it('RL5: decision 0007 has the same table as the code', async () => {
  const text = await readFile(new URL('../../../../docs/decisions/0007-rate-limits.md', import.meta.url), 'utf8');
  const rows = text.split('\n').flatMap((line) => {
    const [, name, quota, window, by] = line.split('|').map((cell) => cell.trim().replaceAll('`', ''));
    return name !== undefined && name in POLICIES ? [[name, quota, window, by]] : [];
  });
  const number = (n: number) => n.toLocaleString('en').replaceAll(',', ' ');
  expect(rows).toEqual(
    Object.entries(POLICIES).map(([name, { quota, windowSeconds, by }]) => [
      ...[name, number(quota), `${number(windowSeconds)} s`, by],
    ]),
  );
  for (const { perPerson, perProcess } of Object.values(CONCURRENCY_LIMITS))
    expect(text).toContain(`${perPerson} of a person, ${perProcess} of a process`);
  const { known, stranger } = TRANSACTION_LIMITS;
  expect(text).toContain(`${known.perPerson} of a person or of the keys of an owner, ${known.perProcess} of a process`);
  expect(text).toContain(`${stranger.perPerson} of an address, ${stranger.perProcess} of a process`);
});
