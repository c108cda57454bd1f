// An agent with tools that need approval, which note what they run with, and a scripted model of the AI SDK.
import { simulateReadableStream, tool, ToolLoopAgent, type ToolSet } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';

type Options = Parameters<MockLanguageModelV4['doGenerate']>[0];
type Result = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>;
type Content = Result['content'][number];
type Streamed = Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'];
type Chunk = Streamed extends ReadableStream<infer C> ? C : never;

export interface ModelCall {
  name: string;
  arguments: unknown;
  id?: string;
  /** Further members of the part, such as `providerMetadata`. */
  more?: Partial<Extract<Content, { type: 'tool-call' }>>;
}

export const REFUND = { name: 'refund', arguments: { order: 'BM-1', amount: 24.9 } } satisfies ModelCall;
export const MAIL = { name: 'mail', arguments: { to: 'ana@example.org' } } satisfies ModelCall;

const tokens = { total: 0, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
const usage = { inputTokens: tokens, outputTokens: { total: 0, text: undefined, reasoning: undefined } };
const reason = (unified: 'stop' | 'tool-calls') => ({ unified, raw: undefined });

function chunksOf(part: Content): Chunk[] {
  if (part.type === 'tool-call') return [part];
  if (part.type !== 'text') return [];
  const id = 't';
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: part.text },
    { type: 'text-end', id },
  ];
}

/** Each step makes the next calls of `steps`; the step after them ends the run. `seen` are the prompts of all steps. */
export function scriptedModel(...steps: ModelCall[][]) {
  const seen: Options['prompt'][] = [];
  const contentFor = ({ prompt }: Options): Content[] => {
    seen.push(prompt);
    const step = prompt.filter(({ role }) => role === 'assistant').length;
    const calls = steps[step];
    if (calls === undefined) return [{ type: 'text', text: 'Done.' }];
    // As models that number their calls do.
    return calls.map(({ name, arguments: given, id, more }, index) => ({
      ...{ type: 'tool-call', toolCallId: id ?? `functions.${name}:${index}`, toolName: name },
      ...{ input: JSON.stringify(given), ...more },
    })) as Content[];
  };
  const finish = (content: Content[]) =>
    reason(content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop');
  const model = new MockLanguageModelV4({
    doGenerate: async (options) => {
      const content = contentFor(options);
      return { content, finishReason: finish(content), usage, warnings: [] };
    },
    doStream: async (options) => {
      const content = contentFor(options);
      const chunks: Chunk[] = [
        { type: 'stream-start', warnings: [] },
        ...content.flatMap(chunksOf),
        { type: 'finish', usage, finishReason: finish(content) },
      ];
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
    },
  });
  return { model, seen };
}

/** What the model was told instead of a result, or as one, by the name of the tool. */
export function toldOf(seen: readonly Options['prompt'][]): Record<string, unknown> {
  const parts = seen.at(-1)?.flatMap(({ role, content }) => (role === 'tool' ? content : [])) ?? [];
  return Object.fromEntries(
    parts.flatMap((part) => (part.type === 'tool-result' ? [[part.toolName, part.output]] : [])),
  );
}

/** Two tools; `ran` is what they ran with. */
export function shop() {
  const ran: ModelCall[] = [];
  const tools = {
    refund: tool({
      description: 'Refunds an order.',
      inputSchema: z.object({ order: z.string(), amount: z.number().positive() }),
      execute: async (given) => {
        ran.push({ name: 'refund', arguments: given });
        return 'Refunded.';
      },
    }),
    mail: tool({
      inputSchema: z.object({ to: z.string() }),
      execute: async (given) => {
        ran.push({ name: 'mail', arguments: given });
        return 'Sent.';
      },
    }),
  };
  const toolApproval = { refund: 'user-approval', mail: 'user-approval' } as const;
  return { ran, tools, toolApproval };
}

/** An agent that makes these calls, one list each step. */
export function support(...steps: ModelCall[][]) {
  const { ran, tools, toolApproval } = shop();
  const { model, seen } = scriptedModel(...steps);
  const agent = new ToolLoopAgent({ id: 'support', model, tools, toolApproval });
  return { agent, ran, seen };
}

/** An agent with one tool of another shape, which needs approval. */
export function agentWith(tools: ToolSet, ...steps: ModelCall[][]) {
  const { model, seen } = scriptedModel(...steps);
  const agent = new ToolLoopAgent({ model, tools, toolApproval: () => 'user-approval' });
  return { agent, seen };
}
