// The requests and responses of the AI SDK, where shapes are unusual: what people see is what runs, or nothing runs.
import { generateText, jsonSchema, tool, ToolLoopAgent, type ModelMessage, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { paused, toItems, toResume } from './approvals.ts';
import { UnknownInterruptError } from './errors.ts';
import { Reviews, type Plan } from './reviews.fixture.ts';
import { runWithReview } from './run.ts';
import { agentWith, MAIL, REFUND, scriptedModel, shop, toldOf, type ModelCall } from './shop.fixture.ts';

const ASK = { prompt: 'The teapot arrived with a crack.' };
const APPROVE: Plan = { action: 'approve' };
const edit = (given: Extract<Plan, { action: 'edit' }>['arguments']): Plan => ({ action: 'edit', arguments: given });

const DECISION = {
  id: 'd',
  status: 'approved',
  action: 'approve',
  reason: null,
  note: null,
  reviewer_id: null,
  decided_at: '2026-11-20T14:02:31.000Z',
} as const;

/** Reviews one call of a tool with this schema; what reviewers saw, what ran, and what the model was told. */
async function reviewed(inputSchema: NonNullable<ToolSet[string]['inputSchema']>, given: unknown, plan: Plan) {
  const ran: unknown[] = [];
  const execute = async (input: unknown) => ran.push(input);
  const { agent, seen } = agentWith({ refund: tool({ inputSchema, execute }) }, [
    { name: 'refund', arguments: given } satisfies ModelCall,
  ]);
  const reviews = new Reviews({ refund: plan });
  await runWithReview(agent, ASK, { client: reviews });
  const [sent] = reviews.sent();
  const suggestion = sent?.suggestion as { arguments: unknown };
  return { shown: suggestion.arguments, schema: sent?.answer_schema, ran, told: toldOf(seen)['refund'] };
}

describe('what reviewers see of a call', () => {
  it('is what the tool runs with, where its schema fills in defaults', async () => {
    const schema = z.object({ order: z.string(), currency: z.string().default('EUR') });
    const { shown, ran, schema: form } = await reviewed(schema, { order: 'BM-1' }, APPROVE);
    expect([shown, ran]).toEqual([{ order: 'BM-1', currency: 'EUR' }, [{ order: 'BM-1', currency: 'EUR' }]]);
    expect(form).toMatchObject({ properties: { currency: { type: 'string' } } });
  });

  it('is what the tool runs with, where its schema converts: a form would read it as something else', async () => {
    const schema = z.object({ cents: z.number().transform((amount) => amount * 100) });
    const { shown, ran, schema: form } = await reviewed(schema, { cents: 5 }, APPROVE);
    expect([shown, ran, form]).toEqual([{ cents: 500 }, [{ cents: 500 }], null]);
  });

  it('is the ISO form of a time', async () => {
    const schema = z.object({ at: z.iso.datetime().transform((text) => new Date(text)) });
    const at = '2026-11-20T14:02:31.000Z';
    const { shown, ran } = await reviewed(schema, { at }, APPROVE);
    expect([shown, ran]).toEqual([{ at }, [{ at: new Date(at) }]]);
  });

  it('is a member of its own, where the input is not an object', async () => {
    const { shown, ran, schema } = await reviewed(z.string(), 'rm -rf /data', APPROVE);
    expect([shown, ran, schema]).toEqual([{ text: 'rm -rf /data' }, ['rm -rf /data'], null]);
    expect((await reviewed(jsonSchema({ type: 'string' }), 'ls', APPROVE)).schema).toBeNull();
  });

  it('is never without a value that JSON does not have: such a call is refused, and nothing runs', async () => {
    const schema = z.object({ amount: z.number().transform((amount) => amount / 0) });
    await expect(reviewed(schema, { amount: 1 }, APPROVE)).rejects.toBeInstanceOf(UnknownInterruptError);
    // The messages of the AI SDK have no sets, so it refuses to run the call.
    const names = z.object({ to: z.array(z.string()).transform((to) => new Set(to)) });
    expect((await reviewed(names, { to: ['ana'] }, APPROVE)).ran).toEqual([]);
  });

  it('has the reason for the approval, and what the model said with the call', async () => {
    const messages: ModelMessage[] = [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I will refund it.' },
          { type: 'tool-call', toolCallId: 'c', toolName: 'refund', input: { amount: 5 } },
          { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c', reason: 'More than 1 EUR' },
        ],
      },
    ];
    const [call] = await toItems(paused(messages) ?? { id: '', messages: [] });
    expect(call?.item.input).toEqual({ reason: 'More than 1 EUR', text: 'I will refund it.' });
  });

  it('is the call that the AI SDK runs, where two calls have the same ID', async () => {
    const { ran, tools } = shop();
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 'refund' } as const;
    const messages: ModelMessage[] = [
      { role: 'user', content: 'Refund it.' },
      { role: 'assistant', content: [{ ...call, input: { order: 'BM-1', amount: 1 } }] },
      { role: 'tool', content: [{ ...call, type: 'tool-result', output: { type: 'text', value: 'Refunded.' } }] },
      {
        role: 'assistant',
        content: [
          { ...call, input: { order: 'BM-1', amount: 2 } },
          { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' },
          { ...call, input: { order: 'BM-1', amount: 1000 } },
        ],
      },
    ];
    const run = paused(messages) ?? { id: '', messages: [] };
    const [item] = await toItems(run);
    const decision = { ...DECISION, edited: false, output: null };
    const resumed = await toResume(run, [{ itemId: 'i', status: 'approved', decision }]);
    await generateText({ model: scriptedModel().model, tools, messages: resumed });
    expect(ran).toEqual([item?.item.suggestion]);
    expect(ran).toMatchObject([{ arguments: { amount: 1000 } }]);
  });
});

