// The client of the public API (docs/spec/public-api.md), for Node 20 and newer and for browsers: submit items, read them back, catch up on decisions.
import { z } from 'zod';
import * as api from './api/public.ts';
import type { PublicItem, Submission, Submitted } from './api/public.ts';
import * as regressions from './client/regression.ts';
import type { AnswerReply, PublicCase, PublicRegression, RegressionStart } from './client/regression.ts';
import { Connection, type ClientOptions } from './client/connection.ts';
import { problem } from './errors.ts';
import { newIdempotencyKey } from './idempotency-key.ts';
import { jsonText, type Json, type RawJson } from './json/json.ts';
import { splitList } from './json/split-list.ts';
import type { ItemStatus } from './enums.ts';

export { ApiError, NetworkError, UnexpectedAnswerError } from './client/errors.ts';
export type { ClientOptions } from './client/connection.ts';
export type { Retry, RetryOptions } from './client/retry.ts';
export type { Fetch, HttpAnswer, HttpRequest } from './client/transport.ts';
export { RawJson } from './json/json.ts';
export { verifyWebhook } from './webhook.ts';
export type { Client };

/**
 * An item to submit. JSON goes out as `JSON.stringify` spells it; `new RawJson(text)` goes out as it stands,
 * where the spelling of numbers or the order of keys matters. To TypeScript an `interface` is no JSON: a `type`, or a copy by
 * spread, is.
 */
export interface NewItem extends Omit<Submission, 'input' | 'suggestion' | 'risk_flags' | 'metadata'> {
  /** What the pipeline was given. */
  input: Json | RawJson;
  /** The proposed answer: a string or any JSON. */
  suggestion: Json | RawJson;
  risk_flags?: readonly string[] | undefined;
  metadata?: Readonly<Record<string, Json | RawJson>> | undefined;
}

/** The answer to a submission. `replayed`: an earlier request with the same idempotency key made the item. */
export interface SubmitReply extends Submitted {
  replayed: boolean;
}

export interface CallOptions {
  /** Ends the call at once, also between two tries; the call then fails with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface SubmitOptions extends CallOptions {
  /** 1 to 255 printable ASCII characters, one per item, known to the service for 7 days. Without it one is made, which covers the retries of this call alone. */
  idempotencyKey?: string | undefined;
}

export interface WaitOptions extends CallOptions {
  /** Seconds to wait for the item to become final, 0 to 60. The answer says how things stand when they are over. */
  waitSeconds?: number | undefined;
}

export interface PageOptions extends CallOptions {
  /** The `next_cursor` of the page before. */
  after?: string | undefined;
  /** Rows of a page, 1 to 100. */
  limit?: number | undefined;
}

/** A new suggestion for a case of a regression run. */
export interface NewAnswer extends Pick<NewItem, 'suggestion' | 'confidence' | 'risk_flags'> {
  case_id: string;
}

/** `replayed`: an earlier request with the same idempotency key began the run. */
export interface StartReply extends PublicRegression {
  replayed: boolean;
}

export interface CaseFilter {
  /** Only cases that have no answer yet. */
  unanswered?: boolean | undefined;
}

export interface ItemFilter {
  status?: ItemStatus | undefined;
  /** Only items created at this time or later. */
  since?: Date | string | undefined;
  /** Only items created before this time. */
  until?: Date | string | undefined;
}

/** The service is held to its word elsewhere; here a newer one may say more, and name faults that this client does not know. */
const [taken, refused] = api.batchResult.options;
const submitItem = { ...api.submitItem, reply: api.submitted.strip() };
const submitBatch = {
  ...api.submitBatch,
  reply: z.object({
    results: z.array(z.union([taken.strip(), refused.strip().extend({ error: problem.extend({ code: z.string() }) })])),
  }),
};

/** `results` in the order of the items, each with the `index` of its item and either `id`, `status`, `decision` or an `error`. */
export interface BatchReply extends z.infer<typeof submitBatch.reply> {
  replayed: boolean;
}

