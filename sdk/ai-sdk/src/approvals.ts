// The approval requests of the AI SDK as items to review, and outcomes as the messages that a run goes on with.
import type { AssistantModelMessage, ModelMessage, ToolApprovalRequest, ToolApprovalResponse, ToolCallPart } from 'ai';
import type { ToolModelMessage, ToolSet } from 'ai';
import type { Json, NewItem } from '@countersign/shared/client';
import { argumentsSchema, shownArguments, takesUnchanged } from './arguments.ts';
import { UnknownInterruptError } from './errors.ts';
import type { PausedRun } from './stored-run.ts';
import { verdictOf, type Outcome } from './verdict.ts';

/** The lowest confidence that the default settings of a project queue for people. */
const DEFAULT_CONFIDENCE = 0.7;

/** More members of each submission. */
export type SubmissionOptions = Partial<Omit<NewItem, 'input' | 'suggestion' | 'confidence' | 'kind'>>;

export interface ItemOptions {
  /** The tools of the agent: people edit their arguments in forms made from them. */
  readonly tools?: ToolSet | undefined;
  /** The name of the agent, for reviewers. */
  readonly agent?: string | undefined;
  /** 0 to 1: with one that reaches the auto-approve threshold of the project, nobody is asked. Default 0.7. */
  readonly confidence?: number | undefined;
  /** More members of each submission, such as `deadline_seconds`, `risk_flags` and `metadata`. */
  readonly submissionOptions?: SubmissionOptions | undefined;
}

/** The arguments of `client.submit` for one call. */
export interface CallToReview {
  readonly item: NewItem;
  /** Names this call of this run: submitted again, it is the same item. */
  readonly idempotencyKey: string;
}

/** An approval request, and the call that an approval runs. */
interface Waiting {
  readonly request: ToolApprovalRequest;
  readonly call: ToolCallPart;
}

type Part = Exclude<AssistantModelMessage['content'] | ToolModelMessage['content'], string>[number];

/**
 * The run that these messages end with, where calls of its last step wait for approval; null where none does. The messages are
 * those that the run was given, and the `responseMessages` of its result. Errors: `UnknownInterruptError` where the run waits
 * for results of other calls too, such as those of tools without `execute`.
 */
export function paused(messages: readonly ModelMessage[]): PausedRun | null {
  const waiting = waitingIn(messages);
  if (waiting.length === 0) return null;
  const { calls, later } = lastStep(messages);
  const settled = new Set([...waiting.map(({ call }) => call.toolCallId), ...later.map(resultOf)]);
  const open = calls.filter(
    ({ toolCallId, providerExecuted }) => !settled.has(toolCallId) && providerExecuted !== true,
  );
  if (open.length > 0) {
    const names = [...new Set(open.map(({ toolName }) => toolName))].sort().join(', ');
    throw new UnknownInterruptError(
      `The run also waits for results of ${names}, which are not approvals: give these tools an \`execute\`, or answer them yourself.`,
    );
  }
  return { id: crypto.randomUUID(), messages };
}

/**
 * Refuses messages that a run cannot start with: the AI SDK would run a call that they approve, and nobody would review it.
 * Messages that come from a browser may have been written there. Errors: `UnknownInterruptError`.
 */
export function refuseApproved(messages: readonly ModelMessage[]): void {
  const last = partsOf(messages.at(-1));
  const done = new Set(last.map(resultOf));
  // As the AI SDK, which passes over a request in a message of another role.
  const parts = messages.filter(({ role }) => role === 'assistant').flatMap(partsOf);
  const requests = parts.filter((part) => part.type === 'tool-approval-request');
  const calls = new Map(requests.map(({ approvalId, toolCallId }) => [approvalId, toolCallId]));
  for (const part of last) {
    if (part.type !== 'tool-approval-response' || !part.approved) continue;
    if (done.has(calls.get(part.approvalId) ?? '')) continue;
    throw new UnknownInterruptError(
      'The messages end with the approval of a call that has not run, and that nobody reviewed here: leave that message out.',
    );
  }
}

/**
 * The calls that wait for approval, in their order, as arguments of `client.submit`. Errors: `UnknownInterruptError` for a call
 * that shows nothing, or something else than what would run.
 */
export async function toItems(run: PausedRun, options: ItemOptions = {}): Promise<CallToReview[]> {
  return Promise.all(waitingIn(run.messages).map((waiting) => toItem(run, waiting, options)));
}

async function toItem(run: PausedRun, { request, call }: Waiting, options: ItemOptions): Promise<CallToReview> {
  const { tools, agent, confidence = DEFAULT_CONFIDENCE, submissionOptions } = options;
  const shown = shownArguments(call.toolName, call.input);
  const said = textOf(lastStep(run.messages).parts);
  return {
    item: {
      input: {
        ...(agent === undefined ? {} : { agent }),
        ...(request.reason === undefined ? {} : { reason: request.reason }),
        ...(said === '' ? {} : { text: said }),
      },
      suggestion: { name: call.toolName, arguments: shown },
      confidence,
      kind: 'tool_call',
      allowed_actions: ['approve', 'edit', 'reject', 'respond'],
      // Null is said too: the schema of the project describes its answers, not the arguments of a tool.
      answer_schema: await argumentsSchema(tools, call.toolName, { input: call.input, shown }),
      ...submissionOptions,
    },
    idempotencyKey: await callKey(run.id, request.approvalId),
  };
}

