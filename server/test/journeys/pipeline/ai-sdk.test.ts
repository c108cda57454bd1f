// Agents of the AI SDK on a real server: each outcome of a review of their tool calls.
import { beforeAll, describe, expect, it } from 'vitest';
import { createClient, type Client } from '@countersign/shared/client';
import { claimItem, decideItem } from '@countersign/shared/routes/queue';
import { paused, toItems } from '../../../../sdk/ai-sdk/src/approvals.ts';
import { runWithReview } from '../../../../sdk/ai-sdk/src/run.ts';
import { MAIL, REFUND, support, toldOf, type ModelCall } from '../../../../sdk/ai-sdk/src/shop.fixture.ts';
import { openProject, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { setDeadlineClock } from '../../integration/support/deadline-clock.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';

type Decision = Omit<NonNullable<(typeof decideItem)['types']>['body'], 'fence'>;

const ASK = { prompt: 'The teapot arrived with a crack.' };
const testEnv = useSharedTestEnvironment();
let project: OpenProject;
let client: Client;

beforeAll(async () => {
  project = await openProject(await person(testEnv));
  client = createClient({ baseUrl: testEnv.url(), apiKey: project.pipeline.apiKey, projectId: project.id });
});

async function waiting() {
  const items = [];
  for await (const item of client.eachItem({ status: 'queued' })) items.push(item);
  return items;
}

/** The calls that wait, once there are so many. */
async function arrived(count: number) {
  await expect.poll(async () => (await waiting()).length, { interval: 20 }).toBe(count);
  return waiting();
}

async function decide(id: string, decision: Decision): Promise<void> {
  const { fence } = await project.owner.call(claimItem, { params: { id } });
  await project.owner.call(decideItem, { params: { id }, body: { fence, ...decision } });
}

/** Runs an agent that makes these calls, while `act` does what people and others do. */
async function story(calls: ModelCall[], act: (items: Awaited<ReturnType<typeof waiting>>) => Promise<unknown>) {
  const { agent, ran, seen } = support(calls);
  const run = runWithReview(agent, ASK, { client, submissionOptions: { deadline_seconds: 3600 } });
  // A run that fails ends the test at once.
  await Promise.race([run, arrived(calls.length).then(act)]);
  const { result } = await run;
  expect(result.text).toBe('Done.');
  return { ran, told: toldOf(seen) };
}

describe('a tool call of an agent', () => {
  it('runs when a person approves it, and is shown with a form of its schema', async () => {
    const { ran } = await story([REFUND], async ([item]) => {
      expect(item).toMatchObject({ kind: 'tool_call', suggestion: REFUND, input: { agent: 'support' } });
      const read = await client.item(item?.id ?? '');
      expect(read.answer_schema).toMatchObject({ required: ['order', 'amount'] });
      expect(read).not.toHaveProperty('suggestion_faults');
      await decide(read.id, { action: 'approve' });
    });
    expect(ran).toEqual([REFUND]);
  });

  it('runs with what a person wrote', async () => {
    const edited = { ...REFUND, arguments: { order: 'BM-1', amount: 20 } };
    const { ran } = await story([REFUND], async ([item]) =>
      decide(item?.id ?? '', { action: 'edit', output: edited, reason: 'Wrong fact' }),
    );
    expect(ran).toEqual([edited]);
  });

  it('is rejected, or answered in words, each with its own decision', async () => {
    const { ran, told } = await story([REFUND, MAIL], async (items) => {
      for (const { id, suggestion } of items) {
        const isMail = (suggestion as { name: string }).name === 'mail';
        await decide(
          id,
          isMail ? { action: 'respond', response: 'Call them.' } : { action: 'reject', reason: 'Other' },
        );
      }
    });
    expect(ran).toEqual([]);
    expect(told).toMatchObject({ refund: { reason: 'Other' }, mail: { reason: 'Call them.' } });
  });

  it('does not run when its review was withdrawn, or its deadline has passed', async () => {
    const told = (text: string) => ({ refund: { reason: expect.stringContaining(text) as string } });
    const withdrawn = await story([REFUND], async ([item]) => client.withdraw(item?.id ?? ''));
    expect(withdrawn).toMatchObject({ ran: [], told: told('withdrawn') });
    try {
      const expired = await story([REFUND], () => setDeadlineClock(testEnv, 7200));
      expect(expired).toMatchObject({ ran: [], told: told('before its deadline') });
    } finally {
      await setDeadlineClock(testEnv, 0);
    }
  });

  it('is one item, however often it is submitted', async () => {
    const { agent } = support([REFUND]);
    const { responseMessages } = await agent.generate(ASK);
    const run = paused(responseMessages) ?? { id: '', messages: [] };
    const submitted = [];
    for (const calls of [await toItems(run, { tools: agent.tools }), await toItems(run, { tools: agent.tools })]) {
      for (const { item, idempotencyKey } of calls) submitted.push(await client.submit(item, { idempotencyKey }));
    }
    expect(submitted.map(({ replayed }) => replayed)).toEqual([false, true]);
    expect(new Set(submitted.map(({ id }) => id)).size).toBe(1);
    await client.withdraw(submitted[0]?.id ?? '');
  });
});
