// Tests the documentation snippets as stored: they follow decisions, accept genuine webhooks and refuse others.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '@countersign/shared/json/json';
import { createInboundSource } from '@countersign/shared/routes/inbound';
import { changeProject, rotateWebhookSecret } from '@countersign/shared/routes/projects';
import { listItems } from '@countersign/shared/routes/public';
import { claimItem, decideItem, readQueueItem } from '@countersign/shared/routes/queue';
import type { ReviewAction } from '@countersign/shared/review-actions';
import { testWebhook } from '@countersign/shared/routes/webhook';
import { signWebhook } from '@countersign/shared/webhook';
import { aSubmission, type OpenProject, openProject, review } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { ObservedList } from '../../observed-list.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';
import { languagesHere, runSnippet, type SnippetReceiver, startVerify } from './snippets.ts';

const testEnv = useSharedTestEnvironment();
const languages = languagesHere();
let owner: Person;

beforeAll(async () => {
  owner = await person(testEnv);
});

const environment = (project: OpenProject, url: string) => ({
  COUNTERSIGN_URL: url,
  COUNTERSIGN_API_KEY: project.pipeline.apiKey,
  COUNTERSIGN_PROJECT_ID: project.id,
});

describe.each(languages)('tool-call.%s', (language) => {
  const ARGUMENTS = { order: 'BM-20418', amount: 24.9 };

  /** What a person does, and what the snippet prints. */
  const DECISIONS: [string, { action: ReviewAction; output?: Json; reason?: string; response?: string }, RegExp][] = [
    ['lets it happen', { action: 'approve' }, /approved Run.*issue_refund.*24\.9\b/],
    [
      'changes its arguments',
      {
        action: 'edit',
        output: { name: 'issue_refund', arguments: { ...ARGUMENTS, amount: 12.45 } },
        reason: 'Wrong fact',
      },
      /approved Run.*issue_refund.*12\.45/,
    ],
    ['stops it', { action: 'reject', reason: 'Policy' }, /rejected Do not run it:.*Policy/],
    [
      'answers in words',
      { action: 'respond', response: 'Ask for a picture first.' },
      /rejected Do not run it, but tell the agent.*Ask for a picture first\./,
    ],
  ];

  it.each(DECISIONS)('TC1, LC8: does what is right when a person %s', async (_, decision, words) => {
    const project = await openProject(owner);
    const running = runSnippet('tool-call', language, environment(project, testEnv.url()));
    const id = await firstItem(project);
    const params = { id };
    expect(await owner.call(readQueueItem, { params })).toMatchObject({
      kind: 'tool_call',
      title: 'Refund 24.90 EUR for order BM-20418',
      suggestion: { name: 'issue_refund', arguments: ARGUMENTS },
      answer_schema: { required: ['order', 'amount'] },
      allowed_actions: ['approve', 'edit', 'reject', 'respond'],
      invalid: false,
    });
    const { fence } = await owner.call(claimItem, { params });
    await owner.call(decideItem, { params, body: { fence, ...decision } });
    const { code, out, err } = await running;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(id);
    expect(out).toMatch(words);
  });

  it('says why it was refused, and fails', async () => {
    const project = await openProject(owner);
    const env = { ...environment(project, testEnv.url()), COUNTERSIGN_API_KEY: 'csk_wrong' };
    const { code, out, err } = await runSnippet('tool-call', language, env);
    expect(code).not.toBe(0);
    expect(out + err).toContain('api_key_invalid');
  });
});

/** The id of the first item of the project, once it has arrived. */
async function firstItem({ id, pipeline }: OpenProject): Promise<string> {
  await expect
    .poll(async () => (await pipeline.call(listItems, { query: {} })).data.length, { timeout: 20_000 })
    .toBe(1);
  const [item] = (await pipeline.call(listItems, { query: {} })).data;
  if (item === undefined) throw new Error(`Project ${id} has no item.`);
  return item.id;
}

describe.runIf(languages.includes('sh'))('inbound.sh', () => {
  it('submits once, however often it is sent, with a signature instead of a key', async () => {
    const project = await openProject(owner);
    const source = await owner.call(createInboundSource, { params: { id: project.id }, body: {} });
    const env = {
      COUNTERSIGN_INBOUND_URL: source.url.replace(testEnv.baseUrl, testEnv.url()),
      COUNTERSIGN_INBOUND_SECRET: source.inbound_secret,
    };
    const [first, again] = [await runSnippet('inbound', 'sh', env), await runSnippet('inbound', 'sh', env)];
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(again).toEqual(first);
    const { id } = JSON.parse(first.out) as { id: string };
    expect(await project.pipeline.read(id)).toMatchObject({ status: 'queued', confidence: 0.83 });
    const wrong = await runSnippet('inbound', 'sh', { ...env, COUNTERSIGN_INBOUND_SECRET: 'whsec_wrong' });
    expect(wrong.code).not.toBe(0);
    expect(wrong.out).toContain('signature_invalid');
  });
});

interface Delivered {
  headers: Record<string, string>;
  body: Buffer;
  /** The response of the snippet. */
  status: number;
}