export type ItemPage = z.infer<NonNullable<typeof api.listItems.reply>>;
export type EventPage = z.infer<NonNullable<typeof api.listEvents.reply>>;

/**
 * A client for one project's key. Every call is safe to repeat and is repeated by itself when there was no answer and after
 * 408, 429, 5xx and `idempotency_in_progress`: see `RetryOptions`. A pause that the service asks for holds for all calls of this client.
 *
 * Errors of every call: `ApiError` (the service said no, `code` says why), `NetworkError` (no answer came),
 * `UnexpectedAnswerError` (this is not the service), and the reason of `signal` once it has fired.
 * Errors here: `TypeError` for an address or a key that no request could be made with.
 *
 * ```ts
 * const client = createClient({ baseUrl: 'https://review.example.org', apiKey });
 * const { id, status, decision } = await client.submit(
 *   { project_id, input: { question }, suggestion: answer, confidence: 0.83, risk_flags: ['refund'] },
 *   { idempotencyKey: `answer-${ticket}`, waitSeconds: 30 },
 * );
 * ```
 */
export function createClient(options: ClientOptions): Client {
  return new Client(new Connection(options));
}

class Client {
  readonly #connection: Connection;

  /** `createClient` makes one. */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Submits an item, or the JSON text of one. Answers as soon as it is routed; with `waitSeconds` when it is final or the time is over.
   * Refusals: 403 `project_mismatch`, 413 `payload_too_large`, 422 `validation_failed` with the fields in `errors`,
   * 422 `idempotency_key_reused` for a key that came with another item.
   */
  async submit(item: NewItem | RawJson, options: SubmitOptions & WaitOptions = {}): Promise<SubmitReply> {
    const { waitSeconds, signal } = options;
    const prefer = waitSeconds === undefined ? undefined : { prefer: `wait=${wholeSeconds(waitSeconds)}` };
    const headers = { ...idempotency(options), ...prefer };
    const call = { headers, body: jsonText(item), waitSeconds, signal };
    const { reply, replayed } = await this.#connection.call(submitItem, call);
    return { ...reply, replayed };
  }

  /**
   * Submits 1 to 500 items, at most 5 MiB, in one request. One bad item does not sink the others: look at every result.
   * The idempotency key is for the whole batch.
   */
  async submitBatch(items: readonly (NewItem | RawJson)[], options: SubmitOptions = {}): Promise<BatchReply> {
    const call = { headers: idempotency(options), body: jsonText({ items }), signal: options.signal };
    const { reply, replayed } = await this.#connection.call(submitBatch, call);
    return { ...reply, replayed };
  }

