// Tests the recipes for Temporal, Inngest and Trigger.dev as stored, on stand-ins for these engines.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { rotateWebhookSecret } from '@countersign/shared/routes/projects';
import { listItems, withdrawItem } from '@countersign/shared/routes/public';
import { reviseItem } from '@countersign/shared/routes/queue';
import type { ProjectSettings } from '@countersign/shared/settings';
import { signWebhook } from '@countersign/shared/webhook';
import { freePort } from '../../../src/embedded/address.ts';
import { aSubmission, type OpenProject, openProject, review } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { shortlist } from '../../soak.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';
import { copyRecipe, expectOutput, type Program, startProgram } from './recipe.ts';

const testEnv = useSharedTestEnvironment();
const ENGINES = join(import.meta.dirname, 'engines');
let owner: Person;

beforeAll(async () => {
  owner = await person(testEnv);
});

const TEMPORAL = ['@temporalio/workflow', '@temporalio/activity', '@temporalio/client'];

/** Each recipe: the packages that its engine replaces, the metadata that names a run, and what waking it prints. */
const RECIPES = {
  temporal: { packages: TEMPORAL, key: 'temporal_workflow_id', run: (id: string) => id, woken: 'signal reviewEnded' },
  inngest: {
    packages: ['inngest'],
    key: 'inngest_run_id',
    run: (id: string) => id,
    woken: 'event countersign/item.ended',
  },
  'trigger.dev': {
    packages: ['@trigger.dev/sdk'],
    key: 'trigger_token',
    run: (id: string) => `waitpoint_${id}`,
    woken: 'complete waitpoint_',
  },
} as const;
type Recipe = keyof typeof RECIPES;

interface Running {
  recipe: Recipe;
  project: OpenProject;
  secret: string;
  url: string;
  folder: string;
  program: Program;
  /** Starts the same run in a new process, after the first one was killed. */
  again(): Program;
}

interface Options {
  runId?: string;
  /** What the model of the recipe writes before the question, as it stands in a template. */
  draft?: string;
  settings?: Partial<ProjectSettings>;
}

