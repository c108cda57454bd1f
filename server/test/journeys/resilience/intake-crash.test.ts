// Tests kill -9 between commit and response, and a database outage under load: nothing is lost or repeated.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listEvents, listItems } from '@countersign/shared/routes/public';
import { aSubmission, openProject, type OpenProject, review } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import {
  WITH_REDIS,
  showLogOnFailure,
  startTestEnvironment,
  useTestEnvironment,
  type TestEnvironment,
} from '../../test-environment.ts';
import { type OwnPostgres, startPostgres } from '../../../../scripts/lib/processes/services.ts';

const WORKERS = 12;

/** The ids of all items, newest first. */
async function allIds(of: OpenProject, process: number): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | undefined; ;) {
    const query = { limit: 100, ...(after === undefined ? {} : { after }) };
    const page = await of.pipeline.call(listItems, { query }, { process });
    ids.push(...page.data.map(({ id }) => id));
    if (page.next_cursor === null) return ids;
    after = page.next_cursor;
  }
}

const bodyOf = (of: OpenProject) => JSON.stringify({ project_id: of.id, ...aSubmission() });

// Retries go to the other process, and without Redis there is none.
const OTHER = WITH_REDIS ? 1 : 0;

describe('kill -9 of one process while it commits', () => {
  const testEnv = useTestEnvironment();
  let owner: Person;

  beforeAll(async () => {
    owner = await person(testEnv);
  });

  /** When the process dies: at the first answer, when the first item can be seen, or later. */
  const MOMENTS = {
    'at the first answer': (_: OpenProject, sent: Promise<unknown>[]) => Promise.race(sent),
    'at the first commit': (of: OpenProject) =>
      expect.poll(async () => (await allIds(of, OTHER)).length, { interval: 1 }).toBeGreaterThan(0),
    'in the middle': (_: OpenProject, sent: Promise<unknown>[]) => Promise.any(sent.slice(30, 35)),
  };

  it.each(Object.entries(MOMENTS))('%s: each key has created one item, at every process (I2)', async (name, moment) => {
    const project = await openProject(owner);
    const [same, ...others] = Array.from({ length: 41 }, () => bodyOf(project));
    // 50 repeats under one key, and 40 others, so that commits hold groups.
    const work = [...Array<string>(50).fill(same ?? ''), ...others].map((body, n) => {
      return { body, process: n, idempotencyKey: body === same ? 'same' : `other ${n}` };
    });
    const answered = new Map<string, string>();
    const send = async ({ body, ...via }: (typeof work)[number]) => {
      const answer = await project.pipeline.submitRaw(body, via);
      if (answer.ok) answered.set(via.idempotencyKey, answer.reply.id);
      else expect(answer.problem.code).toBe('idempotency_in_progress');
    };
    const sent = work.map((one) => send(one));
    // A connection cut by the kill: the retry finds out whether the item exists.
    const settled = Promise.allSettled(sent);
    await moment(project, sent);
    await testEnv.kill9(0);
    for (const { status, reason } of (await settled) as { status: string; reason?: unknown }[])
      if (status === 'rejected') expect(String(reason), name).toContain('fetch failed');
    if (!WITH_REDIS) await testEnv.restart();
    const again = await Promise.all(
      work.map(({ body, ...via }) => project.pipeline.submitRaw(body, { ...via, process: OTHER })),
    );
    const ids = again.map((answer, n) => [work[n]?.idempotencyKey, answer.ok ? answer.reply.id : answer.text] as const);
    const byKey = new Map(ids);
    expect(byKey.size).toBe(41);
    for (const [key, id] of ids) expect(id, key).toBe(byKey.get(key));
    for (const [key, id] of answered) expect(byKey.get(key), key).toBe(id);
    expect((await allIds(project, OTHER)).sort()).toEqual([...byKey.values()].sort());
    if (WITH_REDIS) await testEnv.restart();
  });
});

describe.runIf(WITH_REDIS)('PostgreSQL stops under load and comes back', () => {
  let postgres: OwnPostgres;
  let testEnv: TestEnvironment | undefined;
  let project: OpenProject;
  showLogOnFailure(() => testEnv);

  beforeAll(async () => {
    postgres = await startPostgres();
    testEnv = await startTestEnvironment({ env: { DATABASE_URL: postgres.url } });
    project = await openProject(await person(testEnv));
  });
  afterAll(async () => {
    try {
      await testEnv?.stop();
    } finally {
      await postgres.stop();
    }
  });

  interface Seen {
    worker: number;
    status: number;
    id: string;
  }

  /** Submits under one key until it is stored; every response on the way is a 201 or a 503 with Retry-After. */
  async function submitUntilStored(key: string, worker: number, seen: Seen[]): Promise<void> {
    const body = bodyOf(project);
    for (;;) {
      const answer = await project.pipeline.submitRaw(body, { idempotencyKey: key, process: worker });
      seen.push({ worker, status: answer.status, id: answer.ok ? answer.reply.id : answer.problem.code });
      if (answer.ok) return;
      expect(answer.problem.code, answer.text).toBe('unavailable');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      await delay(100);
    }
  }

  async function submitUntil(worker: number, seen: Seen[], until: AbortSignal): Promise<void> {
    for (let n = 0; !until.aborted; n += 1) await submitUntilStored(`worker ${worker}, item ${n}`, worker, seen);
  }

  it('I2: returns 503 meanwhile, loses nothing, and needs no restart', { timeout: 180_000 }, async () => {
    const seen: Seen[] = [];
    const enough = new AbortController();
    const workers = Array.from({ length: WORKERS }, (_, n) => submitUntil(n, seen, enough.signal));
    const load = Promise.all(workers);
    // A worker with a wrong response ends the others; the test fails where it waits for all.
    load.catch(() => enough.abort());
    const stored = () => seen.filter(({ status }) => status === 201).length;
    await expect.poll(stored, { timeout: 40_000 }).toBeGreaterThan(100);
    await postgres.down();
    const before = stored();
    // Each request during the outage gets a response: none hangs until it ends.
    const since = seen.length;
    const fewest = () => {
      const refused = seen.slice(since).filter(({ status }) => status === 503);
      return Math.min(...workers.map((_, n) => refused.filter(({ worker }) => worker === n).length));
    };
    await expect.poll(fewest, { timeout: 40_000 }).toBeGreaterThanOrEqual(10);
    const read = await project.pipeline.attempt(listItems, {}, { process: 1 });
    expect(read.ok ? read.text : read.problem.code).toBe('unavailable');
    expect((await fetch(`${testEnv?.url()}/readyz`)).status).toBe(503);
    await postgres.up();
    await expect.poll(stored, { timeout: 60_000 }).toBeGreaterThan(before + 100);
    enough.abort();
    await load;
    const made = seen.filter(({ status }) => status === 201);
    expect((await allIds(project, 0)).sort()).toEqual(made.map(({ id }) => id).sort());
    // Events are published again too: the listeners and the relay are back.
    const [{ id } = { id: '' }] = made;
    const waiting = project.pipeline.submitRaw(bodyOf(project), { headers: { prefer: 'wait=30' }, process: 1 });
    await review(project.owner, id, 'approve');
    await expect
      .poll(async () => (await project.pipeline.call(listEvents)).data.map(({ item_id }) => item_id))
      .toEqual([id]);
    const [newest = ''] = await allIds(project, 0);
    await review(project.owner, newest, 'reject', { process: 0 });
    expect(await waiting).toMatchObject({ status: 201, reply: { id: newest, status: 'rejected' } });
  });
});
