// Tests the service as docker-compose.yml runs it: its role owns the database and has no other right (SU2).
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checksOf, type Fault, reader } from '../../../src/invariants/invariants.ts';
import { openOrm } from '../../../src/db/orm.ts';
import { aSubmission, openProject, review } from '../../builders.ts';
import { person } from '../../client.ts';
import { startReceiver } from '../../receiver.ts';
import { type TestEnvironment, startTestEnvironment } from '../../test-environment.ts';
import { connectTo, connectionTo, poolTo } from '../../../../scripts/lib/processes/postgres-client.ts';

const SCRIPT = join(import.meta.dirname, '../../../../deploy/database-role.sql');
const PASSWORD = randomBytes(12).toString('hex');
const NAME = `countersign_role_${randomBytes(6).toString('hex')}`;

/** The statements of the script, without psql commands, for a role and a database of this name. */
const statements = (): string[] =>
  readFileSync(SCRIPT, 'utf8')
    .split('\n')
    .filter((line) => !/^(--|\\)/.test(line))
    .join('\n')
    .replaceAll(/\bcountersign\b/g, NAME)
    .replaceAll(":'password'", `'${PASSWORD}'`)
    .split(';')
    .map((text) => text.trim())
    .filter((text) => text !== '');

async function asSuperuser(...texts: string[]): Promise<void> {
  const client = await connectTo(process.env.TEST_POSTGRES_URL ?? '');
  for (const text of texts) await client.query(text);
  await client.end();
}

describe('SU2: the role of deploy/database-role.sql', () => {
  let url: string;
  let testEnv: TestEnvironment | undefined;
  let pool: pg.Pool;

  beforeAll(async () => {
    await asSuperuser(...statements());
    const own = new URL(process.env.TEST_POSTGRES_URL ?? '');
    url = Object.assign(own, { username: NAME, password: PASSWORD, pathname: `/${NAME}` }).href;
    testEnv = await startTestEnvironment({ empty: true, processes: 1, env: { DATABASE_URL: url } });
    pool = await poolTo(url, 1);
  });
  afterAll(async () => {
    await testEnv?.stop();
    await pool.end();
    await asSuperuser(`drop database if exists ${NAME} with (force)`, `drop role if exists ${NAME}`);
  });

  it('is all the service needs, from the first migration to a decision that is delivered', async () => {
    const receiver = await startReceiver();
    const owner = await person(testEnv!);
    const project = await openProject(owner, { receiver });
    const { id } = await project.pipeline.submit(aSubmission());
    await review(owner, id, 'approve');
    await receiver.next(id);
    await receiver.close();
    const orm = await openOrm({ connection: await connectionTo(url), poolSize: 2 });
    const faults: Fault[] = [];
    for (const { run } of checksOf(orm))
      await run(
        reader(orm),
        (fault) => faults.push(fault),
        () => undefined,
      );
    await orm.close();
    expect(faults).toEqual([]);
  });

  it.each([
    ['makes no database', 'create database other_of_it'],
    ['makes no role', 'create role other_of_it'],
    ['reads no password', 'select rolpassword from pg_authid'],
    ['reads no file of the server', `select pg_read_file('postgresql.conf')`],
    ['runs no program on it', `copy (select 1) to program 'cat'`],
    ['changes no setting of it', `alter system set work_mem = '1GB'`],
  ])('the role of the service %s', async (_, text) => {
    await expect(pool.query(text)).rejects.toThrow(/permission denied|not available|must be superuser/);
  });
});