/** A project whose webhooks go to the receiver of the recipe, and a run of the recipe. */
async function start(recipe: Recipe, { runId = 'run-1', settings = {}, draft }: Options = {}): Promise<Running> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/webhooks`;
  const project = await openProject(owner, { settings: { webhook_url: url, ...settings } });
  const { webhook_secret: secret } = await owner.call(rotateWebhookSecret, { params: { id: project.id } });
  const engine = recipe.split('.')[0] ?? '';
  const packages = RECIPES[recipe].packages.map((name) => [
    name,
    join('server/test/journeys/recipes/engines', `${engine}.ts`),
  ]);
  const folder = copyRecipe(recipe, Object.fromEntries(packages) as Record<string, string>);
  if (draft !== undefined) replaceDraft(folder, draft);
  const again = () =>
    startProgram(folder, [join(ENGINES, `run-${engine}.ts`), folder, runId, 'May I return it?'], {
      ...{ COUNTERSIGN_URL: testEnv.url(), COUNTERSIGN_API_KEY: project.pipeline.apiKey },
      ...{ COUNTERSIGN_PROJECT_ID: project.id, COUNTERSIGN_WEBHOOK_SECRET: secret, PORT: String(port) },
    });
  return { recipe, project, secret, url, folder, program: again(), again };
}

/** Gives the recipe for Trigger.dev another model. */
function replaceDraft(folder: string, draft: string): void {
  const file = join(folder, 'answer-ticket.ts');
  const source = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    source.replace('A suggested answer to:', () => draft),
  );
}

/** The only item of the project, once the run waits for it. */
async function awaitedItem({ project: { pipeline }, recipe }: Running, program: Program): Promise<string> {
  const items = async () => (await pipeline.call(listItems, { query: {} })).data;
  await expect.poll(async () => (await items()).length).toBe(1);
  // The other engines keep what wakes a run that does not wait yet.
  if (recipe === 'inngest') await expectOutput(program, 'wait-1: waits for 1m');
  return (await items())[0]?.id ?? '';
}

describe.each(Object.keys(RECIPES) as Recipe[])('the recipe for %s', (recipe) => {
  const { key, run, woken } = RECIPES[recipe];

  it('uses the answer that people approved, and names its run in the metadata', async () => {
    const running = await start(recipe);
    const { project, program } = running;
    const id = await awaitedItem(running, program);
    expect((await project.pipeline.read(id)).metadata).toEqual({ [key]: run('run-1') });
    await review(owner, id, 'edit');
    await expectOutput(program, 'result: An answer that a person wrote.');
    expect(program.output()).toContain(woken);
  });

  // A recipe uses an approved answer or none: what else an item can end as takes one path.
  it.each(shortlist(['reject', 'withdraw'], ['reject']))('uses nothing after %s', async (how) => {
    const running = await start(recipe);
    const { project, program } = running;
    const id = await awaitedItem(running, program);
    if (how === 'reject') await review(owner, id, 'reject');
    else await project.pipeline.call(withdrawItem, { params: { id }, body: {} });
    await expectOutput(program, 'result: null');
  });

  it('does not wait for what needs no person', async () => {
    const { program } = await start(recipe, { settings: { auto_threshold: 0.8 } });
    await expectOutput(program, 'result: A suggested answer to: May I return it?');
    expect(program.output()).not.toContain(woken);
  });

  it('asks nobody a second time when it is killed while it waits', async () => {
    const running = await start(recipe);
    const { program, again } = running;
    const id = await awaitedItem(running, program);
    await program.kill('SIGKILL');
    const second = again();
    expect(await awaitedItem(running, second)).toBe(id);
    await expectOutput(second, 'Listening');
    await review(owner, id);
    await expectOutput(second, 'result: A suggested answer to: May I return it?');
  });

  it('refuses a forged webhook, an old one and one without a time, and wakes nothing by them', async () => {
    const running = await start(recipe);
    const { program, url, secret } = running;
    const id = await awaitedItem(running, program);
    await expectOutput(program, 'Listening');
    const body = JSON.stringify({ event: 'item.decided', item_id: id });
    const now = Math.floor(Date.now() / 1000);
    const sign = (timestamp: number, by: string) => signWebhook({ id: 'evt_1', timestamp, attempt: 1, body }, [by]);
    const post = async (headers: Record<string, string>, path = '') =>
      (await fetch(`${url}${path}`, { method: 'POST', headers, body })).status;
    const { 'x-webhook-signature': plain = '' } = await sign(now, secret);
    expect(await post(await sign(now, `whsec_${Buffer.alloc(32).toString('base64')}`))).toBe(400);
    expect(await post(await sign(now - 400, secret))).toBe(400);
    expect(await post({ 'x-webhook-signature': plain })).toBe(400);
    expect(await post(await sign(now, secret), '/other')).toBe(404);
    // Genuine, but the item still waits: the service knows better.
    expect(await post(await sign(now, secret))).toBe(204);
    expect(program.output()).not.toContain(woken);
  });

  it('acknowledges what is not its own, and what comes when it has ended', async () => {
    const running = await start(recipe);
    const { project, program } = running;
    const id = await awaitedItem(running, program);
    const other = await project.pipeline.submit(aSubmission());
    const named = await project.pipeline.submit(aSubmission({ metadata: { [key]: run('unknown') } }));
    for (const each of [other, named]) await review(owner, each.id);
    await review(owner, id);
    await expectOutput(program, 'result: A suggested answer');
    const body = { action: 'reject', reason: 'Policy' } as const;
    await owner.call(reviseItem, { params: { id }, body });
    const states = () =>
      testEnv.sql<{ status: string; attempt: number }>('select status, attempt from delivery where project_id = $1', [
        project.id,
      ]);
    await expect.poll(states).toEqual(Array.from({ length: 4 }, () => ({ status: 'succeeded', attempt: 1 })));
  });
});

describe('the recipe for temporal', () => {
  it('withdraws the item when the workflow is cancelled', async () => {
    const running = await start('temporal');
    const { project, program } = running;
    const id = await awaitedItem(running, program);
    await expectOutput(program, 'Listening');
    program.signal('SIGUSR2');
    await expectOutput(program, 'result: Error: Workflow cancelled');
    expect(await project.pipeline.read(id)).toMatchObject({ status: 'withdrawn' });
  });

  it('fails for good when the service refuses the item', async () => {
    const { program, folder } = await start('temporal');
    await program.kill();
    const refused = startProgram(folder, [join(ENGINES, 'run-temporal.ts'), folder, 'run-1', 'May I?'], {
      ...{ COUNTERSIGN_URL: testEnv.url(), COUNTERSIGN_API_KEY: 'csk_wrong', COUNTERSIGN_PROJECT_ID: 'none' },
      PORT: String(await freePort()),
    });
    await expectOutput(refused, 'result: Error: api_key_invalid');
  });
});

describe('the recipe for inngest', () => {
  it('looks on its own when the event came before it waited', async () => {
    const running = await start('inngest');
    const { project, program } = running;
    const id = await awaitedItem(running, program);
    program.signal('SIGUSR2');
    await expectOutput(program, 'wait-2: waits for 1h');
    await review(owner, id);
    await expectOutput(program, 'result: A suggested answer');
    expect(await project.pipeline.read(id)).toMatchObject({ status: 'approved' });
  });
});

describe('the recipe for trigger.dev', () => {
  it('gets the same draft and the same item in another attempt, although its model answers differently', async () => {
    const running = await start('trigger.dev', { draft: 'Draft ${process.pid} for' });
    const { program, again } = running;
    const id = await awaitedItem(running, program);
    const { suggestion: draft } = await running.project.pipeline.read(id);
    expect(draft).toMatch(/^Draft \d+ for/);
    await program.kill('SIGKILL');
    const second = again();
    await expectOutput(second, 'Listening');
    await review(owner, id);
    await expectOutput(second, `result: ${draft as string}`);
  });

  it('puts no metadata into an address but the ID of a token', async () => {
    const running = await start('trigger.dev');
    const { project, program } = running;
    const own = await awaitedItem(running, program);
    await expectOutput(program, 'Listening');
    const tokens = ['../../../v2/runs/run_1/cancel?x=', 'waitpoint_a/../../../runs/run_1/replay?', 'waitpoint_a\n'];
    for (const trigger_token of tokens) {
      const { id } = await project.pipeline.submit(aSubmission({ metadata: { trigger_token } }));
      await review(owner, id);
    }
    const deliveries = () =>
      testEnv.sql<{ status: string }>('select status from delivery where project_id = $1', [project.id]);
    await expect.poll(deliveries).toEqual(tokens.map(() => ({ status: 'succeeded' })));
    await review(owner, own);
    await expectOutput(program, 'result: A suggested answer');
    expect(program.output().match(/^complete .*/gm)).toEqual(['complete waitpoint_run-1']);
  });
});

// Both send a failure on to the service by the same lines of docs/recipes/countersign.ts.
describe.each(shortlist<Recipe>(['temporal', 'trigger.dev'], ['temporal']))('the recipe for %s', (recipe) => {
  it('gets the webhook again when its engine could not be reached', async () => {
    const running = await start(recipe, { runId: 'flaky-1' });
    const { program } = running;
    await review(owner, await awaitedItem(running, program));
    await expectOutput(program, 'result: A suggested answer');
    expect(program.output().split(RECIPES[recipe].woken)).toHaveLength(3);
  });
});
