// Tests the snippets “in your language” exactly as stored: each asks people, waits, and does and prints what it says.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Submitted } from '@countersign/shared/schemas/public';
import { listItems } from '@countersign/shared/routes/public';
import { claimItem, decideItem } from '@countersign/shared/routes/queue';
import { openProject, type OpenProject } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { startModelProvider } from '../../fixtures/model-provider.ts';
import { answerOf } from '../../mcp-client.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';
import { type Command, filledIn, LANGUAGES, outputOf, programsHere, readSnippet } from './languages.ts';

const testEnv = useSharedTestEnvironment();
const programs = programsHere();
const quickstarts = programs.filter(([{ file }]) => file.startsWith('quickstart.'));
let owner: Person;
let provider: Awaited<ReturnType<typeof startModelProvider>>;

beforeAll(async () => {
  owner = await person(testEnv);
  provider = await startModelProvider();
});
afterAll(() => provider.close());

const DECISIONS = [
  ['approved', { action: 'approve' }],
  ['rejected', { action: 'reject', reason: 'Policy' }],
] as const;
type DecisionBody = (typeof DECISIONS)[number][1];

const environment = (project: OpenProject, url = testEnv.url()) => ({
  COUNTERSIGN_URL: url,
  COUNTERSIGN_API_KEY: project.pipeline.apiKey,
  COUNTERSIGN_PROJECT_ID: project.id,
});

/** Starts a snippet; resolves when it has ended. */
async function run({ program, args, env }: Command, own: Record<string, string>) {
  const child = spawn(program, args, { env: { ...process.env, ...env, ...provider.env, ...own } });
  const ended = once(child, 'close') as Promise<[number | null]>;
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err };
}

/** Frameworks of agents take long to load on a slow machine, in milliseconds. */
const LOADING = { timeout: 250_000 };

/** The id of the only item of the project, once it has arrived. */
async function firstItem({ id, pipeline }: OpenProject): Promise<string> {
  const items = async () => (await pipeline.call(listItems, { query: {} })).data;
  await expect.poll(async () => (await items()).length, LOADING).toBe(1);
  const [item] = await items();
  if (item === undefined) throw new Error(`Project ${id} has no item.`);
  return item.id;
}

async function decide(id: string, decision: DecisionBody): Promise<void> {
  const params = { id };
  const { fence } = await owner.call(claimItem, { params });
  await owner.call(decideItem, { params, body: { fence, ...decision } });
}

describe.each(programs)('$file', (snippet, command) => {
  async function expectPrinted([status, decision]: (typeof DECISIONS)[number]): Promise<void> {
    const project = await openProject(owner);
    const running = run(command, environment(project));
    const ended = running.then(({ err }) => Promise.reject(new Error(`It ended before it waited. ${err}`)));
    await decide(await Promise.race([firstItem(project), ended]), decision);
    const { code, out, err } = await running;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(outputOf(snippet[status]));
  }

  it('prints what it says when people approve, and when they reject', { timeout: 300_000 }, async () => {
    await Promise.all(DECISIONS.map(expectPrinted));
    // Programs of the AI SDK have a model in their own process.
    const models = snippet.file.endsWith('.py') ? /gpt-[\d.]+/.exec(readSnippet(snippet.file)) : null;
    expect(new Set(provider.models.splice(0))).toEqual(new Set(models));
  });
});

describe('quickstart.*, all of them at once', () => {
  const all = (check: (command: Command, file: string) => Promise<void>) =>
    Promise.all(quickstarts.map(([{ file }, command]) => check(command, file)));

  it('says why it was refused, and fails', async () => {
    const project = await openProject(owner);
    await all(async (command, file) => {
      const { code, out, err } = await run(command, { ...environment(project), COUNTERSIGN_API_KEY: 'csk_wrong' });
      expect(code, file).not.toBe(0);
      expect(out + err, file).toMatch(/api_key_invalid|API key/);
    });
  });

  it('asks nobody where the project approves by itself', async () => {
    await all(async (command, file) => {
      const project = await openProject(owner, { settings: { auto_threshold: 0.8 } });
      const { code, out } = await run(command, environment(project));
      expect({ code, out }, file).toEqual({ code: 0, out: expect.stringMatching(/^Refund .*BM-20418/) as string });
    });
  });

  it('does not refund where the service rejects by itself', async () => {
    await all(async (command, file) => {
      const project = await openProject(owner, { settings: { review_threshold: 0.9 } });
      const { out, err } = await run(command, environment(project));
      expect(out, file).not.toMatch(/^Refund/);
      expect(out + err, file).toMatch(/Do not refund: .*rejected|ItemEndedError: .*rejected/);
    });
  });

  it.each([429, 503])('sends the same idempotency key again after %i, when it may', async (status) => {
    await all(async (command, file) => {
      const project = await openProject(owner, { settings: { auto_threshold: 0.8 } });
      const busy = await startBusy(status);
      const { code } = await run(command, environment(project, busy.url));
      busy.close();
      expect(code, file).toBe(0);
      const [first, second, ...more] = busy.seen;
      expect(more, file).toEqual([]);
      expect([first?.key, second?.key], file).toEqual(['ticket-7', 'ticket-7']);
      expect((second?.at ?? 0) - (first?.at ?? 0), file).toBeGreaterThan(1900);
    });
  });

  it('makes no second item when it runs again', async () => {
    const project = await openProject(owner, { settings: { auto_threshold: 0.8 } });
    const [, command] = quickstarts[0] ?? [];
    if (command === undefined) return;
    const first = await run(command, environment(project));
    expect(await run(command, environment(project))).toEqual(first);
    await firstItem(project);
  });
});

/** A proxy that answers the first request with this status and a Retry-After of two seconds, and lists the submissions. */
async function startBusy(status: number) {
  const seen: { key: string; at: number }[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { method = 'GET' } = request;
      const body = method === 'GET' ? null : await text(request);
      if (body !== null) seen.push({ key: String(request.headers['idempotency-key']), at: Date.now() });
      if (body !== null && seen.length === 1)
        return void response.writeHead(status, { 'retry-after': '2' }).end('busy');
      const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
      const url = testEnv.url() + (request.url ?? '');
      const answer = await fetch(url, { method, headers: headers as Record<string, string>, body });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, close };
}

describe('mcp.json', () => {
  const snippet = LANGUAGES.find(({ file }) => file === 'mcp.json');

  it.each(DECISIONS)('connects an agent, which gets what it says when people have %s', async (status, decision) => {
    const project = await openProject(owner);
    const configured = JSON.parse(filledIn(readSnippet('mcp.json'), environment(project))) as {
      mcpServers: { countersign: { type: string; url: string; headers: Record<string, string> } };
    };
    const { type, url, headers } = configured.mcpServers.countersign;
    expect(type).toBe('http');
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    const { tools } = await client.listTools();
    for (const { name } of tools) expect(snippet).toMatchObject({ note: expect.stringContaining(name) as string });
    const given = {
      input: 'The teapot has a crack.',
      suggestion: { order: 'BM-20418', amount: 24.9 },
      confidence: 0.83,
    };
    const { id } = await answerOf<Submitted>(client, 'request_review', given);
    await decide(id, decision);
    const answer = await answerOf(client, 'check_review', { id, wait_seconds: 55 });
    expect(JSON.stringify(answer)).toMatch(outputOf(snippet?.[status] ?? ''));
    await client.close();
  });
});