describe('an edit that cannot run as the person wrote it', () => {
  const given = { order: 'BM-1', amount: 20 };
  const calls = 'exactly these arguments: {"order":"BM-1","amount":20}';

  it.each<[string, ModelCall, { experimental_toolApprovalSecret?: string }]>([
    ['the request is signed', REFUND, { experimental_toolApprovalSecret: 'a secret of thirty-two bytes....' }],
    ['the provider keeps the call', { ...REFUND, more: { providerMetadata: { openai: { itemId: 'fc_1' } } } }, {}],
    [
      'the provider signs the call',
      { ...REFUND, more: { providerMetadata: { google: { thoughtSignature: 'x' } } } },
      {},
    ],
  ])('is denied with the new arguments: %s', async (_, call, settings) => {
    const { ran, tools } = shop();
    const { model, seen } = scriptedModel([call]);
    const agent = new ToolLoopAgent({ ...settings, model, tools, toolApproval: { refund: 'user-approval' } });
    await runWithReview(agent, ASK, { client: new Reviews({ refund: edit(given) }) });
    expect(ran).toEqual([]);
    expect(toldOf(seen)).toEqual({
      refund: { type: 'execution-denied', reason: expect.stringContaining(calls) as string },
    });
  });

  it.each([
    ['the schema refuses them', z.object({ amount: z.number().max(10) }), { amount: 5 }, { amount: 20 }],
    ['the schema changes them', z.object({ amount: z.coerce.number() }), { amount: 5 }, { amount: '20' }],
    ['the input is not an object', z.string(), 'ls', { text: 'pwd' }],
  ])('is denied with the new arguments: %s', async (_, schema, input, edited) => {
    const { ran, told } = await reviewed(schema, input, edit(edited));
    expect(ran).toEqual([]);
    expect(told).toMatchObject({ reason: expect.stringContaining(JSON.stringify(edited)) as string });
  });

  it('is denied with the new arguments: the provider runs the call', async () => {
    const messages: ModelMessage[] = [
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'c', toolName: 'mcp.refund', input: { amount: 5 }, providerExecuted: true },
          { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' },
        ],
      },
    ];
    const run = paused(messages) ?? { id: '', messages: [] };
    const edited = { name: 'mcp.refund', arguments: { amount: 2 } };
    const decision = { ...DECISION, edited: true, output: edited };
    const resumed = await toResume(run, [{ itemId: 'i', status: 'approved', decision }]);
    expect(resumed.slice(0, -1)).toEqual(messages);
    expect(resumed.at(-1)).toMatchObject({ content: [{ approvalId: 'a', approved: false, providerExecuted: true }] });
  });

  it('runs where the tool has a JSON Schema alone, as those of MCP servers', async () => {
    const schema = jsonSchema({ type: 'object', properties: { amount: { type: 'number' } } });
    const { ran, schema: form } = await reviewed(schema, { amount: 5 }, edit({ amount: 2 }));
    expect([ran, form]).toEqual([[{ amount: 2 }], { type: 'object', properties: { amount: { type: 'number' } } }]);
  });

  it('runs where defaults were filled in before', async () => {
    const schema = z.object({ order: z.string(), currency: z.string().default('EUR') });
    const edited = { order: 'BM-2', currency: 'EUR' };
    expect((await reviewed(schema, { order: 'BM-1' }, edit(edited))).ran).toEqual([edited]);
  });
});

