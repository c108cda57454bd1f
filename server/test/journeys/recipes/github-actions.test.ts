// Tests the GitHub Actions recipe: the step as a runner starts it, against a real server.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { listItems, withdrawItem } from '@countersign/shared/routes/public';
import { claimItem, decideItem } from '@countersign/shared/routes/queue';
import { type OpenProject, openProject, review } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { startForwarder } from '../../forwarder.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';
import { expectOutput, RECIPES, startProgram } from './recipe.ts';

const FOLDER = join(RECIPES, 'github-actions');
const testEnv = useSharedTestEnvironment();
let owner: Person;
let project: OpenProject;

beforeAll(async () => {
  owner = await person(testEnv);
});

interface Inputs {
  runId?: string;
  attempt?: string;
  inputs?: Record<string, string>;
}

/** Starts the step as a runner does, and reads its outputs as a runner does. */
function startStep({ runId = '77', attempt = '1', inputs = {} }: Inputs = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-step-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const outputFile = join(folder, 'output');
  writeFileSync(outputFile, '');
  const given = {
    ...{ url: `${testEnv.url()}/`, 'api-key': project.pipeline.apiKey, 'project-id': project.id },
    ...{ input: 'Tag v1', suggestion: 'Notes of v1', ...inputs },
  };
  const program = startProgram(folder, [join(FOLDER, 'ask-people.mjs')], {
    ...Object.fromEntries(Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
    ...{ GITHUB_REPOSITORY: 'acme/shop', GITHUB_RUN_ID: runId, GITHUB_RUN_ATTEMPT: attempt, GITHUB_JOB: 'release' },
    ...{ GITHUB_SERVER_URL: 'https://github.example', GITHUB_OUTPUT: outputFile },
  });
  return { ...program, outputs: () => readOutputs(readFileSync(outputFile, 'utf8')) };
}

/** The outputs by name: a name, a delimiter, the lines up to the delimiter. */
function readOutputs(text: string): Record<string, string> {
  const found = text.matchAll(/^(?<name>[\w-]+)<<(?<delimiter>\S+)\n(?<value>[\s\S]*?)\n\k<delimiter>$/gm);
  return Object.fromEntries([...found].map(({ groups }) => [groups?.name ?? '', groups?.value ?? '']));
}

const items = async () => (await project.pipeline.call(listItems, { query: {} })).data;

/** The only item of the project, once it has arrived. */
async function onlyItem(): Promise<string> {
  await expect.poll(async () => (await items()).length).toBe(1);
  return (await items())[0]?.id ?? '';
}

/** `action.yml`. */
interface Declaration {
  inputs: Record<string, { required?: boolean }>;
  outputs: Record<string, object>;
  runs: { main: string };
}

/** `release.yml`. */
interface Workflow {
  jobs: { release: { steps: { id?: string; with?: Record<string, string> }[] } };
}

describe('the step of GitHub Actions', () => {
  it('waits for people, sets its outputs, and submits with a link to its run', async () => {
    project = await openProject(owner, { settings: { on_deadline: 'escalate' } });
    const step = startStep({ inputs: { title: `${'x'.repeat(199)}🚀`, 'deadline-seconds': '600' } });
    const id = await onlyItem();
    await expectOutput(step, `/queue?item=${id}`);
    expect(await project.pipeline.read(id)).toMatchObject({
      ...{ title: `${'x'.repeat(199)}\uFFFD`, input: 'Tag v1', suggestion: 'Notes of v1', on_deadline: 'expire' },
      metadata: { run_url: 'https://github.example/acme/shop/actions/runs/77' },
    });
    await review(owner, id);
    expect(await step.ended, step.output()).toBe(0);
    expect(step.outputs()).toEqual({ 'item-id': id, decision: 'approved', output: 'Notes of v1', reason: '' });
  });

  it('gives any text of a reviewer as one output, and no command to the runner', async () => {
    project = await openProject(owner);
    const step = startStep();
    const params = { id: await onlyItem() };
    const output = 'First line\ndecision<<x\nrejected\nx\n::set-output name=decision::rejected';
    const { fence } = await owner.call(claimItem, { params });
    await owner.call(decideItem, { params, body: { fence, action: 'edit', output, reason: 'Wrong fact' } });
    expect(await step.ended).toBe(0);
    expect(step.outputs()).toEqual({ 'item-id': params.id, decision: 'approved', output, reason: 'Wrong fact' });
    expect(step.output()).not.toMatch(/^::set-output/m);
  });

  it('fails when people reject it, with their reason in one line of the log', async () => {
    project = await openProject(owner);
    const step = startStep();
    const params = { id: await onlyItem() };
    const { fence } = await owner.call(claimItem, { params });
    const note = 'Not today.\n::add-mask::x';
    await owner.call(decideItem, { params, body: { fence, action: 'reject', reason: 'Policy', note } });
    expect(await step.ended).toBe(1);
    expect(step.outputs()).toMatchObject({ decision: 'rejected', output: '', reason: `Policy: ${note}` });
    expect(step.output()).toContain('::error::Not approved: rejected. Policy: Not today.%0A::add-mask::x');
  });

  it('fails when the item is withdrawn', async () => {
    project = await openProject(owner);
    const step = startStep();
    await project.pipeline.call(withdrawItem, { params: { id: await onlyItem() }, body: {} });
    expect(await step.ended).toBe(1);
    expect(step.outputs()).toMatchObject({ decision: 'withdrawn', output: '', reason: '' });
  });

  it('asks nobody a second time after the runner was lost and the job is run again', async () => {
    project = await openProject(owner);
    const lost = startStep();
    const id = await onlyItem();
    await lost.kill('SIGKILL');
    const again = startStep({ attempt: '2' });
    await expectOutput(again, id);
    await review(owner, id);
    expect(await again.ended).toBe(0);
    const late = startStep({ attempt: '3' });
    expect(await late.ended).toBe(0);
    expect(late.outputs()).toMatchObject({ 'item-id': id, output: 'Notes of v1' });
    expect(await items()).toHaveLength(1);
  });

  it('goes on when the service was gone while it waited', async () => {
    project = await openProject(owner);
    const forwarder = await startForwarder('http');
    onTestFinished(() => forwarder.close());
    forwarder.target(testEnv.url());
    const step = startStep({ inputs: { url: forwarder.url } });
    const id = await onlyItem();
    await expectOutput(step, id);
    forwarder.target(null);
    await expectOutput(step, 'No answer yet (503)');
    await review(owner, id);
    forwarder.target(testEnv.url());
    expect(await step.ended).toBe(0);
    expect(step.outputs()).toMatchObject({ decision: 'approved' });
  });

  it('asks again in another run, and for another key of the same run', async () => {
    project = await openProject(owner, { settings: { auto_threshold: 0.8 } });
    const keys = ['node 20, ü', 'node 20, ö', 'x'.repeat(300)];
    for (const given of [{}, { runId: '78' }, ...keys.map((key) => ({ inputs: { key } }))]) {
      expect(await startStep(given).ended).toBe(0);
    }
    expect(await items()).toHaveLength(5);
  });

  it('says why it was refused, and fails with another code', async () => {
    project = await openProject(owner);
    const step = startStep({ inputs: { 'api-key': 'csk_wrong' } });
    expect(await step.ended).toBe(2);
    expect(step.output()).toContain('api_key_invalid');
    expect(await startStep({ inputs: { input: '' } }).ended).toBe(2);
  });

  it.each<[string, Record<string, string>]>([
    ['an address without a scheme', { url: 'review.example.org' }],
    ['an address of something else', { url: 'file:///tmp' }],
    ['an address with a password', { url: 'http://a:b@127.0.0.1:9' }],
    ['no address', { url: '' }],
    ['an API key of two lines', { 'api-key': 'csk_a\ncsk_b' }],
  ])('does not ask for ever with %s', async (_, inputs) => {
    project = await openProject(owner);
    const step = startStep({ inputs });
    expect(await step.ended, step.output()).toBe(2);
    expect(step.output()).toMatch(/^::error::.*(input|URL)/m);
    expect(step.output()).not.toContain('csk_');
  });

  it('is declared with the inputs and outputs that it has', () => {
    const action = parse(readFileSync(join(FOLDER, 'action.yml'), 'utf8')) as Declaration;
    const source = readFileSync(join(FOLDER, action.runs.main), 'utf8');
    const named = (pattern: RegExp) => [...new Set([...source.matchAll(pattern)].map(([, name]) => name))].sort();
    expect(named(/readInput\('([\w-]+)'/g)).toEqual(Object.keys(action.inputs).sort());
    expect(named(/setOutput\('([\w-]+)'/g)).toEqual(Object.keys(action.outputs).sort());
    const workflow = parse(readFileSync(join(FOLDER, 'release.yml'), 'utf8')) as Workflow;
    const step = workflow.jobs.release.steps.find(({ id }) => id === 'review');
    const required = Object.keys(action.inputs).filter((name) => action.inputs[name]?.required === true);
    expect(Object.keys(step?.with ?? {})).toEqual(expect.arrayContaining(required));
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step?.with ?? {})));
  });
});
