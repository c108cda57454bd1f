// An agent of the AI SDK whose refunds wait for a person. The model is scripted: no account is needed. For a real one, replace
// `scriptedModel` by `openai('gpt-5.2')` of `@ai-sdk/openai`, or by any other model.
//
// Set COUNTERSIGN_URL, COUNTERSIGN_API_KEY and COUNTERSIGN_PROJECT_ID, and decide the item in the queue. Killed while it waits
// and started again, it goes on with the same item.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tool, ToolLoopAgent } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';
import { runWithReview } from '@countersign/ai-sdk';
import { createClient } from '@countersign/client';

const usage = {
  inputTokens: {
    total: 0,
    noCache: undefined,
    cacheRead: undefined,
    cacheWrite: undefined,
  },
  outputTokens: { total: 0, text: undefined, reasoning: undefined },
};

/** Asks for a refund, and ends once it has the result. */
const scriptedModel = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const answered = prompt.some(({ role }) => role === 'tool');
    const call = {
      type: 'tool-call' as const,
      toolCallId: 'c-1',
      toolName: 'refund',
      input: JSON.stringify({ order: 'BM-20418', amount: 24.9 }),
    };
    const text = { type: 'text' as const, text: 'The refund is on its way.' };
    return {
      content: [answered ? text : call],
      finishReason: {
        unified: answered ? ('stop' as const) : ('tool-calls' as const),
        raw: undefined,
      },
      usage,
      warnings: [],
    };
  },
});

const agent = new ToolLoopAgent({
  id: 'support',
  model: scriptedModel,
  tools: {
    refund: tool({
      description: 'Refunds an order, in EUR.',
      inputSchema: z.object({ order: z.string(), amount: z.number() }),
      execute: async ({ order, amount }) => {
        console.log(`Refunded ${amount} for ${order}`);
        return 'Refunded.';
      },
    }),
  },
  toolApproval: { refund: 'user-approval' },
});

const file = 'paused-run.json';
const { result } = await runWithReview(
  agent,
  { prompt: 'The teapot arrived with a crack.' },
  {
    client: createClient(),
    save: (text) => writeFileSync(file, text),
    resume: existsSync(file) ? readFileSync(file, 'utf8') : undefined,
  },
);
rmSync(file, { force: true });
console.log(result.text);
