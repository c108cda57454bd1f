// The client of the public API, for Node 20 and newer and for browsers (docs/spec/public-api.md).
import { z } from 'zod';
import { endpoint } from './contract/endpoint.ts';
import { LIMITS } from './limits.ts';
import * as routes from './routes/public.ts';
import * as schemas from './schemas/public.ts';
import type { PublicEvent, PublicItem, Submission, Submitted } from './schemas/public.ts';
import type { Decision } from './schemas/parts/decision.ts';
import * as regressions from './client/regression.ts';
import type { AnswerReply, PublicCase, PublicRegression, RegressionStart } from './client/regression.ts';
import { Connection, type ClientOptions } from './client/connection.ts';
import { waitForDecision } from './client/wait.ts';
import { idempotencyKey as keySchema } from './schemas/parts/idempotency-key.ts';
import { problem } from './schemas/parts/problem.ts';
import { newIdempotencyKey } from './idempotency-key.ts';
import { jsonText, RawJson, type Json } from './json/json.ts';
import { splitList } from './json/split-list.ts';
import type { ItemStatus } from './enums.ts';
import type { SubmitterAction } from './review-actions.ts';

export { ApiError, NetworkError, UnexpectedAnswerError } from './client/errors.ts';
export { ItemEndedError, WaitTimeoutError } from './client/wait.ts';
export type { ClientOptions } from './client/connection.ts';
export type { Retry, RetryOptions } from './client/retry.ts';
export type { Fetch, HttpAnswer, HttpRequest } from './client/transport.ts';
export { RawJson } from './json/json.ts';
export { verifyWebhook } from './webhook.ts';
export type { Client, Decision, Json, PublicEvent, PublicItem, Submitted };

/**
 * An item to submit. JSON is sent as `JSON.stringify` writes it; `new RawJson(text)` is sent unchanged, where the
 * spelling of numbers or the order of keys matters. TypeScript does not accept an `interface` as JSON: use a `type`, or
 * a copy by spread.
 */
export interface NewItem extends Omit<
  Submission,
  'project_id' | 'input' | 'suggestion' | 'risk_flags' | 'metadata' | 'answer_schema' | 'allowed_actions'
> {
  /** The project that the API key belongs to. Default: `projectId` of the client. */
  project_id?: string | undefined;
  /** The input of the pipeline. */
  input: Json | RawJson;
  /** The proposed answer: a string or any JSON; of a tool call its name and arguments; null: a person writes it. */
  suggestion: Json | RawJson;
  risk_flags?: readonly string[] | undefined;
  metadata?: Readonly<Record<string, Json | RawJson>> | undefined;
  /** A JSON Schema of the answer, or of the arguments of a tool call; null: none. */
  answer_schema?: Json | RawJson | undefined;
  allowed_actions?: readonly SubmitterAction[] | undefined;
}

/** The response to a submission. `replayed`: an earlier request with the same idempotency key created the item. */
export interface SubmitReply extends Submitted {
  replayed: boolean;
  /** How long people will probably need; null when the item does not wait for them, or when unknown. */
  expectedWaitSeconds: number | null;
}

export interface CallOptions {
  /** Cancels the call immediately, also between two attempts; the call then rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
}

export interface SubmitOptions extends CallOptions {
  /**
   * 1 to 255 printable ASCII characters, one per item; the service remembers it for 7 days. By default the client
   * creates one, which covers only the retries of this call.
   */
  idempotencyKey?: string | undefined;
}

export interface WaitOptions extends CallOptions {
  /** Seconds to wait for the item to become final, 0 to 60. After that the response contains the current state. */
  waitSeconds?: number | undefined;
}

export interface PageOptions extends CallOptions {
  /** The `next_cursor` of the previous page. */
  after?: string | undefined;
  /** Page size, 1 to 100. */
  limit?: number | undefined;
}

/** A new suggestion for a case of a regression run. */
export interface NewAnswer extends Pick<NewItem, 'suggestion' | 'confidence' | 'risk_flags'> {
  case_id: string;
}

