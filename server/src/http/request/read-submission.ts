// Turns the bytes of a request into the input of the use cases: one submission, or a batch validated item by item.
import { answerBatch, caseAnswer } from '@countersign/shared/schemas/regressions';
import { LIMITS } from '@countersign/shared/limits';
import { submission, submissionBatch, type Submission } from '@countersign/shared/schemas/public';
import { Refusal } from '@countersign/shared/errors';
import { findJsonFaultAsync } from '@countersign/shared/json/json-fault';
import { splitList } from '@countersign/shared/json/split-list';
import type { z } from 'zod';
import type { CaseAnswered } from '../../usecases/regressions/answer-regression.ts';
import { callFaults, type CallFault } from '../../domain/items/tool-call.ts';
import { readAnswerSchema, uriPointer } from '../../usecases/items/answer-schemas.ts';
import type { SubmitInput } from '../../usecases/items/new-item.ts';
import type { ApiKeyActor } from '../../usecases/services.ts';
import { createYielder } from '../../usecases/yield-to-event-loop.ts';
import { decode, notJsonAt, parseText, type ParsedBody } from './i-json.ts';
import { parseFields } from './parse-fields.ts';

/**
 * A validated body with the raw text of its members: the service stores exactly what was sent (I7). `root` is its pointer in the
 * request. Errors: `schema_invalid`.
 */
export function toSubmitInput(
  body: Omit<Submission, 'project_id' | 'answer_schema'>,
  raw: Map<string, string>,
  root = '#',
): SubmitInput {
  const schema = raw.get('answer_schema');
  refuseUndecidable(body, root);
  return {
    input: { value: body.input, raw: raw.get('input') ?? 'null' },
    suggestion: { raw: raw.get('suggestion') ?? 'null' },
    metadata: body.metadata ? { value: body.metadata, raw: raw.get('metadata') ?? '{}' } : null,
    confidence: body.confidence,
    riskFlags: body.risk_flags ?? [],
    ...(schema !== undefined && {
      answerSchema: schema === 'null' ? null : readAnswerSchema(schema, `${root}/answer_schema`),
    }),
    ...(body.title !== undefined && { title: body.title }),
    ...(body.kind !== undefined && { kind: body.kind }),
    ...(body.allowed_actions !== undefined && { allowedActions: body.allowed_actions }),
    ...deadlineOf(body, root),
  };
}

/** DL6: what a body says about its deadline. Errors: `validation_failed` where it says it twice. */
function deadlineOf(
  body: Pick<Submission, 'deadline' | 'deadline_seconds' | 'on_deadline'>,
  root: string,
): Pick<SubmitInput, 'deadline'> {
  const { deadline: at, deadline_seconds: seconds, on_deadline: onDeadline } = body;
  if (at !== undefined && seconds !== undefined) {
    const detail = 'Send deadline or deadline_seconds, not both.';
    const errors = [{ pointer: `${root}/deadline_seconds`, code: 'not_allowed', detail }];
    throw new Refusal('validation_failed', detail, { errors });
  }
  const until = typeof at === 'string' ? { at: new Date(at) } : seconds === undefined ? at : { seconds };
  if (until === undefined && onDeadline === undefined) return {};
  const pointer = `${root}/deadline`;
  return { deadline: { pointer, ...(until !== undefined && { until }), ...(onDeadline && { onDeadline }) } };
}

/** TC1, TS5: refuses an invalid tool call, and an item without a suggestion that nobody could answer. */
function refuseUndecidable(
  { kind, suggestion, allowed_actions: allowed }: Pick<Submission, 'kind' | 'suggestion' | 'allowed_actions'>,
  root: string,
): void {
  if (kind === 'tool_call') refuseFaults(callFaults(suggestion), `${root}/suggestion`);
  else if (suggestion === null && allowed?.every((action) => action === 'approve')) {
    const message = 'With suggestion null there is nothing to approve: allow edit, reject or respond as well.';
    refuseFaults([{ pointer: '', keyword: 'not_allowed', message }], `${root}/allowed_actions`);
  }
}

function refuseFaults(faults: readonly CallFault[], root: string): void {
  const errors = faults.map(({ pointer, keyword, message }) => ({
    pointer: root + uriPointer(pointer).pointer,
    code: keyword,
    detail: message,
  }));
  const [first] = errors;
  if (first !== undefined) throw new Refusal('validation_failed', `${first.pointer}: ${first.detail}`, { errors });
}

