// Tests the recipe of a queue consumer: killed at every step, it submits and records each job once.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { listItems, withdrawItem } from '@countersign/shared/routes/public';
import { reviseItem } from '@countersign/shared/routes/queue';
import { connectTo } from '../../../../scripts/lib/processes/postgres-client.ts';
import { type OpenProject, openProject, review } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { emptyDatabase } from '../../fixtures/test-database.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';
import { copyRecipe, linkPackage, listenDuringTest, type Program, startProgram } from './recipe.ts';

const testEnv = useSharedTestEnvironment();
let owner: Person;

beforeAll(async () => {
  owner = await person(testEnv);
});

interface Job {
  id: string;
  item_id: string | null;
  refused: string | null;
  status: string | null;
  output: unknown;
  revision: number | null;
}

/** The queue in an empty database, with these confidences of its jobs, and a project for them. */
async function openQueue(confidences: readonly number[]) {
  const project = await openProject(owner);
  const own = await emptyDatabase();
  onTestFinished(() => own.remove());
  const folder = copyRecipe('queue');
  linkPackage(folder, 'pg');
  const database = await connectTo(own.url);
  onTestFinished(() => database.end());
  await database.query(readFileSync(join(folder, 'schema.sql'), 'utf8'));
  const insert = `insert into job (question, suggestion, confidence) select 'Question ' || n, 'Answer ' || n, confidence
    from unnest($1::float8[]) with ordinality as given (confidence, n)`;
  await database.query(insert, [confidences]);
  const start = (file: string, url = testEnv.url(), apiKey: string = project.pipeline.apiKey) =>
    startProgram(folder, [file], {
      ...{ DATABASE_URL: own.url, COUNTERSIGN_URL: url, COUNTERSIGN_API_KEY: apiKey },
      COUNTERSIGN_PROJECT_ID: project.id,
    });
  const jobs = async () => {
    const joined = `select job.id, job.item_id, refused, status, output, revision from job
      left join outcome using (item_id) order by job.id`;
    return (await database.query<Job>(joined)).rows;
  };
  return { project, database, start, jobs };
}

const itemsOf = async ({ pipeline }: OpenProject) => (await pipeline.call(listItems, { query: {} })).data;

/**
 * A proxy that kills a program once the service has answered one of its requests, and before the program gets that
 * answer. `fits` says of which request.
 */
async function startKiller(fits: (request: IncomingMessage, reply: string) => boolean) {
  let victim: Program | undefined;
  const server = createServer((request, response) => {
    void (async () => {
      const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
      const body = new Uint8Array(await buffer(request));
      const given = request.method === 'POST' ? { method: 'POST', body } : {};
      const answer = await fetch(testEnv.url() + (request.url ?? ''), {
        ...given,
        headers: headers as Record<string, string>,
      });
      const reply = await answer.text();
      if (victim !== undefined && fits(request, reply)) return void (await victim.kill('SIGKILL'));
      const copied = Object.fromEntries([...answer.headers].filter(([name]) => /^(content-type|x-|idemp)/.test(name)));
      response.writeHead(answer.status, copied).end(reply);
    })().catch(() => response.destroy());
  });
  const url = await listenDuringTest(server);
  return { url, aim: (program: Program) => void (victim = program) };
}

describe('the queue consumer', () => {
  it('submits each job once, however often its first consumer is killed', async () => {
    // 1 and 2 wait for people, 3 is approved and 4 rejected without them.
    const { project, start, jobs } = await openQueue([0.8, 0.8, 1, 0.1]);

    // Killed after the service has stored the item, and before the consumer knows.
    const killer = await startKiller(({ method }) => method === 'POST');
    for (let count = 1; count <= 2; count += 1) {
      const submitter = start('submit.ts', killer.url);
      killer.aim(submitter);
      expect(await submitter.ended).toBeNull();
      expect((await jobs()).filter(({ item_id: id }) => id !== null)).toEqual([]);
    }
    expect(await itemsOf(project)).toHaveLength(1);

    // Two at once, one of which is killed at any time.
    const [first] = [start('submit.ts'), start('submit.ts')];
    await expect.poll(async () => (await jobs()).filter(({ item_id: id }) => id !== null).length).toBeGreaterThan(0);
    await first.kill('SIGKILL');
    await expect.poll(async () => (await jobs()).every(({ item_id: id }) => id !== null)).toBe(true);
    const items = await itemsOf(project);
    expect(items.map(({ metadata }) => metadata?.['job']).sort()).toEqual(['1', '2', '3', '4']);
    expect(await jobs()).toMatchObject([
      { status: null },
      { status: null },
      { status: 'auto_approved', output: 'Answer 3', revision: 1 },
      { status: 'rejected', output: null, revision: 0 },
    ]);
  });

  it('records each outcome once, however often its second consumer is killed', async () => {
    const { project, database, start, jobs } = await openQueue([0.8, 0.8]);
    start('submit.ts');
    await expect.poll(async () => (await jobs()).every(({ item_id: id }) => id !== null)).toBe(true);
    const [one, two] = await jobs();

    // Killed after it has got a page of events, and before it has recorded it.
    await review(owner, one?.item_id ?? '', 'edit');
    const second = await startKiller((_, reply) => reply.includes('item.decided'));
    const reader = start('decisions.ts', second.url);
    second.aim(reader);
    expect(await reader.ended).toBeNull();
    expect((await jobs())[0]?.status).toBeNull();

    const readers = [start('decisions.ts'), start('decisions.ts')];
    await expect.poll(async () => (await jobs())[0]?.status).toBe('approved');
    await readers[0]?.kill('SIGKILL');
    await project.pipeline.call(withdrawItem, { params: { id: two?.item_id ?? '' }, body: {} });
    await expect.poll(async () => (await jobs())[1]?.status).toBe('withdrawn');
    expect(await jobs()).toMatchObject([
      { status: 'approved', output: 'An answer that a person wrote.', revision: 1 },
      { status: 'withdrawn', output: null, revision: 0 },
    ]);

    // A revision replaces the outcome, and reading everything again changes nothing.
    const body = { action: 'reject', reason: 'Policy' } as const;
    await owner.call(reviseItem, { params: { id: one?.item_id ?? '' }, body });
    await expect.poll(async () => (await jobs())[0]?.revision).toBe(2);
    const before = await jobs();
    const cursor = async () =>
      (await database.query<{ next_cursor: string | null }>('select next_cursor from feed')).rows[0]?.next_cursor;
    const read = await cursor();
    await database.query('update feed set next_cursor = null');
    await expect.poll(cursor).toBe(read);
    expect(await jobs()).toEqual(before);
  });

  it('sets aside a job that the service refuses, and goes on with the next', async () => {
    const { project, start, jobs } = await openQueue([7, 0.8]);
    const submitter = start('submit.ts');
    await expect.poll(async () => (await jobs())[1]?.item_id).not.toBeNull();
    expect((await jobs())[0]).toMatchObject({
      item_id: null,
      refused: expect.stringContaining('validation_failed') as string,
    });
    expect(await itemsOf(project)).toHaveLength(1);
    expect(submitter.output()).toBe('');
  });

  it('sets no job aside when the service refuses its key', async () => {
    const { project, start, jobs } = await openQueue([0.8]);
    const submitter = start('submit.ts', testEnv.url(), 'csk_revoked');
    await expect.poll(submitter.output).toContain('api_key_invalid');
    await submitter.kill();
    start('submit.ts');
    await expect
      .poll(async () => (await jobs())[0])
      .toMatchObject({ item_id: expect.any(String) as string, refused: null });
    expect(await itemsOf(project)).toHaveLength(1);
  });
});