describe.each(languages)('verify.%s', (language) => {
  let snippet: SnippetReceiver;
  let projectId: string;
  let secret: string;
  let genuine: Delivered;
  let stopFront: () => Promise<unknown>;

  /** A decision of a person, delivered by the server itself to the snippet, and recorded on its way. */
  beforeAll(async () => {
    const project = await openProject(owner);
    projectId = project.id;
    const params = { id: projectId };
    ({ webhook_secret: secret } = await owner.call(rotateWebhookSecret, { params }));
    snippet = await startVerify(language, secret);
    const frontProxy = await startFrontProxy(snippet);
    stopFront = frontProxy.close;
    const { settings_version } = project.project;
    await owner.call(changeProject, { params, body: { settings_version, webhook_url: frontProxy.url } });
    const { id } = await project.pipeline.submit(aSubmission({ suggestion: 'Ünïcode ✓' }));
    await review(owner, id, 'approve');
    genuine = await frontProxy.delivered.next(() => true, id);
  });

  afterAll(async () => {
    await stopFront();
    await snippet.stop();
  });

  const post = (headers: Record<string, string>, body = genuine.body) =>
    snippet.post({ ...genuine.headers, ...headers }, body);
  const signed = (timestamp: number, secrets: [string, ...string[]]) =>
    signWebhook({ id: 'evt_other', timestamp, attempt: 1, body: genuine.body.toString() }, secrets);
  const now = () => Math.floor(Date.now() / 1000);
  const ANOTHER = 'whsec_bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmU=';

  it('accepts a webhook of our server, and a repeat of it once (I5)', async () => {
    expect(genuine.status).toBe(204);
    expect(await post({})).toBe(204);
    const { item_id: id } = JSON.parse(genuine.body.toString()) as { item_id: string };
    expect(snippet.taken().split(id)).toHaveLength(2);
    expect(snippet.taken()).toContain('Ünïcode ✓');
  });

  it('refuses another body, another signature, another id and none', async () => {
    const body = Buffer.from(genuine.body.toString().replace('approved', 'rejected'));
    expect(await post({}, body)).toBe(400);
    expect(await post({ 'x-webhook-signature': '0'.repeat(64) })).toBe(400);
    expect(await post({ 'x-webhook-signature': 'é'.repeat(64) })).toBe(400);
    expect(await post({ 'webhook-id': 'evt_other' })).toBe(400);
    expect(await post({ 'webhook-signature': '' })).toBe(400);
    expect(await snippet.post({}, genuine.body)).toBe(400);
    expect(await post(await signed(now(), [ANOTHER]))).toBe(400);
  });

  it('refuses an old one, one from the future, and an old one with a new date', async () => {
    expect(await post(await signed(now() - 310, [secret]))).toBe(400);
    expect(await post(await signed(now() + 310, [secret]))).toBe(400);
    expect(await post({ 'webhook-timestamp': String(Number(genuine.headers['webhook-timestamp']) + 1) })).toBe(400);
    expect(await post({ 'webhook-timestamp': 'soon' })).toBe(400);
  });

  it('acknowledges a test event, and takes no decision from it (WT1)', async () => {
    const decisions = () => snippet.taken().split('\n').filter(Boolean);
    const before = decisions();
    const result = await owner.call(testWebhook, { params: { id: projectId }, body: {} });
    expect(result).toMatchObject({ ok: true, http_status: 204 });
    expect(decisions()).toEqual(before);
  });

  it('RV2: uses the last revision of an item, however its events are repeated and reordered', async () => {
    const deliver = async (id: string, event: object) => {
      const body = JSON.stringify(event);
      const headers = await signWebhook({ id: `evt_${id}`, timestamp: now(), attempt: 1, body }, [secret]);
      expect(await snippet.post(headers, Buffer.from(body))).toBe(204);
    };
    const event = (name: string, item: string, decision: object | null, status = 'approved') => ({
      ...{ event: name, item_id: `${item}-0000-4000-8000-000000000000`, project_id: projectId, status, decision },
      ...{ reviewer_id: decision && owner.id, decided_at: '2026-03-02T09:16:20.114Z' },
    });
    const decided = (item: string, output: string, chain: object = {}) =>
      event('revision' in chain ? 'decision.revised' : 'item.decided', item, { id: item, output, ...chain });
    const second = decided('aaaaaaaa', 'A2', { revision: 2, revises: owner.id });
    const third = decided('aaaaaaaa', 'A3 "revision":9,"revises":null},', { revision: 3, revises: owner.id });
    await deliver('a1', decided('aaaaaaaa', 'A1'));
    await deliver('a3', third);
    await deliver('a2', second);
    await deliver('a3', third);
    await deliver('b2', decided('bbbbbbbb', 'B2', { revision: 2, revises: null }));
    await deliver('b1', event('item.expired', 'bbbbbbbb', null, 'rejected'));
    await deliver('c1', event('item.withdrawn', 'cccccccc', null, 'withdrawn'));
    await deliver('d1', { event: 'item.coming', item_id: 'dddddddd-0000-4000-8000-000000000000' });
    const lines = snippet.taken().split('\n');
    const of = (item: string) => lines.filter((line) => line.includes(`${item}-0000`));
    expect(of('aaaaaaaa')).toEqual([expect.stringContaining('A1'), expect.stringContaining('A3')]);
    expect(of('bbbbbbbb')).toEqual([expect.stringContaining('B2')]);
    expect(of('cccccccc')).toEqual([expect.stringContaining('withdrawn')]);
    expect(of('dddddddd')).toEqual([]);
  });

  it('accepts either signature during a rotation', async () => {
    expect(await post(await signed(now(), [secret, ANOTHER]))).toBe(204);
    expect(await post(await signed(now(), [ANOTHER, secret]))).toBe(204);
  });
});

/** The receiver: forwards every request to the snippet and records it. */
async function startFrontProxy(snippet: SnippetReceiver) {
  const delivered = new ObservedList<Delivered>('webhook');
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const kept = Object.entries(request.headers).filter(([name]) => name.includes('webhook'));
      const headers = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
      const status = await snippet.post(headers, body);
      delivered.add({ headers, body, status });
      response.writeHead(status).end();
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, delivered, close };
}