/** Errors: `project_mismatch`. */
export function refuseOtherProject(projectId: string, actor: { projectId: string }): void {
  if (projectId !== actor.projectId) {
    throw new Refusal('project_mismatch', 'Send the project_id that this key belongs to.');
  }
}

/** Characters: 500 placeholders for items, and room for white space and a misspelt member that the refusal names. */
const LARGEST_ENVELOPE = 64 * 1024;

/**
 * Each item as its input or its refusal, in order. Errors of the batch as a whole: `invalid_json`, `validation_failed`.
 */
export const readBatch = (bytes: Buffer, actor: ApiKeyActor): Promise<(SubmitInput | Refusal)[]> =>
  parseEach(bytes, submissionBatch, (text, root) => parseOne(text, root, (part) => toSubmission(part, root, actor)));

/** The same for the answers to the cases of a regression run. */
export const readAnswers = (bytes: Buffer): Promise<(CaseAnswered | Refusal)[]> =>
  parseEach(bytes, answerBatch, (text, root) => parseOne(text, root, (part) => toCaseAnswer(part, root)));

async function parseEach<T>(
  bytes: Buffer,
  envelope: z.ZodType,
  parsePart: (text: string, root: string) => T,
): Promise<T[]> {
  const text = decode(bytes);
  return parseParts(text, envelope, parsePart).catch(async (error: unknown) => {
    if (!(error instanceof Refusal && error.code === 'invalid_json')) throw error;
    // A part knows only its own line numbers.
    throw notJsonAt(await findJsonFaultAsync(text, createYielder()));
  });
}

async function parseParts<T>(
  whole: string,
  envelope: z.ZodType,
  parsePart: (text: string, root: string) => T,
): Promise<T[]> {
  const yieldToEventLoop = createYielder();
  const parts = splitList(whole, 'items');
  const parsed: T[] = [];
  let part = parts.next();
  // One item too many is enough to refuse the batch.
  for (; part.done !== true && parsed.length <= LIMITS.batchItems; part = parts.next()) {
    parsed.push(parsePart(part.value, `#/items/${parsed.length}`));
    await yieldToEventLoop();
  }
  refuseEnvelope(envelope, part.done === true ? part.value : null, parsed);
  return parsed;
}

/** Refuses an invalid batch by its envelope, the body without the items; null means that it has too many items. */
function refuseEnvelope(schema: z.ZodType, envelope: string | null, items: unknown[]): void {
  // The envelope of a batch is a handful of characters; a larger one is not a batch and not worth parsing.
  const large = envelope !== null && envelope.length > LARGEST_ENVELOPE;
  const value = envelope === null ? { items } : large ? {} : parseText(envelope).value;
  parseFields(schema, value, '#');
}

/**
 * One item with the limits of an item, wherever it is in the body. Errors: `payload_too_large`, `invalid_json`,
 * `validation_failed`, and those of `read`.
 */
export function parseItem<T>(text: string, root: string, read: (part: ParsedBody) => T): T {
  refuseLargeItem(Buffer.byteLength(text));
  return read(parseText(text, root));
}

/** Errors: `payload_too_large`. */
export function refuseLargeItem(bytes: number): void {
  if (bytes > LIMITS.itemBytes)
    throw new Refusal('payload_too_large', `Send at most ${LIMITS.itemBytes / 1024} KiB per item.`);
}

function parseOne<T>(text: string, root: string, read: (part: ParsedBody) => T): T | Refusal {
  try {
    return parseItem(text, root, read);
  } catch (error) {
    // Invalid JSON is an error of the whole body.
    if (error instanceof Refusal && error.code !== 'invalid_json') return error;
    throw error;
  }
}

function toSubmission({ value, raw }: ParsedBody, root: string, actor: ApiKeyActor): SubmitInput {
  const body = parseFields(submission, value, root);
  refuseOtherProject(body.project_id, actor);
  return toSubmitInput(body, raw, root);
}

function toCaseAnswer({ value, raw }: ParsedBody, root: string): CaseAnswered {
  const { case_id: caseId, confidence, risk_flags: riskFlags = [] } = parseFields(caseAnswer, value, root);
  return { caseId: caseId.toLowerCase(), suggestion: raw.get('suggestion') ?? 'null', confidence, riskFlags };
}
