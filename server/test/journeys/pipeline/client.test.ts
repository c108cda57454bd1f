// Tests the pipeline client on the running service: submit, wait, page, catch up, and recover lost connections.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  ApiError,
  createClient,
  RawJson,
  type Client,
  type ClientOptions,
  type Fetch,
  type NewItem,
} from '@countersign/shared/client';
import { listQueue } from '@countersign/shared/routes/queue';
import { aSubmission, openProject, type OpenProject, review } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { connectLive } from '../../live-client.ts';
import { useTestEnvironment } from '../../test-environment.ts';

const testEnv = useTestEnvironment();
let owner: Person;
let project: OpenProject;
let other: OpenProject;
let api: Client;

/** A client with this project's key. It resolves the address per request: a restarted process has another one. */
function clientOf(of: OpenProject, options: Partial<ClientOptions> & { process?: number } = {}): Client {
  const { process = 0, fetch: given = fetch, ...rest } = options;
  const route: Fetch = (url, request) => given(url.replace('http://service.test', testEnv.url(process)), request);
  return createClient({ baseUrl: 'http://service.test', apiKey: of.pipeline.apiKey, fetch: route, ...rest });
}

const itemOf = (of: OpenProject, overrides: Parameters<typeof aSubmission>[0] = {}): NewItem => ({
  project_id: of.id,
  ...aSubmission(overrides),
});
const countOf = async (of: OpenProject) => (await owner.call(listQueue, { query: { project_id: of.id } })).counts.all;

async function refusal(call: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await call.then(
    () => new Error('It was not refused.'),
    (fault: unknown) => fault,
  );
  if (error instanceof ApiError) return error;
  throw error;
}

beforeAll(async () => {
  owner = await person(testEnv);
  project = await openProject(owner);
  other = await openProject(owner);
  api = clientOf(project);
});

describe('a submission by the client', () => {
  it('waits for the person who decides, and reads the same back', async () => {
    const live = await connectLive(owner);
    const question = { question: 'Is this the one that waits?' };
    const waiting = api.submit(itemOf(project, { input: question }), { waitSeconds: 30 });
    const { item_id } = await live.next('item.queued', (event) => event.item.preview.includes('the one that waits'));
    await review(owner, item_id, 'approve', { process: 1 });
    const reply = await waiting;
    expect(reply).toMatchObject({ id: item_id, status: 'approved', replayed: false, decision: { action: 'approve' } });
    const item = await clientOf(project, { process: 1 }).item(item_id, { waitSeconds: 5 });
    expect(item).toMatchObject({ id: item_id, input: question, status: 'approved', decision: reply.decision });
    live.close();
  });

  it('keeps raw JSON as it is spelt, to the last digit (I7)', async () => {
    const text = '{"z":1.50,"a":1e2,"n":0.1000}';
    const { id } = await api.submit({ ...itemOf(project), input: new RawJson(text) });
    let read = '';
    const listening: Fetch = async (url, request) => {
      const answer = await fetch(url, request);
      read = await answer.text();
      return { status: answer.status, headers: answer.headers, text: async () => read };
    };
    await clientOf(project, { fetch: listening }).item(id);
    expect(read).toContain(`"input":${text}`);
  });

  it('is stored once under one key, whichever process receives it (I2)', async () => {
    const own = await openProject(owner);
    const item = itemOf(own);
    const clients = [0, 1].map((process) => clientOf(own, { process }));
    const sent = clients.flatMap((client) =>
      Array.from({ length: 10 }, () => client.submit(item, { idempotencyKey: 'ticket-1' })),
    );
    const replies = await Promise.all(sent);
    expect(new Set(replies.map(({ id }) => id)).size).toBe(1);
    expect(replies.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await countOf(own)).toBe(1);
  });

  it('whose response is lost is retried and creates no second item (I2)', async () => {
    const own = await openProject(owner);
    let lost = 0;
    const losing: Fetch = async (url, request) => {
      const answer = await fetch(url, request);
      if (lost > 0) return answer;
      lost += 1;
      await answer.text();
      throw new Error('the connection broke');
    };
    const reply = await clientOf(own, { fetch: losing, random: () => 0 }).submit(itemOf(own));
    expect({ lost, replayed: reply.replayed, count: await countOf(own) }).toEqual({
      lost: 1,
      replayed: true,
      count: 1,
    });
  });

  it('survives a service that is killed and restarted (I2)', async () => {
    const own = await openProject(owner);
    const item = itemOf(own);
    const first = await clientOf(own).submit(item, { idempotencyKey: 'ticket-2' });
    await testEnv.kill9(0);
    let restarted: Promise<void> | undefined;
    const sleep = async (): Promise<void> => (restarted ??= testEnv.restart(0));
    const again = await clientOf(own, { sleep, random: () => 0.01 }).submit(item, { idempotencyKey: 'ticket-2' });
    expect(restarted).toBeDefined();
    expect(again).toMatchObject({ id: first.id, replayed: true });
    expect(await countOf(own)).toBe(1);
  });

  it.each<[string, number, () => Promise<unknown>]>([
    ['api_key_invalid', 401, () => createClient({ baseUrl: testEnv.url(), apiKey: 'csk_x' }).submit(itemOf(other))],
    ['project_mismatch', 403, () => api.submit(itemOf(other))],
    ['not_found', 404, () => api.item(other.id)],
    ['invalid_cursor', 400, () => api.items({ after: 'nonsense' })],
    ['validation_failed', 422, () => api.submit(itemOf(project, { confidence: 7 }))],
  ])('is refused with %s as an error that names it and the reason', async (code, status, call) => {
    const error = await refusal(call());
    expect(error).toMatchObject({ code, status, tries: 1, temporary: false });
    expect(error.detail.length).toBeGreaterThan(5);
    expect(error.requestId).toMatch(/^[\w-]+$/);
    if (code === 'validation_failed') expect(error.errors).toMatchObject([{ pointer: '#/confidence' }]);
  });

  it('can be aborted while it waits', async () => {
    const { id } = await api.submit(itemOf(project));
    const stop = new AbortController();
    const waiting = api.item(id, { waitSeconds: 60, signal: stop.signal });
    stop.abort(new Error('no longer needed'));
    await expect(waiting).rejects.toThrow('no longer needed');
  });
});

