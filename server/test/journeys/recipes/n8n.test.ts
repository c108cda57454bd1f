// Tests the n8n recipe: the workflows as stored, on a stand-in for n8n, against a real server.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { changeProject, rotateWebhookSecret } from '@countersign/shared/routes/projects';
import { listItems, withdrawItem } from '@countersign/shared/routes/public';
import { reviseItem } from '@countersign/shared/routes/queue';
import { aSubmission, type OpenProject, openProject, review } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';
import { type Engine, startEngine, type Workflow } from './n8n.ts';
import { RECIPES } from './recipe.ts';

const testEnv = useSharedTestEnvironment();
let owner: Person;

beforeAll(async () => {
  owner = await person(testEnv);
});

const stored = (file: string) => readFileSync(join(RECIPES, 'n8n', file), 'utf8');
const ASK = 'ask-people.json';
const RECEIVE = 'receive-webhooks.json';
const FILES = [ASK, RECEIVE];

/** The workflow with the settings of this test in its node "Settings", as its reader fills them in. */
function filledIn(file: string, projectId: string): Workflow {
  const workflow = JSON.parse(stored(file).replaceAll('http://localhost:3000', testEnv.url())) as Workflow;
  const settings = workflow.nodes.find(({ name }) => name === 'Settings')?.parameters['assignments'];
  const { assignments } = settings as { assignments: { name: string; value: string }[] };
  for (const each of assignments) if (each.name === 'project_id') each.value = projectId;
  return workflow;
}

/** n8n with both workflows, and a project whose webhooks go there. */
async function start(auto_threshold = 0.95): Promise<{ project: OpenProject; engine: Engine }> {
  const project = await openProject(owner, { settings: { auto_threshold } });
  const params = { id: project.id };
  const { webhook_secret: secret } = await owner.call(rotateWebhookSecret, { params });
  const workflows = FILES.map((file) => filledIn(file, project.id));
  const credentials = { countersignApiKey: project.pipeline.apiKey, countersignWebhookSecret: secret };
  const engine = await startEngine(workflows, credentials);
  const { settings_version } = project.project;
  const body = { settings_version, webhook_url: `${engine.url}/webhook/countersign` };
  await owner.call(changeProject, { params, body });
  return { project, engine };
}

const ask = ({ url }: Engine) =>
  fetch(`${url}/webhook/tickets`, { method: 'POST', body: JSON.stringify({ question: 'May I return it?' }) });

/** The only item of the project, once its execution waits. */
async function awaitedItem({ pipeline }: OpenProject, engine: Engine): Promise<string> {
  await expect.poll(() => engine.executions[0]?.status).toBe('waiting');
  return (await pipeline.call(listItems, { query: {} })).data[0]?.id ?? '';
}

/** The deliveries of the project, once so many have ended. */
async function expectDelivered({ id }: OpenProject, count: number): Promise<void> {
  const states = async () =>
    (await testEnv.sql<{ status: string }>('select status from delivery where project_id = $1', [id])).map(
      ({ status }) => status,
    );
  await expect.poll(states).toEqual(Array.from({ length: count }, () => 'succeeded'));
}

