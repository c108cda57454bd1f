// An agent of the AI SDK whose refunds wait for people.
import { runWithReview } from '@countersign/ai-sdk';
import { createClient } from '@countersign/client';
import { tool, ToolLoopAgent } from 'ai';
import { z } from 'zod';

const refund = tool({
  description: 'Refunds an order, in EUR.',
  inputSchema: z.object({ order: z.string(), amount: z.number() }),
  execute: async ({ order, amount }) => {
    console.log('Refunded', amount, 'for', order);
    return 'Refunded.';
  },
});
const agent = new ToolLoopAgent({
  model: 'openai/gpt-5.2',
  tools: { refund },
  toolApproval: { refund: 'user-approval' },
});
const prompt =
  'My teapot arrived with a crack. Please refund 24.90 for BM-20418.';
const { result } = await runWithReview(
  agent,
  { prompt },
  { client: createClient() },
);
console.log(result.text);