  /** Reads an item back; with `waitSeconds` as soon as it is final or when the time is over. Refusals: 404 `not_found`. */
  async item(id: string, { waitSeconds, signal }: WaitOptions = {}): Promise<PublicItem> {
    const call = { params: { id }, query: { wait: waitSeconds }, waitSeconds, signal };
    return (await this.#connection.call(api.readItem, call)).reply;
  }

  /** One page of items, newest first. */
  async items({ signal, since, until, ...query }: ItemFilter & PageOptions = {}): Promise<ItemPage> {
    const call = { query: { ...query, since: moment(since), until: moment(until) }, signal };
    return (await this.#connection.call(api.listItems, call)).reply;
  }

  /** Every item, newest first, asking for the next page when it is needed. Items submitted meanwhile do not show. */
  async *eachItem(filter: ItemFilter & CallOptions = {}): AsyncGenerator<PublicItem, void, undefined> {
    let after: string | undefined;
    for (;;) {
      const page = await this.items({ ...filter, after, limit: api.LIMITS.pageItems });
      yield* page.data;
      if (!page.has_more || page.next_cursor === null) return;
      after = page.next_cursor;
    }
  }

  /** One page of final decisions, oldest first, behind the cursor `after` or from the beginning. */
  async events({ signal, ...query }: PageOptions = {}): Promise<EventPage> {
    return (await this.#connection.call(api.listEvents, { query, signal })).reply;
  }

  /**
   * The pages of final decisions behind `after`, until there is nothing more. Keep `next_cursor` when a page is dealt with and
   * start there the next time: nothing is left out, and only a page that was not finished comes again.
   *
   * ```ts
   * for await (const { data, next_cursor } of client.eventPages({ after: await load() })) {
   *   for (const event of data) await handle(event);
   *   await save(next_cursor);
   * }
   * ```
   */
  async *eventPages(options: PageOptions = {}): AsyncGenerator<EventPage, void, undefined> {
    const { limit = api.LIMITS.pageItems, signal } = options;
    let { after } = options;
    for (;;) {
      const page = await this.events({ limit, after, signal });
      yield page;
      if (!page.has_more) return;
      after = page.next_cursor;
    }
  }

  /**
   * Begins a regression run over what people edited or rejected: all of it, or what `start` narrows it to. Each of its cases counts
   * as a request. Refusals: 404 `not_found` for the cluster, 422 `validation_failed` when nothing answers,
   * 422 `idempotency_key_reused` for a key that came with another start.
   */
  async startRegression(start: RegressionStart = {}, options: SubmitOptions = {}): Promise<StartReply> {
    const call = { headers: idempotency(options), body: jsonText(start), signal: options.signal };
    const { reply, replayed } = await this.#connection.call(regressions.startRegression, call);
    return { ...reply, replayed };
  }

  /** How a regression run stands. Refusals: 404 `not_found`. */
  async regression(id: string, { signal }: CallOptions = {}): Promise<PublicRegression> {
    return (await this.#connection.call(regressions.readRegression, { params: { id }, signal })).reply;
  }

  /** Every case of a regression run, asking for the next page when it is needed. Refusals: 404 `not_found`. */
  async *eachCase(id: string, options: CaseFilter & CallOptions = {}): AsyncGenerator<PublicCase, void, undefined> {
    for await (const { reply } of this.#pagesOfCases(id, options)) yield* reply.data;
  }

  /** The same as JSON texts, one for each case: numbers are spelt, and keys ordered, as they were submitted. */
  async *eachCaseText(id: string, options: CaseFilter & CallOptions = {}): AsyncGenerator<string, void, undefined> {
    for await (const { text } of this.#pagesOfCases(id, options)) yield* splitList(text, 'data');
  }

  async *#pagesOfCases(id: string, { unanswered = false, signal }: CaseFilter & CallOptions) {
    let after: string | undefined;
    for (;;) {
      const query = { unanswered: unanswered ? ('true' as const) : undefined, after, limit: api.LIMITS.pageItems };
      const page = await this.#connection.call(regressions.listCases, { params: { id }, query, signal });
      yield page;
      const { has_more: more, next_cursor: next } = page.reply;
      if (!more || next === null) return;
      after = next;
    }
  }

  /**
   * Answers 1 to 500 cases of a regression run, at most 5 MiB, or the JSON texts of answers. One bad answer does not sink the
   * others: look at every result. Answered again, a case has its last answer. Refusals: 404 `not_found`.
   */
  async answerCases(
    id: string,
    answers: readonly (NewAnswer | RawJson)[],
    { signal }: CallOptions = {},
  ): Promise<AnswerReply> {
    const call = { params: { id }, body: jsonText({ items: answers }), signal };
    return (await this.#connection.call(regressions.answerCases, call)).reply;
  }
}

/** Errors: `TypeError` for a key that no header can carry. */
function idempotency({ idempotencyKey = newIdempotencyKey() }: SubmitOptions): { 'idempotency-key': string } {
  if (!api.idempotencyKey.safeParse(idempotencyKey).success) {
    throw new TypeError('An idempotency key has 1 to 255 printable ASCII characters.');
  }
  return { 'idempotency-key': idempotencyKey };
}

/** A preference that cannot be read would be left unread: better said here. Errors: `TypeError`. */
function wholeSeconds(seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= 0) return seconds;
  throw new TypeError('One waits for whole seconds, from 0 up.');
}

function moment(time: Date | string | undefined): string | undefined {
  return time instanceof Date ? time.toISOString() : time;
}