describe('the recipe for n8n', () => {
  it('waits for people and uses what they approved', async () => {
    const { project, engine } = await start();
    expect((await ask(engine)).status).toBe(200);
    const id = await awaitedItem(project, engine);
    await review(owner, id, 'edit');
    await expect.poll(() => engine.executions[0]?.status).toBe('success');
    expect(engine.executions[0]).toMatchObject({
      last: { status: 'approved', answer: 'An answer that a person wrote.' },
      path: expect.arrayContaining(['Wait for people', 'Read the item', 'Send the answer']) as string[],
    });
    await expectDelivered(project, 1);
  });

  it('uses nothing when the item is withdrawn, and says so', async () => {
    const { project, engine } = await start();
    await ask(engine);
    await project.pipeline.call(withdrawItem, { params: { id: await awaitedItem(project, engine) }, body: {} });
    await expect.poll(() => engine.executions[0]?.status).toBe('success');
    expect(engine.executions[0]).toMatchObject({ last: { status: 'withdrawn', reason: '' } });
    expect(engine.executions[0]?.path).not.toContain('Send the answer');
  });

  it('does not wait for what needs no person', async () => {
    const { engine } = await start(0.8);
    await ask(engine);
    await expect.poll(() => engine.executions[0]?.status).toBe('success');
    expect(engine.executions[0]).toMatchObject({ last: { answer: 'A suggested answer to: May I return it?' } });
    expect(engine.executions[0]?.path).not.toContain('Wait for people');
  });

  it('waits again when it is resumed before people have decided', async () => {
    const { project, engine } = await start();
    await ask(engine);
    const id = await awaitedItem(project, engine);
    const { metadata } = await project.pipeline.read(id);
    expect((await fetch(metadata?.['n8n_resume_url'] as string, { method: 'POST' })).status).toBe(200);
    await expect.poll(() => engine.executions[0]?.path.filter((name) => name === 'Wait for people')).toHaveLength(2);
    expect(engine.executions[0]?.path).not.toContain('Send nothing');
  });

  it('refuses a forged webhook, and acknowledges what resumes nothing', async () => {
    const { project, engine } = await start();
    await ask(engine);
    const id = await awaitedItem(project, engine);
    const forged = await fetch(`${engine.url}/webhook/countersign`, {
      method: 'POST',
      headers: { 'x-webhook-signature': '0'.repeat(64) },
      body: JSON.stringify({ event: 'item.decided', item_id: id }),
    });
    expect(forged.status).toBe(400);
    expect(engine.executions.at(-1)?.path).toEqual(['Countersign', 'Expected signature', 'Genuine?', '400']);
    await review(owner, id);
    await owner.call(reviseItem, { params: { id }, body: { action: 'reject', reason: 'Policy' } });
    await expectDelivered(project, 2);
    expect(engine.executions.filter(({ workflow }) => workflow === 'Ask people')).toHaveLength(1);
  });

  it('acknowledges a resume URL with another token', async () => {
    const { project, engine } = await start();
    await ask(engine);
    await awaitedItem(project, engine);
    const metadata = { n8n_resume_url: `${engine.url}/webhook-waiting/1?signature=00` };
    const { id } = await project.pipeline.submit(aSubmission({ metadata }));
    await review(owner, id);
    await expectDelivered(project, 1);
    expect(engine.executions.map(({ status }) => status)).toEqual(['waiting', 'success']);
  });

  it.each([
    '',
    'http://127.0.0.1:1/webhook-waiting/1',
    'BASE/webhook-waiting/../webhook/tickets',
    'BASE@evil.example/',
  ])('calls no address that is not one of its own: "%s"', async (address) => {
    const { project, engine } = await start();
    const metadata = { n8n_resume_url: address.replace('BASE', engine.url) };
    const { id } = await project.pipeline.submit(aSubmission({ metadata }));
    await review(owner, id);
    await expectDelivered(project, 1);
    expect(engine.executions.map(({ path }) => path.at(-1))).toEqual(['204']);
    expect(engine.executions[0]?.path).toContain('Ours?');
    expect(engine.executions[0]?.path).not.toContain('Resume');
  });

  it('gets the webhook again when the execution did not wait yet', async () => {
    const { project, engine } = await start();
    engine.tooEarly = 1;
    await ask(engine);
    await review(owner, await awaitedItem(project, engine));
    await expect.poll(() => engine.executions[0]?.status).toBe('success');
    const answers = engine.executions.slice(1).map(({ path }) => path.at(-1));
    expect(answers).toEqual(['503', '204']);
  });
});

/** The node types with the versions that n8n 2.41.1 has. */
const NODES = {
  'n8n-nodes-base.webhook': 2,
  'n8n-nodes-base.set': 3.4,
  'n8n-nodes-base.httpRequest': 4.2,
  'n8n-nodes-base.if': 2.2,
  'n8n-nodes-base.wait': 1.1,
  'n8n-nodes-base.crypto': 2,
  'n8n-nodes-base.respondToWebhook': 1.1,
};

it.each(FILES)('%s has known nodes, connected to each other, and no secret', (file) => {
  const { nodes, connections } = JSON.parse(stored(file)) as Workflow;
  const names = nodes.map(({ name }) => name);
  for (const { type, typeVersion } of nodes) expect(NODES).toMatchObject({ [type]: typeVersion });
  expect(names).toEqual(expect.arrayContaining(Object.keys(connections)));
  const targets = Object.values(connections).flatMap(({ main }) => main.flat().map(({ node }) => node));
  const triggers = nodes.filter(({ type }) => type.endsWith('.webhook')).map(({ name }) => name);
  expect(new Set([...targets, ...triggers])).toEqual(new Set(names));
  expect(stored(file)).not.toMatch(/csk_|whsec_/);
});