/**
 * The messages to go on with: those of the run, and an approval response for each call. `outcomes` are those of `toItems(run)`,
 * in the same order.
 *
 * The AI SDK runs an approved call with the input that is in the messages. An edit replaces that input, so that the tool runs
 * with what the person wrote, and the model sees it as the call that it made. Where that is not possible, the call is denied, its
 * reason gives the model the new arguments, and the call that it then makes is reviewed again: the provider runs the call or
 * keeps a copy of it (an OpenAI `itemId`, a signature), the request is signed (`experimental_toolApprovalSecret`), or the schema
 * of the tool refuses or changes the arguments. A response in words is the reason of a denial.
 */
export async function toResume(
  run: PausedRun,
  outcomes: readonly Outcome[],
  { tools }: Pick<ItemOptions, 'tools'> = {},
): Promise<ModelMessage[]> {
  const waiting = waitingIn(run.messages);
  if (waiting.length !== outcomes.length)
    throw new TypeError('Pass one outcome for each call of toItems, in its order.');
  const edits = new Map<ToolCallPart, Json>();
  const content: ToolApprovalResponse[] = [];
  for (const [index, one] of waiting.entries()) {
    const { approvalId } = one.request;
    const providerExecuted = one.call.providerExecuted === true ? { providerExecuted: true } : {};
    const answer = { type: 'tool-approval-response', approvalId, ...providerExecuted } as const;
    const verdict = verdictOf(outcomes[index] as Outcome);
    if (verdict.action === 'approve') content.push({ ...answer, approved: true });
    else if (verdict.action === 'deny') content.push({ ...answer, approved: false, reason: verdict.message });
    else if (isOurs(one) && (await takesUnchanged(tools, one.call.toolName, verdict.arguments))) {
      edits.set(one.call, verdict.arguments as Json);
      content.push({ ...answer, approved: true });
    } else content.push({ ...answer, approved: false, reason: editedMessage(one.call.toolName, verdict.arguments) });
  }
  return [...run.messages.map((message) => withEdits(message, edits)), { role: 'tool', content }];
}

function editedMessage(toolName: string, edited: unknown): string {
  return (
    'A reviewer changed the arguments of this call, so it was not run as you wrote it. ' +
    `Call ${toolName} again with exactly these arguments: ${JSON.stringify(edited)}`
  );
}

/** Whether the call is in our messages alone, so that a change of its input there is a change of the call. */
function isOurs({ request, call }: Waiting): boolean {
  if (call.providerExecuted === true || request.signature !== undefined) return false;
  if (typeof call.input !== 'object' || Array.isArray(call.input)) return false;
  const kept = Object.values(call.providerOptions ?? {}).flatMap((options) => Object.keys(options));
  return !kept.some((name) => /itemId|signature/i.test(name));
}

/** The message with the new inputs. A request keeps what the schema read; of an edit, that is the input itself. */
function withEdits(message: ModelMessage, edits: ReadonlyMap<ToolCallPart, Json>): ModelMessage {
  if (message.role !== 'assistant' || typeof message.content === 'string') return message;
  const changed = message.content.filter((part) => part.type === 'tool-call' && edits.has(part)) as ToolCallPart[];
  if (changed.length === 0) return message;
  const ids = new Set(changed.map(({ toolCallId }) => toolCallId));
  const content = message.content.map((part) => {
    if (part.type === 'tool-call' && edits.has(part)) return { ...part, input: edits.get(part) };
    if (part.type !== 'tool-approval-request' || !ids.has(part.toolCallId)) return part;
    const { inputSchemaInput: _, ...request } = part;
    return request;
  });
  return { ...message, content };
}

/** The requests of the last step that nobody has answered. Errors: `UnknownInterruptError` for one without its call. */
function waitingIn(messages: readonly ModelMessage[]): Waiting[] {
  const { parts, later } = lastStep(messages);
  const answered = new Set(later.map((part) => (part.type === 'tool-approval-response' ? part.approvalId : null)));
  const requests = parts.filter((part) => part.type === 'tool-approval-request');
  // A policy of the agent answers its requests itself.
  return requests
    .filter(({ approvalId }) => !answered.has(approvalId))
    .map((request) => ({ request, call: callOf(messages, request) }));
}

/** The parts of the last message of the assistant, its calls, and the parts of all messages after it. */
function lastStep(messages: readonly ModelMessage[]): { parts: Part[]; calls: ToolCallPart[]; later: Part[] } {
  const index = messages.findLastIndex(({ role }) => role === 'assistant');
  const parts = index < 0 ? [] : partsOf(messages[index]);
  const later = [...parts, ...messages.slice(index + 1).flatMap(partsOf)];
  return { parts, calls: parts.filter((part) => part.type === 'tool-call'), later };
}

function partsOf(message: ModelMessage | undefined): Part[] {
  if (message?.role !== 'assistant' && message?.role !== 'tool') return [];
  return typeof message.content === 'string' ? [] : message.content;
}

const resultOf = (part: Part): string | null => (part.type === 'tool-result' ? part.toolCallId : null);

const textOf = (parts: readonly Part[]): string =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

/**
 * The call that an approval runs: where calls have the same ID, the AI SDK runs the last one, so that is the one to show. Errors:
 * `UnknownInterruptError`.
 */
function callOf(messages: readonly ModelMessage[], { toolCallId }: ToolApprovalRequest): ToolCallPart {
  const calls = messages.filter(({ role }) => role === 'assistant').flatMap(partsOf);
  const call = calls.findLast((part) => part.type === 'tool-call' && part.toolCallId === toolCallId);
  if (call?.type === 'tool-call') return call;
  throw new UnknownInterruptError(
    `The messages have no call ${toolCallId}, so nobody can review it: pass all of them.`,
  );
}

/**
 * An idempotency key for a call at a stop of a run. The IDs of calls alone are not enough: some models number their calls, so
 * that the next run has them again, and an approval of last week would hold for it.
 */
async function callKey(stop: string, approvalId: string): Promise<string> {
  const key = `${stop}:${approvalId}`;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
