// Runs an agent of the AI SDK whose tool calls wait for people.
import type { ModelMessage, ToolSet } from 'ai';
import { ApiError, ItemEndedError, WaitTimeoutError, type Client } from '@countersign/shared/client';
import { paused, refuseApproved, toItems, toResume, type CallToReview, type SubmissionOptions } from './approvals.ts';
import { fromJson, toJson, type PausedRun } from './stored-run.ts';
import type { Outcome } from './verdict.ts';

/** The part of a client that reviews need. */
export type ReviewClient = Pick<Client, 'submit' | 'wait'>;

/** What a run starts with, in one of the two forms that the AI SDK takes. */
export interface RunInput {
  readonly prompt?: string | ModelMessage[] | undefined;
  readonly messages?: ModelMessage[] | undefined;
  /** Ends the run, and the wait for people; their items still wait. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** What the AI SDK returns of a run, of `generateText`, `streamText` and the methods of an agent alike. */
export interface RunResult {
  readonly responseMessages: readonly ModelMessage[] | PromiseLike<readonly ModelMessage[]>;
}

/** `ToolLoopAgent`, or another agent. */
export interface ReviewableAgent<CALL, RESULT> {
  readonly id?: string | undefined;
  readonly tools?: ToolSet;
  generate(call: CALL): PromiseLike<RESULT>;
}

/** Calls `generateText`, `streamText` or a method of an agent with these messages. */
export type Generate<RESULT> = (call: {
  messages: ModelMessage[];
  abortSignal?: AbortSignal;
}) => RESULT | PromiseLike<RESULT>;

export interface ReviewOptions {
  /** Submits the calls and waits for their decisions. */
  readonly client: ReviewClient;
  /** The project to submit to. Default: that of the client. */
  readonly projectId?: string | undefined;
  /** Seconds for each time that the agent stops. Default: no limit. */
  readonly timeoutSeconds?: number | undefined;
  /** 0 to 1: with one that reaches the auto-approve threshold of the project, nobody is asked. Default 0.7. */
  readonly confidence?: number | undefined;
  /**
   * Called with text before the agent waits, and again before reviewed calls go to it: store the last one, and delete it when
   * the run has ended.
   */
  readonly save?: ((text: string) => unknown) | undefined;
  /**
   * That text, after a program was killed: the run goes on with the same items, and the prompt is not sent a second time. A
   * run whose calls may have run already is refused.
   */
  readonly resume?: string | null | undefined;
  /** More members of each submission, such as `deadline_seconds`, `risk_flags` and `metadata`. */
  readonly submissionOptions?: SubmissionOptions | undefined;
  /** The tools, from which forms for edits are made. Default: those of the agent. */
  readonly tools?: ToolSet | undefined;
}

export interface Reviewed<RESULT> {
  /** What the AI SDK returned last. */
  readonly result: RESULT;
  /** The whole conversation, which the next turn starts with: the `responseMessages` of the result begin at the last stop. */
  readonly messages: ModelMessage[];
}

/**
 * Runs an agent to its end; people review each call that needs approval (`toolApproval`, or `needsApproval` of a tool).
 *
 * ```ts
 * const agent = new ToolLoopAgent({ model, tools: { refund }, toolApproval: { refund: 'user-approval' } });
 * const { result } = await runWithReview(agent, { prompt: 'The teapot arrived with a crack.' }, { client, save });
 * ```
 *
 * Instead of an agent it takes a function: `(call) => generateText({ model, tools, ...call })`, or the same with `streamText`.
 * The input is passed to each call of the agent, its prompt only to the first.
 *
 * A call that nobody decided in time, or that was withdrawn, is denied with a reason that says so. An edit runs with the new
 * arguments where that is possible: see `toResume`. Errors: `WaitTimeoutError`, whose `pausedRun` can be passed as `resume`;
 * `AlreadyReleasedError`; `UnknownInterruptError`; those of `client.submit` and of the AI SDK.
 */
export function runWithReview<CALL extends RunInput, RESULT extends RunResult>(
  agent: ReviewableAgent<CALL, RESULT>,
  input: NoInfer<CALL>,
  options: ReviewOptions,
): Promise<Reviewed<RESULT>>;
export function runWithReview<RESULT extends RunResult>(
  generate: Generate<RESULT>,
  input: RunInput,
  options: ReviewOptions,
): Promise<Reviewed<RESULT>>;
export async function runWithReview<RESULT extends RunResult>(
  agent: ReviewableAgent<never, RESULT> | Generate<RESULT>,
  input: RunInput,
  options: ReviewOptions,
): Promise<Reviewed<RESULT>> {
  let run = options.resume === undefined || options.resume === null ? null : fromJson(options.resume);
  if (run === null) refuseApproved(messagesOf(input));
  for (;;) {
    const messages = run === null ? null : await reviewedMessages(run, { agent, input, options });
    const result = await generate(agent, input, messages);
    const all = [...(messages ?? messagesOf(input)), ...(await result.responseMessages)];
    run = paused(all);
    if (run === null) return { result, messages: all };
  }
}

interface Running {
  readonly agent: ReviewableAgent<never, RunResult> | Generate<RunResult>;
  readonly input: RunInput;
  readonly options: ReviewOptions;
}

/** Stores the paused run, has its calls reviewed, and returns the messages that it goes on with. */
async function reviewedMessages(run: PausedRun, { agent, input, options }: Running): Promise<ModelMessage[]> {
  const { client, projectId, save, confidence } = options;
  const own = typeof agent === 'function' ? {} : { tools: agent.tools, agent: agent.id };
  const tools = options.tools ?? own.tools;
  const project = projectId === undefined ? {} : { project_id: projectId };
  const submissionOptions = { ...project, ...options.submissionOptions };
  const calls = await toItems(run, { tools, agent: own.agent, confidence, submissionOptions });
  const text = toJson(run);
  await save?.(text);
  try {
    const outcomes = await review(client, calls, { ...options, signal: input.abortSignal });
    const messages = await toResume(run, outcomes, { tools });
    await save?.(toJson(run, { released: true }));
    return messages;
  } catch (error) {
    if (error instanceof WaitTimeoutError) error.pausedRun = text;
    throw error;
  }
}

/** Submits all calls before it waits for any: people see them at once. Outcomes in the order of the calls. */
async function review(
  client: ReviewClient,
  calls: readonly CallToReview[],
  { timeoutSeconds = Infinity, submissionOptions, signal }: ReviewOptions & { signal: AbortSignal | undefined },
): Promise<Outcome[]> {
  const until = performance.now() + timeoutSeconds * 1000;
  const submitted = [];
  const mayDropSchema = submissionOptions?.answer_schema === undefined;
  for (const call of calls) submitted.push(await submit(client, call, { signal, mayDropSchema }));
  const outcomes: Outcome[] = [];
  for (const { id, status, decision } of submitted) {
    const left = Math.max(0, until - performance.now()) / 1000;
    const waited = decision === null ? await ended(client, id, { timeoutSeconds: left, signal }) : { status, decision };
    outcomes.push({ itemId: id, ...waited });
  }
  return outcomes;
}

/** Submits a call; without its form where the service cannot read the schema of the tool, which the tool checks itself. */
async function submit(
  client: ReviewClient,
  { item, idempotencyKey }: CallToReview,
  { signal, mayDropSchema }: { signal: AbortSignal | undefined; mayDropSchema: boolean },
) {
  const options = { idempotencyKey, signal };
  try {
    return await client.submit(item, options);
  } catch (error) {
    if (!(mayDropSchema && error instanceof ApiError && error.code === 'schema_invalid')) throw error;
    return client.submit({ ...item, answer_schema: null }, options);
  }
}

async function ended(
  client: ReviewClient,
  id: string,
  options: { timeoutSeconds: number; signal: AbortSignal | undefined },
): Promise<Pick<Outcome, 'status' | 'decision'>> {
  try {
    const decision = await client.wait(id, options);
    return { status: decision.status, decision };
  } catch (error) {
    if (error instanceof ItemEndedError) return { status: error.item.status, decision: null };
    throw error;
  }
}

/** Calls the agent: with its input as it was given, and after a stop with the messages instead of the prompt. */
async function generate<RESULT>(
  agent: ReviewableAgent<never, RESULT> | Generate<RESULT>,
  input: RunInput,
  messages: ModelMessage[] | null,
): Promise<RESULT> {
  if (typeof agent === 'function') {
    const { abortSignal } = input;
    return agent({ messages: messages ?? messagesOf(input), ...(abortSignal === undefined ? {} : { abortSignal }) });
  }
  const { prompt: _, ...rest } = input;
  return agent.generate((messages === null ? input : { ...rest, messages }) as never);
}

/** What a run starts with, as messages. Errors: `TypeError` without them. */
function messagesOf({ prompt, messages }: RunInput): ModelMessage[] {
  const given = messages ?? prompt;
  if (given === undefined) throw new TypeError('The input needs a prompt, or messages.');
  return typeof given === 'string' ? [{ role: 'user', content: given }] : given;
}