/** `replayed`: an earlier request with the same idempotency key started the run. */
export interface StartReply extends PublicRegression {
  replayed: boolean;
}

export interface CaseFilter {
  /** Only unanswered cases. */
  unanswered?: boolean | undefined;
}

export interface ItemFilter {
  status?: ItemStatus | undefined;
  /** Only items created at this time or later. */
  since?: Date | string | undefined;
  /** Only items created before this time. */
  until?: Date | string | undefined;
}

/**
 * Other tests check the service strictly; here a newer service may send more fields, and error codes that this client
 * does not know.
 */
const [taken, refused] = schemas.batchResult.options;
const submitItem = { ...routes.submitItem, reply: schemas.submitted.strip() };
const submitBatch = {
  ...routes.submitBatch,
  reply: z.object({
    results: z.array(z.union([taken.strip(), refused.strip().extend({ error: problem.extend({ code: z.string() }) })])),
  }),
};

/**
 * `results` are in the order of the items, each with the `index` of its item and either `id`, `status` and `decision`,
 * or an `error`.
 */
export interface BatchReply extends z.infer<typeof submitBatch.reply> {
  replayed: boolean;
}

const readItem = endpoint(routes.readItem, schemas.readItem);
const withdrawItem = endpoint(routes.withdrawItem, schemas.withdrawItem);
const listItems = endpoint(routes.listItems, schemas.listItems);
const listEvents = endpoint(routes.listEvents, schemas.listEvents);

export type ItemPage = z.infer<NonNullable<typeof listItems.reply>>;
export type EventPage = z.infer<NonNullable<typeof listEvents.reply>>;

/**
 * A client for one project's key. Every call is safe to repeat and is repeated by itself when there was no answer and after
 * 408, 429, 5xx and `idempotency_in_progress`: see `RetryOptions`. A pause that the service asks for holds for all calls of this client.
 *
 * Errors of every call: `ApiError` (the service said no, `code` says why), `NetworkError` (no answer came),
 * `UnexpectedAnswerError` (this is not the service), and the reason of `signal` once it has fired.
 * Errors here: `TypeError` for an address or a key that is missing, or that no request could be made with.
 *
 * What is not passed is read from `COUNTERSIGN_URL`, `COUNTERSIGN_API_KEY` and `COUNTERSIGN_PROJECT_ID`.
 *
 * ```ts
 * const client = createClient();
 * const { id, status, decision } = await client.submit(
 *   { input: { question }, suggestion: answer, confidence: 0.83, risk_flags: ['refund'] },
 *   { idempotencyKey: `answer-${ticket}`, waitSeconds: 30 },
 * );
 * ```
 */
export function createClient(options: ClientOptions = {}): Client {
  return new Client(new Connection(options));
}

class Client {
  readonly #connection: Connection;

