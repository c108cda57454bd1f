// The npm packages outside this repository: packed, installed without a network, type-checked, and used on a real server.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Submitted } from '@countersign/shared/schemas/public';
import { aSubmission, openProject, review, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { answerOf, ERAS, refusalOf } from '../../mcp-client.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const run = promisify(execFile);
const testEnv = useSharedTestEnvironment();
const folder = mkdtempSync(join(tmpdir(), 'countersign-packages-'));
const app = join(folder, 'app');
let project: OpenProject;
const opened: Client[] = [];

const npm = (cwd: string, ...args: string[]) =>
  run('npm', [...args, '--cache', join(folder, 'cache')], { cwd, shell: process.platform === 'win32' });

beforeAll(async () => {
  project = await openProject(await person(testEnv));
  mkdirSync(app);
  const to = ['--pack-destination', folder];
  await npm(ROOT, 'run', 'build:sdk');
  const paths = [
    'sdk/typescript',
    'sdk/mcp',
    ...['zod', '@modelcontextprotocol/server', '@modelcontextprotocol/core'].map(installed),
  ];
  for (const path of paths) await npm(ROOT, 'pack', `./${path}`, '--ignore-scripts', ...to);
  writeFileSync(join(app, 'package.json'), '{"name":"app","private":true,"type":"module"}');
  const packed = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  await npm(app, 'install', '--offline', '--no-audit', '--no-fund', ...packed.map((name) => join(folder, name)));
});
afterAll(async () => {
  for (const client of opened) await client.close();
  rmSync(folder, { recursive: true, force: true });
});

const installed = (name: string) => `node_modules/${name}`;
const inApp = (path: string) => join(app, 'node_modules', path);

const settings = () => ({
  COUNTERSIGN_URL: `${testEnv.url()}/`,
  COUNTERSIGN_API_KEY: project.pipeline.apiKey,
  COUNTERSIGN_PROJECT_ID: project.id,
});

const PROGRAM = `
import { ApiError, createClient, type Decision, type PublicItem, type Submitted, verifyWebhook } from '@countersign/client';
import { verifyStandard } from '@countersign/client/webhook';

const { COUNTERSIGN_URL: baseUrl = '', COUNTERSIGN_API_KEY: apiKey = '', COUNTERSIGN_PROJECT_ID: project_id = '' } = process.env;
const client = createClient({ baseUrl, apiKey, retry: { seconds: 0 } });
const given = { project_id, input: { question: 'Q' }, suggestion: 'Yes.', confidence: 1 };
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

describe('@countersign/client', () => {
  it('imports zod and nothing of Node, and shows where its code is from', () => {
    for (const name of ['client.js', 'webhook.js']) {
      const text = readFileSync(inApp(`@countersign/client/dist/${name}`), 'utf8');
      const imports = [...text.matchAll(/(?:^|\n)import .*?["']([^"']+)["'];/g)].map(([, from]) => from);
      expect(imports.sort()).toEqual(name === 'client.js' ? ['./webhook.js', 'zod'] : []);
      expect(text).not.toMatch(/\b(process|Buffer|require|__dirname)\b[.(]/);
      const map = JSON.parse(readFileSync(inApp(`@countersign/client/dist/${name}.map`), 'utf8')) as {
        sourcesContent: string[];
      };
      expect(map.sourcesContent.length).toBeGreaterThan(0);
    }
  });

  it('type-checks strictly, with its own declarations checked too, and works in plain Node', async () => {
    writeFileSync(join(app, 'program.ts'), PROGRAM);
    writeFileSync(join(app, 'globals.d.ts'), 'declare const process: { env: Record<string, string | undefined> };');
    const options = [
      '--strict',
      '--exactOptionalPropertyTypes',
      '--noUncheckedIndexedAccess',
      '--skipLibCheck',
      'false',
    ];
    const target = ['--target', 'es2024', '--lib', 'es2024,dom', '--types', '', '--module', 'nodenext'];
    const compiler = join(ROOT, 'node_modules/typescript-native/bin/tsc');
    await run(process.execPath, [compiler, ...options, ...target, 'program.ts', 'globals.d.ts'], { cwd: app });
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
