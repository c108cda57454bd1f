// Tests the npm packages outside this repository: packed, installed offline, type-checked, used on a real server.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { build } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listQueue } from '@countersign/shared/routes/queue';
import type { Submitted } from '@countersign/shared/schemas/public';
import { signWebhook } from '@countersign/shared/webhook';
import { aSubmission, openProject, review, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { answerOf, ERAS, refusalOf } from '../../mcp-client.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const run = promisify(execFile);
const testEnv = useSharedTestEnvironment();
const folder = mkdtempSync(join(tmpdir(), 'countersign-packages-'));
const app = join(folder, 'app');
/** For a slow machine: npm builds, packs and installs. */
const SETUP_TIMEOUT_MS = 300_000;
let project: OpenProject;
const opened: Client[] = [];

const npm = (cwd: string, ...args: string[]) =>
  run('npm', [...args, '--cache', join(folder, 'cache')], { cwd, shell: process.platform === 'win32' });

beforeAll(async () => {
  project = await openProject(await person(testEnv));
  mkdirSync(app);
  const to = ['--pack-destination', folder];
  await npm(ROOT, 'run', 'build:sdk');
  const paths = ['sdk/typescript', 'sdk/ai-sdk', 'sdk/mcp', ...DEPENDENCIES.map(installed)].map((path) => `./${path}`);
  await npm(ROOT, 'pack', ...paths, '--ignore-scripts', ...to);
  writeFileSync(join(app, 'package.json'), '{"name":"app","private":true,"type":"module"}');
  const packed = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  await npm(app, 'install', '--offline', '--no-audit', '--no-fund', ...packed.map((name) => join(folder, name)));
}, SETUP_TIMEOUT_MS);
afterAll(async () => {
  for (const client of opened) await client.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What the packages depend on, and what those depend on: nothing else is installed. */
const DEPENDENCIES = [
  ...['zod', '@modelcontextprotocol/server', '@modelcontextprotocol/core'],
  ...['ai', '@ai-sdk/gateway', '@ai-sdk/provider', '@ai-sdk/provider-utils', '@vercel/oidc', '@workflow/serde'],
  ...['@standard-schema/spec', 'eventsource-parser', 'json-schema'],
];
const installed = (name: string) => `node_modules/${name}`;
const inApp = (path: string) => join(app, 'node_modules', path);

const settings = () => ({
  COUNTERSIGN_URL: `${testEnv.url()}/`,
  COUNTERSIGN_API_KEY: project.pipeline.apiKey,
  COUNTERSIGN_PROJECT_ID: project.id,
});

/** What the programs use of Node: its types are not installed. */
const GLOBALS = `
declare module 'node:fs' {
  export function existsSync(path: string): boolean;
  export function readFileSync(path: string, encoding: 'utf8'): string;
  export function rmSync(path: string, options: { force: boolean }): void;
  export function writeFileSync(path: string, text: string): void;
}
`;

const PROGRAM = `
import { ApiError, createClient, type Decision, type PublicItem, type Submitted, verifyWebhook } from '@countersign/client';
import { verifyStandard } from '@countersign/client/webhook';

const client = createClient({ retry: { seconds: 0 } });
const given = { input: { question: 'Q' }, suggestion: 'Yes.', confidence: 1 };
const submitted: Submitted = await client.submit(given, { idempotencyKey: 'one' });
const { replayed } = await client.submit(given, { idempotencyKey: 'one' });
const item: PublicItem = await client.item(submitted.id);
const decision: Decision | null = item.decision;
const refusal = await client.withdraw(item.id).catch((error: unknown) => error);
const genuine: boolean = await verifyWebhook('{}', {}, { secret: 'whsec_', now: 0 });
const standard: boolean = await verifyStandard('{}', {}, { secret: 'whsec_', now: 0 });
console.log(JSON.stringify({
  status: submitted.status, replayed, output: decision?.output, genuine, standard,
  code: refusal instanceof ApiError ? refusal.code : refusal,
}));
`;

/** Type-checks a program of the app strictly, and writes its JavaScript. */
async function compile(file: string, options: readonly string[] = []): Promise<void> {
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', ...options];
  const target = ['--target', 'es2024', '--lib', 'es2024,dom', '--types', '', '--module', 'nodenext'];
  writeFileSync(join(app, 'globals.d.ts'), GLOBALS);
  const compiler = join(ROOT, 'node_modules/@typescript/native/bin/tsc');
  await run(process.execPath, [compiler, ...strict, ...target, file, 'globals.d.ts'], { cwd: app });
}

describe('what the packages import', () => {
  it.each([
    ['@countersign/client/dist/client.js', ['./webhook.js', 'zod']],
    ['@countersign/client/dist/webhook.js', []],
    ['@countersign/ai-sdk/dist/index.js', ['@countersign/client', 'ai']],
  ])('%s imports %j and nothing of Node, and shows where its code is from', (file, expected) => {
    const code = readFileSync(inApp(file), 'utf8');
    const imports = [...code.matchAll(/(?:^|\n)import .*?["']([^"']+)["'];/g)].map(([, from]) => from);
    expect(imports.sort()).toEqual(expected);
    expect(code).not.toMatch(/\bimport\(|\b(process|Buffer|require|__dirname)\b[.(]/);
    const map = JSON.parse(readFileSync(inApp(`${file}.map`), 'utf8')) as { sourcesContent: string[] };
    expect(map.sourcesContent.length).toBeGreaterThan(0);
  });
});

describe('@countersign/client', () => {
  it('type-checks strictly, with its own declarations checked too, and works in plain Node', async () => {
    writeFileSync(join(app, 'program.ts'), PROGRAM);
    await compile('program.ts', ['--skipLibCheck', 'false']);
    const { stdout } = await run(process.execPath, ['program.js'], {
      cwd: app,
      env: { ...process.env, ...settings() },
    });
    expect(JSON.parse(stdout)).toEqual({
      ...{ status: 'auto_approved', replayed: true, output: 'Yes.', genuine: false, standard: false },
      code: 'already_decided',
    });
  });
});

describe('@countersign/client where only the globals of the web exist', () => {
  /** Of the Minimum Common Web API, what an edge runtime has and the language does not. */
  const WEB = {
    ...{ fetch, URL, URLSearchParams, Headers, Request, Response, AbortController, AbortSignal },
    ...{ crypto, TextEncoder, TextDecoder, atob, btoa, setTimeout, clearTimeout, structuredClone },
  };

  it('submits, waits for people and verifies a webhook, without eval', async () => {
    const entry = join(app, 'edge.js');
    writeFileSync(entry, `export * from '@countersign/client'; export * from '@countersign/client/webhook';`);
    const output = { format: 'iife', name: 'countersign' } as const;
    const { output: chunks } = await build({ input: entry, platform: 'neutral', write: false, output });
    expect(chunks.map(({ type }) => type)).toEqual(['chunk']);
    const [{ code, imports }] = chunks;
    expect(imports).toEqual([]);
    const message = { id: 'evt_1', timestamp: 1_800_000_000, attempt: 1, body: '{"event":"item.decided"}' };
    const secret = `whsec_${btoa('a secret of thirty-two characters')}`;
    const headers = await signWebhook(message, [secret]);
    const options = { baseUrl: testEnv.url(), apiKey: project.pipeline.apiKey, projectId: project.id };
    const given = {
      options,
      item: aSubmission(),
      body: message.body,
      headers,
      verifier: { secret, now: 1_800_000_000 },
    };
    const context = createContext({ ...WEB }, { codeGeneration: { strings: false, wasm: false } });
    runInContext(`${code}; const given = ${JSON.stringify(given)};`, context);
    const inEdge = (program: string) => runInContext(`(async () => { ${program} })()`, context) as Promise<unknown>;
    const submitted = inEdge(
      'client = countersign.createClient(given.options); return (await client.submit(given.item)).id',
    );
    const id = String(await submitted);
    const decided = inEdge(`return (await client.wait(${JSON.stringify(id)})).action`);
    await review(project.owner, id, 'approve');
    expect(await decided).toBe('approve');
    const verified = (body: string) =>
      inEdge(`return countersign.verifyWebhook(${body}, given.headers, given.verifier)`);
    expect([await verified('given.body'), await verified(`given.body + ' '`)]).toEqual([true, false]);
    const refused = inEdge('try { countersign.createClient() } catch (error) { return error.message }');
    expect(await refused).toContain('pass baseUrl');
  });
});

describe('@countersign/ai-sdk', () => {
  const queued = async () => {
    const query = { project_id: project.id, view: 'all', limit: 100 } as const;
    return (await project.owner.call(listQueue, { query })).data.map(({ id }) => id);
  };
  /** Starts the example of the package; `ended` is what it printed. */
  const start = () => {
    const child = spawn(process.execPath, ['refund.js'], { cwd: app, env: { ...process.env, ...settings() } });
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { child, ended };
  };

  it('type-checks strictly, and its example goes on with the same item after it was killed', async () => {
    copyFileSync(inApp('@countersign/ai-sdk/examples/refund.ts'), join(app, 'refund.ts'));
    // As the program of its README, which needs a model.
    const readme = readFileSync(join(ROOT, 'sdk/ai-sdk/README.md'), 'utf8');
    writeFileSync(join(app, 'readme.ts'), /```ts\n(.*?)```/s.exec(readme)?.[1] ?? '');
    for (const file of ['refund.ts', 'readme.ts']) await compile(file, ['--skipLibCheck', 'true']);
    const before = await queued();
    const killed = start();
    await expect.poll(async () => (await queued()).length, { interval: 20 }).toBe(before.length + 1);
    killed.child.kill('SIGKILL');
    expect((await killed.ended)[0]).toBe('');
    const [id = ''] = (await queued()).filter((item) => !before.includes(item));
    const waiting = start();
    await review(project.owner, id, 'approve');
    const [output, errors] = await waiting.ended;
    expect(output, errors).toBe('Refunded 24.9 for BM-20418\nThe refund is on its way.\n');
    expect(await queued()).toEqual(before);
  });
});

describe('countersign-mcp', () => {
  const program = inApp('@countersign/mcp/dist/main.js');
  const connected = async (env: Record<string, string>, mode: (typeof ERAS)[number]): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [program], env }));
    opened.push(client);
    return client;
  };

  it.each(ERAS)('does the whole story by stdio, in the %s way', async (era) => {
    const client = await connected(settings(), era);
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(3);
    const given = { ...aSubmission(), idempotency_key: `story-${era}` };
    const { id, ...rest } = await answerOf<Submitted>(client, 'request_review', given);
    expect(rest).toEqual({ status: 'queued', decision: null });
    expect(await answerOf(client, 'request_review', given)).toMatchObject({ id });
    const waiting = client.callTool({ name: 'check_review', arguments: { id, wait_seconds: 55 } });
    await review(project.owner, id, 'edit');
    const { structuredContent: item, content } = await waiting;
    expect(item).toMatchObject({ id, decision: { action: 'edit', output: 'An answer that a person wrote.' } });
    expect(item).toEqual(await project.pipeline.read(id));
    expect(content.at(-1)).toMatchObject({ type: 'resource_link', uri: `${testEnv.url()}/queue?item=${id}` });
    expect(await refusalOf(client, 'withdraw_review', { id })).toMatchObject({
      ...{ code: 'already_decided', item: { id, status: 'approved' } },
    });
    const other = await answerOf<Submitted>(client, 'request_review', { ...aSubmission() });
    expect(await answerOf(client, 'withdraw_review', { id: other.id, reason: 'Cancelled' })).toMatchObject({
      status: 'withdrawn',
    });
  });

  it('says what to do where a call is refused', async () => {
    const client = await connected(settings(), 'legacy');
    const misspelt = await refusalOf(client, 'request_review', { ...aSubmission(), risk_flag: ['legal'] });
    expect([misspelt.code, misspelt.detail]).toEqual(['validation_failed', expect.stringContaining('risk_flag')]);
    const unknown = { id: '0197f1a0-0000-7000-8000-000000000001' };
    expect(await refusalOf(client, 'check_review', unknown)).toMatchObject({
      ...{ code: 'not_found', request_id: expect.stringMatching(/./) as string },
    });
    const wrong = await connected({ ...settings(), COUNTERSIGN_API_KEY: 'csk_wrong' }, 'legacy');
    expect((await refusalOf(wrong, 'check_review', unknown)).code).toBe('api_key_invalid');
  });

  it('ends with a sentence where a setting is missing or wrong', async () => {
    for (const change of [{ COUNTERSIGN_URL: '' }, { COUNTERSIGN_URL: 'review.example.org' }]) {
      const started = run(process.execPath, [program], { env: { ...settings(), ...change } });
      await expect(started).rejects.toMatchObject({
        code: 2,
        stderr: expect.stringContaining('COUNTERSIGN_URL') as string,
      });
    }
  });
});