  /** Use `createClient`. */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Submits an item, or the JSON text of one. Resolves as soon as it is routed; with `waitSeconds` when it is final or
   * the time is over. Refusals: 403 `project_mismatch`, 413 `payload_too_large`, 422 `validation_failed` with the
   * fields in `errors`, 422 `idempotency_key_reused` for a key that was used with another item. Errors: `TypeError` without
   * a project.
   */
  async submit(item: NewItem | RawJson, options: SubmitOptions & WaitOptions = {}): Promise<SubmitReply> {
    const { waitSeconds, signal } = options;
    const prefer = waitSeconds === undefined ? undefined : { prefer: `wait=${wholeSeconds(waitSeconds)}` };
    const headers = { ...idempotency(options), ...prefer };
    const call = { headers, body: jsonText(this.#inProject(item)), waitSeconds, signal };
    const { reply, replayed, expectedWaitSeconds } = await this.#connection.call(submitItem, call);
    return { ...reply, replayed, expectedWaitSeconds };
  }

  /**
   * Submits 1 to 500 items, at most 5 MiB, in one request. Invalid items do not block the others: check every result.
   * The idempotency key covers the whole batch.
   */
  async submitBatch(items: readonly (NewItem | RawJson)[], options: SubmitOptions = {}): Promise<BatchReply> {
    const body = jsonText({ items: items.map((item) => this.#inProject(item)) });
    const call = { headers: idempotency(options), body, signal: options.signal };
    const { reply, replayed } = await this.#connection.call(submitBatch, call);
    return { ...reply, replayed };
  }

  /**
   * Reads an item; with `waitSeconds` it resolves when the item is final or the time is over. Refusals: 404
   * `not_found`.
   */
  async item(id: string, { waitSeconds, signal }: WaitOptions = {}): Promise<PublicItem> {
    const call = { params: { id }, query: { wait: waitSeconds }, waitSeconds, signal };
    return (await this.#connection.call(readItem, call)).reply;
  }

  /**
   * Waits for people: resolves with the final decision, also where that is a rejection. Faults of the network and restarts of the
   * service do not end the wait; without `timeoutSeconds` it lasts until the item is final. Errors: `ItemEndedError` where the
   * item ended without a decision, `WaitTimeoutError`. Refusals: 404 `not_found`.
   */
  async wait(id: string, options: CallOptions & { timeoutSeconds?: number | undefined } = {}): Promise<Decision> {
    const { clock } = this.#connection;
    const read = async (wait: number, until: number): Promise<PublicItem> => {
      const call = { params: { id }, query: { wait }, waitSeconds: wait, signal: options.signal, until };
      return (await this.#connection.call(readItem, call)).reply;
    };
    return waitForDecision({ clock, read }, id, options);
  }

  /**
   * Withdraws an item that no longer needs an answer, with a reason for its reviewers. Resolves alike when it was withdrawn
   * before. Refusals: 404 `not_found`, 409 `already_decided`, 409 `expired` where its deadline was first.
   */
  async withdraw(id: string, { reason, signal }: CallOptions & { reason?: string } = {}): Promise<Submitted> {
    const call = { params: { id }, body: jsonText({ reason }), signal };
    return (await this.#connection.call(withdrawItem, call)).reply;
  }

  /** One page of items, newest first. */
  async items({ signal, since, until, ...query }: ItemFilter & PageOptions = {}): Promise<ItemPage> {
    const call = { query: { ...query, since: dateTimeText(since), until: dateTimeText(until) }, signal };
    return (await this.#connection.call(listItems, call)).reply;
  }

  /** Every item, newest first; pages are requested as needed. Items submitted in the meantime are not included. */
  async *eachItem(filter: ItemFilter & CallOptions = {}): AsyncGenerator<PublicItem, void, undefined> {
    let after: string | undefined;
    for (;;) {
      const page = await this.items({ ...filter, after, limit: LIMITS.pageItems });
      yield* page.data;
      if (!page.has_more || page.next_cursor === null) return;
      after = page.next_cursor;
    }
  }

  /** One page of what ended items or revised their decisions, oldest first, after the cursor `after` or from the beginning. */
  async events({ signal, ...query }: PageOptions = {}): Promise<EventPage> {
    return (await this.#connection.call(listEvents, { query, signal })).reply;
  }

  /**
   * The pages of what ended items or revised their decisions behind `after`, until there is nothing more. Keep
   * `next_cursor` when a page is dealt with and start there the next time: nothing is left out, and only a page that was
   * not finished comes again.
   *
   * ```ts
   * for await (const { data, next_cursor } of client.eventPages({ after: await load() })) {
   *   for (const event of data) await handle(event);
   *   await save(next_cursor);
   * }
   * ```
   */
  async *eventPages(options: PageOptions = {}): AsyncGenerator<EventPage, void, undefined> {
    const { limit = LIMITS.pageItems, signal } = options;
    let { after } = options;
    for (;;) {
      const page = await this.events({ limit, after, signal });
      yield page;
      if (!page.has_more) return;
      after = page.next_cursor;
    }
  }

  /**
   * Starts a regression run over edited and rejected items: all of them, or those that `start` selects. Each case
   * counts as a request. Refusals: 404 `not_found` for the cluster, 422 `validation_failed` when nothing matches, 422
   * `idempotency_key_reused` for a key that was used with another start.
   */
  async startRegression(start: RegressionStart = {}, options: SubmitOptions = {}): Promise<StartReply> {
    const call = { headers: idempotency(options), body: jsonText(start), signal: options.signal };
    const { reply, replayed } = await this.#connection.call(regressions.startRegression, call);
    return { ...reply, replayed };
  }

  /** The status of a regression run. Refusals: 404 `not_found`. */
  async regression(id: string, { signal }: CallOptions = {}): Promise<PublicRegression> {
    return (await this.#connection.call(regressions.readRegression, { params: { id }, signal })).reply;
  }

  /** Every case of a regression run; pages are requested as needed. Refusals: 404 `not_found`. */
  async *eachCase(id: string, options: CaseFilter & CallOptions = {}): AsyncGenerator<PublicCase, void, undefined> {
    for await (const { reply } of this.#pagesOfCases(id, options)) yield* reply.data;
  }

  /** The same as JSON texts, one per case: number spelling and key order are as submitted. */
  async *eachCaseText(id: string, options: CaseFilter & CallOptions = {}): AsyncGenerator<string, void, undefined> {
    for await (const { text } of this.#pagesOfCases(id, options)) yield* splitList(text, 'data');
  }

  async *#pagesOfCases(id: string, { unanswered = false, signal }: CaseFilter & CallOptions) {
    let after: string | undefined;
    for (;;) {
      const query = { unanswered: unanswered ? ('true' as const) : undefined, after, limit: LIMITS.pageItems };
      const page = await this.#connection.call(regressions.listCases, { params: { id }, query, signal });
      yield page;
      const { has_more: more, next_cursor: next } = page.reply;
      if (!more || next === null) return;
      after = next;
    }
  }

  /**
   * Answers 1 to 500 cases of a regression run, at most 5 MiB, or the JSON texts of answers. Invalid answers do not
   * block the others: check every result. A new answer replaces the previous one. Refusals: 404 `not_found`.
   */
  async answerCases(
    id: string,
    answers: readonly (NewAnswer | RawJson)[],
    { signal }: CallOptions = {},
  ): Promise<AnswerReply> {
    const call = { params: { id }, body: jsonText({ items: answers }), signal };
    return (await this.#connection.call(regressions.answerCases, call)).reply;
  }

  /** An item that names its project is sent as it is. Errors: `TypeError` without a project. */
  #inProject(item: NewItem | RawJson): NewItem | RawJson {
    if (item instanceof RawJson || item.project_id !== undefined) return item;
    const { projectId } = this.#connection;
    // First, as in the Python client: the service compares the bytes of two bodies that have the same idempotency key.
    const { project_id: _, ...members } = item;
    if (projectId !== undefined) return { project_id: projectId, ...members };
    throw new TypeError('No project: set COUNTERSIGN_PROJECT_ID, or pass projectId to createClient.');
  }
}

/** Errors: `TypeError` for a key that is not valid in a header. */
function idempotency({ idempotencyKey = newIdempotencyKey() }: SubmitOptions): { 'idempotency-key': string } {
  if (!keySchema.safeParse(idempotencyKey).success) {
    throw new TypeError('An idempotency key has 1 to 255 printable ASCII characters.');
  }
  return { 'idempotency-key': idempotencyKey };
}

/** The service ignores an invalid preference, so the client reports it. Errors: `TypeError`. */
function wholeSeconds(seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= 0) return seconds;
  throw new TypeError('The wait must be a whole number of seconds, 0 or more.');
}

function dateTimeText(time: Date | string | undefined): string | undefined {
  return time instanceof Date ? time.toISOString() : time;
}