describe('paused', () => {
  it('is null where nothing waits: a call that a policy decided, and a conversation without calls', async () => {
    const { ran, tools } = shop();
    const { model } = scriptedModel([REFUND]);
    const agent = new ToolLoopAgent({ model, tools, toolApproval: { refund: 'approved' } });
    const reviews = new Reviews({});
    await runWithReview(agent, ASK, { client: reviews });
    expect([ran, reviews.items.size]).toEqual([[REFUND], 0]);
    expect(paused([{ role: 'user', content: 'Hello' }])).toBeNull();
    expect(paused([])).toBeNull();
  });

  it('reviews a call beside one that ran by itself', async () => {
    const { ran, tools } = shop();
    const { model, seen } = scriptedModel([MAIL, REFUND]);
    const agent = new ToolLoopAgent({ model, tools, toolApproval: { refund: 'user-approval' } });
    await runWithReview(agent, ASK, { client: new Reviews({ refund: APPROVE }) });
    expect(ran).toEqual([MAIL, REFUND]);
    expect(Object.keys(toldOf(seen)).sort()).toEqual(['mail', 'refund']);
  });

  it.each([
    ['approved', [MAIL, REFUND]],
    ['denied', [REFUND]],
  ] as const)('asks nobody about a call that a policy has %s in the same step', async (policy, expected) => {
    const { ran, tools } = shop();
    const { model } = scriptedModel([MAIL, REFUND]);
    const agent = new ToolLoopAgent({ model, tools, toolApproval: { refund: 'user-approval', mail: policy } });
    const reviews = new Reviews({ refund: APPROVE });
    await runWithReview(agent, ASK, { client: reviews });
    expect([ran, reviews.sent().map(({ suggestion }) => suggestion)]).toEqual([expected, [REFUND]]);
  });

  it('refuses a run that also waits for a result from outside, before a reviewed call could run', async () => {
    const { ran, tools } = shop();
    const ask = tool({ inputSchema: z.object({}) });
    const { model } = scriptedModel([REFUND, { name: 'ask', arguments: {} }]);
    const agent = new ToolLoopAgent({ model, tools: { ...tools, ask }, toolApproval: { refund: 'user-approval' } });
    const reviews = new Reviews({ refund: APPROVE });
    await expect(runWithReview(agent, ASK, { client: reviews })).rejects.toThrow('waits for results of ask');
    expect([ran, reviews.items.size]).toEqual([[], 0]);
  });
});

describe('the idempotency key', () => {
  it('is a valid header for IDs of any characters and length', async () => {
    const content = [
      { type: 'tool-call', toolCallId: 'c', toolName: 'refund', input: {} },
      { type: 'tool-approval-request', approvalId: 'ä'.repeat(300), toolCallId: 'c' },
    ] as const;
    const run = { id: 'stop', messages: [{ role: 'assistant', content: [...content] }] satisfies ModelMessage[] };
    const [call] = await toItems(run);
    expect(call?.idempotencyKey).toMatch(/^[0-9a-f]{64}$/);
    expect(await toItems(run)).toEqual([call]);
  });
});
