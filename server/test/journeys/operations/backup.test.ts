// Tests a backup by installed tools, taken under load: it starts elsewhere, keeps its invariants, sends deliveries.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findPostgresTool, startInstalledPostgres } from '../../../../scripts/lib/processes/installed-postgres.ts';
import { aSubmission, openProject, review } from '../../builders.ts';
import { person } from '../../client.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { expectInvariants } from '../../run-script.ts';
import { WITH_REDIS, startTestEnvironment, type TestEnvironment } from '../../test-environment.ts';
import { connectTo } from '../../../../scripts/lib/processes/postgres-client.ts';

const run = promisify(execFile);
const DECIDED = 5;

async function started(options: Parameters<typeof startTestEnvironment>[0] = {}): Promise<TestEnvironment> {
  const testEnv = await startTestEnvironment(options);
  onTestFinished(() => testEnv.stop());
  return testEnv;
}

/** Submits until stopped; returns what was accepted. */
function load(submit: () => Promise<{ id: string }>): () => Promise<string[]> {
  const accepted: string[] = [];
  let over = false;
  const working = Array.from({ length: 4 }, async () => {
    while (!over) accepted.push((await submit()).id);
  });
  return async () => {
    over = true;
    await Promise.all(working);
    return accepted;
  };
}

/** A dump of the environment's database, as `docs/OPERATIONS.md` takes it. */
async function backUp(testEnv: TestEnvironment): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'countersign.dump');
  await run(tool('pg_dump'), ['--format=custom', `--file=${file}`, testEnv.env.DATABASE_URL ?? '']);
  return file;
}

/** A new database on the server at this address. */
async function newDatabase(server: string, name: string): Promise<string> {
  const client = await connectTo(server);
  try {
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

async function restored(file: string, server: string): Promise<string> {
  const url = await newDatabase(server, 'restored');
  await run(tool('pg_restore'), ['--no-owner', `--dbname=${url}`, file]);
  return url;
}

const tool = (name: string): string => {
  const found = findPostgresTool(name);
  if (found === undefined) throw new Error(`${name} is not installed.`);
  return found;
};

const sentBy = (receiver: Receiver) => new Map(receiver.arrivals.map(({ webhookId, body }) => [webhookId, body]));

describe.skipIf(findPostgresTool('pg_dump') === undefined || !WITH_REDIS)('a backup', () => {
  it('I5, I7: taken under load and restored elsewhere, sends what was pending with the same ids and bytes', async () => {
    const installed = await startInstalledPostgres();
    onTestFinished(() => installed?.stop());
    const server = installed?.url ?? '';
    const testEnv = await started({ env: { DATABASE_URL: await newDatabase(server, 'first') } });
    const receiver = await startReceiver();
    receiver.answer = () => ({ status: 503 });
    const project = await openProject(await person(testEnv), { receiver });
    for (let n = 0; n < DECIDED; n += 1) {
      const { id } = await project.pipeline.submit(aSubmission());
      await review(project.owner, id);
      await receiver.next(id);
    }
    const before = sentBy(receiver);
    const stop = load(() => project.pipeline.submit(aSubmission()));
    const file = await backUp(testEnv);
    const accepted = await stop();
    expect(accepted.length).toBeGreaterThan(0);
    await testEnv.stop();

    const DATABASE_URL = await restored(file, server);
    const env = { DATABASE_URL, SECRET_KEYS: testEnv.env.SECRET_KEYS ?? '' };
    await expectInvariants(env);

    const client = await connectTo(DATABASE_URL);
    onTestFinished(() => client.end());
    // On a slow machine a second attempt has failed before the backup, and the third is due minutes later; or one was under way, and
    // the lease of its worker goes on.
    await client.query(
      `update delivery set next_attempt_at = now(), lease_until = now() - interval '1 second' where status in ('pending', 'sending')`,
    );
    const seen = receiver.arrivals.length;
    receiver.answer = () => ({ status: 204 });
    await started({ env });
    await expect
      .poll(() => new Set(receiver.arrivals.slice(seen).map(({ webhookId }) => webhookId)).size)
      .toBe(DECIDED);
    expect(sentBy(receiver)).toEqual(before);
    await expect
      .poll(async () => (await client.query<{ status: string }>('select distinct status from delivery')).rows)
      .toEqual([{ status: 'succeeded' }]);
    await receiver.close();
  });
});
