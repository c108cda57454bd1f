// The MCP tools of the service: what each does with its arguments, by the use cases of the REST routes.
import type { Scope } from '@countersign/shared/enums';
import { Refusal } from '@countersign/shared/errors';
import { jsonText } from '@countersign/shared/json/json';
import { toolRefusal, toolResult, type ToolResult } from '@countersign/shared/mcp/results';
import { isToolName, TOOLS, type ToolName } from '@countersign/shared/mcp/tools';
import type { PublicItem, Submitted } from '@countersign/shared/schemas/public';
import { sha256Hex } from '../../crypto/tokens.ts';
import { refuseScope } from '../../usecases/credentials/check-api-key.ts';
import type { KnownKey, Services } from '../../usecases/services.ts';
import { traceOf } from '../admission/callers.ts';
import { noteRefusal } from '../middleware/security-events.ts';
import { type PipelineCall, readOrWait, submitOne, withdrawOne } from '../pipeline/items.ts';
import { parseFields } from '../request/parse-fields.ts';
import { parseItem, toSubmitInput } from '../request/read-submission.ts';
import { toProblem, toRefusal } from '../response/problem.ts';
import { DeferredReply } from '../response/reply.ts';
import type { Message } from './message.ts';

export interface McpCall extends PipelineCall {
  actor: KnownKey;
}

/** The result of a tool; `structured` is its content as the REST API presents it, with JSON as submitted (I7). */
export interface ToolOutcome {
  result: ToolResult;
  structured: Submitted | PublicItem | null;
}

/** A tool with its arguments already read, so that a wait does not hold their text. */
export interface PreparedTool {
  run: () => Promise<ToolOutcome>;
  /** It was asked to wait for the decision. */
  mayWait: boolean;
}

type Run = () => Promise<Submitted | PublicItem>;
type Reader = (services: Services, call: McpCall, text: string) => { run: Run; mayWait?: boolean };

/** Which scope a tool needs (K8), and what it does. */
const RUNNERS: Record<ToolName, { scope: Scope; read: Reader }> = {
  request_review: {
    scope: 'submit',
    read: (services, call, text) =>
      parseItem(text, '#', ({ value, raw }) => {
        const { idempotency_key: key, ...body } = parseFields(TOOLS.request_review.input, value, '#');
        const idempotency = key === undefined ? null : { key, bodySha256: sha256Hex(text) };
        const input = { ...toSubmitInput(body, raw), ...traceOf(call.ctx), idempotency };
        return { run: () => submitOne(services, call, input) };
      }),
  },
  check_review: {
    scope: 'read',
    read: (services, call, text) => {
      const { id, wait_seconds: seconds = 0 } = argumentsOf('check_review', text);
      const run = async () => {
        const answer = await readOrWait(services, call, { id, seconds });
        return answer instanceof DeferredReply ? answer.answer() : answer;
      };
      return { run, mayWait: seconds > 0 };
    },
  },
  withdraw_review: {
    scope: 'submit',
    read: (services, call, text) => {
      const { id, reason } = argumentsOf('withdraw_review', text);
      return { run: () => withdrawOne(services, call, { id, reason }) };
    },
  },
};

const argumentsOf = <N extends 'check_review' | 'withdraw_review'>(name: N, text: string) =>
  parseItem(text, '#', ({ value }) => parseFields<ArgumentsOf<N>>(TOOLS[name].input, value, '#'));
type ArgumentsOf<N extends ToolName> = (typeof TOOLS)[N]['input']['_output'];

/**
 * Reads the arguments of the tool that a message calls; null for a message that calls none, or an unknown one. A refusal is
 * the result of the tool. Errors: `invalid_json`, which is one of the whole message.
 */
export function prepareTool(
  services: Services,
  call: McpCall,
  { tool, argumentsText }: Pick<Message, 'tool' | 'argumentsText'>,
): PreparedTool | null {
  if (tool === null || !isToolName(tool)) return null;
  const { scope, read } = RUNNERS[tool];
  try {
    refuseScope(call.actor, scope);
    const { run, mayWait = false } = read(services, call, argumentsText);
    return { run: () => outcomeOf(services, call, run), mayWait };
  } catch (error) {
    if (error instanceof Refusal && error.code === 'invalid_json') throw error;
    const refused = refusedWith(services, call, error);
    return { run: () => Promise.resolve(refused), mayWait: false };
  }
}

async function outcomeOf(services: Services, call: McpCall, run: Run): Promise<ToolOutcome> {
  try {
    const structured = await run();
    const { id } = structured;
    const content = toolResult({ text: jsonText(structured), id, baseUrl: services.baseUrl });
    return { result: { content }, structured };
  } catch (error) {
    return refusedWith(services, call, error);
  }
}

/** What another route would answer with a problem, logged like one (LG1). */
function refusedWith({ log, security }: Services, { ctx }: McpCall, error: unknown): ToolOutcome {
  const refusal = toRefusal(error, ctx, log);
  noteRefusal(security, ctx, refusal);
  const { code, detail, request_id, errors, item } = toProblem(refusal, ctx);
  const { retryAfter } = refusal.extras;
  const fault = {
    ...{ code, detail, request_id },
    ...(errors && { errors }),
    ...(item && { item }),
    ...(retryAfter !== undefined && { retry_after_seconds: retryAfter }),
  };
  return { result: toolRefusal(fault), structured: null };
}