describe('many items by the client', () => {
  it('are submitted as a batch with a result each, and listed page by page, each once', async () => {
    const own = await openProject(owner);
    const client = clientOf(own);
    const items = Array.from({ length: 120 }, (_, n) => itemOf(own, { input: n }));
    const { results } = await client.submitBatch([...items, new RawJson(`{"project_id":"${own.id}","input":120}`)]);
    const ids = results.flatMap((result) => ('id' in result ? [result.id] : []));
    expect(ids).toHaveLength(120);
    expect(results[120]).toMatchObject({ index: 120, error: { code: 'validation_failed' } });
    const read = [];
    for await (const item of client.eachItem({ status: 'queued', since: new Date(0) })) read.push(item);
    expect(read.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(await client.items({ until: new Date(0) })).toEqual({ data: [], has_more: false, next_cursor: null });
  });
});

describe('catching up by the client', () => {
  it('returns every final decision once, in order, and continues from the cursor', async () => {
    const own = await openProject(owner);
    const client = clientOf(own);
    const told: string[] = [];
    let cursor: string | undefined;
    const catchUp = async () => {
      for await (const page of client.eventPages({ after: cursor, limit: 2 })) {
        told.push(...page.data.map(({ item_id }) => item_id));
        cursor = page.next_cursor;
      }
    };
    const decided: string[] = [];
    const live = await connectLive(owner);
    const decide = async (count: number) => {
      for (let n = 0; n < count; n += 1) {
        const { id } = await client.submit(itemOf(own));
        await review(owner, id);
        await live.next('item.finalized', (event) => event.item_id === id);
        decided.push(id);
      }
    };
    await catchUp();
    expect(told).toEqual([]);
    await decide(5);
    await catchUp();
    expect(told).toEqual(decided);
    await decide(1);
    await catchUp();
    expect(told).toEqual(decided);
    live.close();
  });
});
