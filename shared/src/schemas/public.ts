// The public API for pipelines (docs/spec/public-api.md): `/api/public/*`, authenticated by x-api-key, cookies ignored.
import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { decision, routing } from './parts/decision.ts';
import { timestamp, uuid } from './parts/ids.ts';
import { dateTime } from './parts/date-time.ts';
import { problem } from './parts/problem.ts';
import { answerFault, anyJson, json } from './parts/json.ts';
import { decisionStatus, itemKind, itemStatus, onDeadline, submitterAction } from './parts/enums.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';
import { idempotencyHeader } from './parts/idempotency-key.ts';
import { queryInteger } from './parts/query-number.ts';
import { decisionRevised, itemExpired, itemWithdrawn } from './parts/webhook-events.ts';

/** A character that has a shape: no space, and none that only controls how others are shown. */
const VISIBLE = /[^\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;

const TOOL_CALL = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 1 }, arguments: { type: 'object' } },
  required: ['name', 'arguments'],
  additionalProperties: false,
};

/**
 * Which members of a submission exclude each other, for the API document: an invalid tool call (TC1), two deadlines (DL6),
 * and an answer that nobody could give (TS5). As one `not`, which programs that generate clients pass over.
 */
const EXCLUDED = {
  not: {
    anyOf: [
      {
        properties: { kind: { const: 'tool_call' }, suggestion: { not: TOOL_CALL } },
        required: ['kind', 'suggestion'],
      },
      { properties: { deadline: {}, deadline_seconds: {} }, required: ['deadline', 'deadline_seconds'] },
      {
        properties: { suggestion: { type: 'null' }, allowed_actions: { type: 'array', items: { const: 'approve' } } },
        required: ['suggestion', 'allowed_actions'],
      },
    ],
  },
};

/** Before a record is made of it, which leaves out a key such as `__proto__`. */
function countKeys(value: unknown, context: z.RefinementCtx): unknown {
  if (typeof value === 'object' && value !== null && Object.keys(value).length > LIMITS.metadataKeys)
    context.addIssue(`at most ${LIMITS.metadataKeys} keys`);
  return value;
}

/** What a pipeline submits. Unknown fields are refused: a misspelt `risk_flag` must not bypass escalation. */
export const submission = z
  .strictObject({
    project_id: uuid.meta({ description: 'The project that the API key belongs to' }),
    input: anyJson('The input of the pipeline: any JSON, stored byte for byte'),
    suggestion: anyJson(
      'The proposed answer: a string or any JSON, stored byte for byte; null: there is none, and a person writes the answer',
    ),
    confidence: z.number().min(0).max(1).meta({
      description:
        'The confidence of the pipeline, 0 to 1; compared as a double with the thresholds of the project, without further rounding',
    }),
    risk_flags: z.array(z.string().min(1).max(LIMITS.riskFlagLength)).max(LIMITS.riskFlags).optional().meta({
      description:
        'Tags that escalate the item if the project lists them as escalate flags; compared trimmed and case-insensitively',
    }),
    metadata: z
      .preprocess(countKeys, z.record(z.string(), json))
      .optional()
      .meta({
        maxProperties: LIMITS.metadataKeys,
        description: `Any other data of the item: at most ${LIMITS.metadataKeys} keys, stored byte for byte; reviewers see \`model\` and \`source\``,
      }),
    answer_schema: json.optional().meta({
      type: ['object', 'boolean', 'null'],
      description:
        'A JSON Schema (draft 2020-12) that suggestion and output must satisfy, or the `arguments` of a tool call; null: none. Omitted, the schema of the project applies',
    }),
    title: z
      .string()
      .max(LIMITS.titleLength)
      .refine((title) => VISIBLE.test(title), 'A title has a visible character.')
      .optional()
      .meta({
        pattern: '\\S',
        description:
          'The line that identifies the item in lists, instead of the beginning of its input. It has a visible character',
      }),
    kind: itemKind.optional().meta({
      description:
        '`tool_call`: the suggestion is `{"name": string, "arguments": object}`; reviewers may change the arguments, never the name. Default `answer`',
    }),
    allowed_actions: z
      .array(submitterAction)
      .min(1)
      .refine((actions) => new Set(actions).size === actions.length, 'Name each action once.')
      .optional()
      .meta({
        uniqueItems: true,
        description:
          'What reviewers may do, besides escalating; default `approve`, `edit` and `reject`. `respond`: they answer in words instead',
      }),
    deadline: dateTime.nullable().optional().meta({
      description:
        'Until when a person may decide: RFC 3339 with offset, in the future, at most a year away. Omitted, `deadline_minutes` of the project applies; null: no deadline',
    }),
    deadline_seconds: z
      .number()
      .int()
      .min(LIMITS.deadlineSeconds.least)
      .max(LIMITS.deadlineSeconds.most)
      .optional()
      .meta({ description: 'The same, counted from the arrival; send one of the two' }),
    on_deadline: onDeadline.optional().meta({
      description:
        'What happens at the deadline of an item without a decision: `expire` and `reject` end it; `escalate` gives it to supervisors with the same span again, and then it expires. Omitted, the setting of the project applies. Nothing is ever approved by time',
    }),
  })
  .meta({
    id: 'Submission',
    description: `At most ${LIMITS.itemBytes / 1024} KiB, nested ${LIMITS.depth} deep, ${LIMITS.nodes} values`,
    ...EXCLUDED,
  });
export type Submission = z.infer<typeof submission>;

const finalDecision = decision.nullable().meta({ description: 'The final decision; null until there is one' });

/** The response to a submission: exactly these three members. */
export const submitted = z
  .strictObject({
    id: uuid.meta({ description: 'The ID of the item, for reading it later' }),
    status: itemStatus,
    decision: finalDecision,
  })
  .meta({ id: 'Submitted' });
export type Submitted = z.infer<typeof submitted>;

export const publicItem = z
  .object({
    id: uuid,
    project_id: uuid,
    status: itemStatus,
    decision: finalDecision,
    input: anyJson('As submitted, byte for byte'),
    suggestion: anyJson('As submitted, byte for byte'),
    confidence: z.number().meta({ description: 'As submitted' }),
    risk_flags: z.array(z.string()).meta({ description: 'As submitted' }),
    metadata: z.record(z.string(), json).nullable().meta({ description: 'As submitted, byte for byte' }),
    answer_schema: json.optional().meta({
      description: 'The schema that applies to suggestion and output; absent where there is none, and in lists',
    }),
    suggestion_faults: z.array(answerFault).optional().meta({
      description: 'Why the suggestion does not satisfy its schema; absent where it does, or where there is none',
    }),
    title: z.string().optional().meta({ description: 'As submitted; absent without one' }),
    kind: itemKind.optional().meta({ description: 'Absent where it is `answer`' }),
    allowed_actions: z
      .array(submitterAction)
      .optional()
      .meta({ description: 'As submitted; absent where the default applies' }),
    deadline: timestamp.optional().meta({
      description:
        'Until when it can be decided, also after an extension; absent without a deadline, and of an automatic approval',
    }),
    on_deadline: onDeadline.optional().meta({ description: 'What happens at the deadline; absent where that is' }),
    routing,
    created_at: timestamp.meta({ description: 'When the item was submitted (ISO 8601, UTC)' }),
    decided_at: timestamp
      .nullable()
      .meta({ description: 'When it was decided, or rejected by routing; null until that is final' }),
    emptied_at: timestamp.optional().meta({
      description:
        'When input, suggestion, metadata and output were deleted under the retention policy of the project; absent before that',
    }),
  })
  .meta({ id: 'Item', description: 'An item: its submission, its routing and its decision' });
export type PublicItem = z.infer<typeof publicItem>;

const submissionKey = idempotencyHeader(
  'Makes a request safe to repeat for 7 days: the same key with the same body returns the first status code, the current item and `Idempotent-Replayed: true`.',
);

const preferHeader = z
  .string()
  .optional()
  .meta({
    description: `\`wait=N\` delays the response until the item is final or N seconds have passed (at most ${LIMITS.waitSeconds}). If too many requests are waiting, the item is stored, the response is immediate and \`Preference-Applied\` is absent.`,
  });

/** Of any text: an invalid one is ignored (WH9). */
export const traceparentHeader = z.string().optional().meta({
  description:
    'W3C Trace Context: webhooks about the item carry it on unchanged, with the trace ID and parent ID of this request. An invalid one is ignored.',
});

const waitQuery = queryInteger(0, LIMITS.waitSeconds).optional().meta({
  description:
    'Seconds to wait for the item to become final. If too many requests are waiting, the response is immediate: repeat the request a second later',
});

/** Page size: 1 to 100. */
const pageLimit = queryInteger(1, LIMITS.pageItems)
  .prefault(20)
  .meta({ description: 'Page size limit; pages with large items contain fewer' });

/** Where a page begins: a text that an earlier page returned. Any other one is refused when it is read (`invalid_cursor`). */
export const pageCursor = (description: string) =>
  z.string().optional().meta({ description, pattern: '^[A-Za-z0-9_-]+$' });

const nextCursor = z.string().meta({ description: 'Send it as `after` to get the next page' });
const hasMore = z.boolean().meta({ description: 'Whether another page exists now' });

export const submitItem = endpointSchemas({
  auth: 'api_key',
  scope: 'submit',
  summary: 'Submit an item',
  description:
    'The item is stored before the response is sent. If the confidence is high enough, the response contains the decision; otherwise a reviewer decides and the webhook of the project delivers the decision.',
  status: 201,
  headers: z.object({ 'idempotency-key': submissionKey, prefer: preferHeader, traceparent: traceparentHeader }),
  body: submission,
  reply: submitted,
  errors: ['project_mismatch', 'forbidden', 'schema_invalid', 'idempotency_in_progress', 'idempotency_key_reused'],
});

/**
 * A batch as it is sent. Each item is validated separately against `submission`: invalid items do not block the others.
 */
export const submissionBatch = z
  .strictObject({
    items: z
      .array(z.unknown())
      .min(1)
      .max(LIMITS.batchItems)
      .meta({ description: 'Each item is validated separately: invalid items do not block the others' }),
  })
  .meta({ id: 'SubmissionBatch', description: `At most ${LIMITS.batchBytes / 1024 / 1024} MiB` });

const batchIndex = z.number().int().min(0).meta({ description: 'The index of the item in the request, from 0' });

export const batchResult = z
  .union([
    z.strictObject({ index: batchIndex, ...submitted.shape }),
    z.strictObject({ index: batchIndex, error: problem }),
  ])
  .meta({ id: 'BatchResult', description: 'The routing of the item, or why it was refused' });
export type BatchResult = z.infer<typeof batchResult>;

export const submitBatch = endpointSchemas({
  auth: 'api_key',
  scope: 'submit',
  summary: 'Submit up to 500 items at once; each has its own result',
  description:
    'The items are stored together, in this order. An invalid item has an `error` in its place, with pointers such as `#/items/2/confidence`; the others are stored anyway.',
  headers: z.object({ 'idempotency-key': submissionKey, traceparent: traceparentHeader }),
  body: submissionBatch,
  reply: z.strictObject({ results: z.array(batchResult) }).meta({ id: 'BatchSubmitted' }),
  errors: ['idempotency_in_progress', 'idempotency_key_reused'],
});

export const readItem = endpointSchemas({
  auth: 'api_key',
  scope: 'read',
  summary: 'Read an item: submission, routing, status and final decision',
  description:
    'A provisional decision is not shown: the status is the one before it, and `decision` is null. `wait` delays the response until the decision is final.',
  params: z.object({ id: uuid.meta({ description: 'The ID of the item' }) }),
  query: z.strictObject({ wait: waitQuery }),
  reply: publicItem,
  errors: ['not_found'],
});

export const withdrawalReason = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .optional()
  .meta({ pattern: '\\S', description: 'Why; reviewers see it in the history of the item' });

export const withdrawItem = endpointSchemas({
  auth: 'api_key',
  scope: 'submit',
  summary: 'Withdraw an item that no longer needs an answer',
  description:
    'An item that waits for people becomes `withdrawn` for good, and the webhook sends `item.withdrawn`. A repeat is answered like the first request. An item with a decision, even a provisional one, keeps it: the refusal `already_decided` carries the item, as `expired` does where the deadline was first.',
  params: z.object({ id: uuid.meta({ description: 'The ID of the item' }) }),
  body: z.strictObject({ reason: withdrawalReason }).optional(),
  reply: submitted,
  errors: ['not_found', 'already_decided', 'expired'],
});

const dateTimeAsDate = dateTime.transform((text) => new Date(text));

export const listItems = endpointSchemas({
  auth: 'api_key',
  scope: 'read',
  summary: 'List items, newest first',
  description: 'Paginated: send `next_cursor` as `after` until `has_more` is false.',
  query: z.strictObject({
    status: itemStatus.optional().meta({ description: 'Only items with this status' }),
    since: dateTimeAsDate.optional().meta({ description: 'Only items created at this time or later' }),
    until: dateTimeAsDate.optional().meta({ description: 'Only items created before this time' }),
    limit: pageLimit,
    after: pageCursor('The `next_cursor` of the previous page'),
    cursor: pageCursor('The same as `after`'),
  }),
  reply: z
    .object({
      data: z.array(publicItem),
      has_more: hasMore,
      next_cursor: nextCursor
        .nullable()
        .meta({ description: 'Send it as `after` to get the next page; null at the end' }),
    })
    .meta({ id: 'ItemPage' }),
  errors: ['invalid_cursor'],
});

const eventId = z.string().meta({ description: 'Equal to the `webhook-id` of the delivery with the same event' });

/** What ended an item or revised its decision, as in the event log and the webhook; `id` is the `webhook-id` of its delivery. */
export const publicEvent = z
  .discriminatedUnion('event', [
    z.object({
      id: eventId,
      event: z.literal('item.decided'),
      item_id: uuid,
      project_id: uuid,
      status: decisionStatus,
      decision,
      reviewer_id: uuid.nullable().meta({ description: 'The member who decided; null for an automatic decision' }),
      decided_at: timestamp,
    }),
    z.object({ id: eventId, ...itemWithdrawn.shape }),
    z.object({ id: eventId, ...decisionRevised.shape }),
    z.object({ id: eventId, ...itemExpired.shape }),
  ])
  .meta({ id: 'Event', description: 'What ended an item or revised its decision, as in the webhook' });
export type PublicEvent = z.infer<typeof publicEvent>;

export const listEvents = endpointSchemas({
  auth: 'api_key',
  scope: 'read',
  summary: 'Catch up on what ended items or revised their decisions, oldest first',
  description:
    'For consumers that were down. Save `next_cursor` and send it as `after`: it is present even when there is nothing new, and no event can appear before it. Decisions whose content was deleted under the retention policy are omitted.',
  query: z.strictObject({
    after: pageCursor('The `next_cursor` of the previous page'),
    limit: pageLimit,
  }),
  reply: z.object({ data: z.array(publicEvent), has_more: hasMore, next_cursor: nextCursor }).meta({ id: 'EventPage' }),
  errors: ['invalid_cursor'],
});

/** One message of the Model Context Protocol. The service sends no requests, so clients send no responses. */
export const rpcMessage = z
  .strictObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.int()]).optional().meta({ description: 'Absent from a notification' }),
    method: z.string().meta({ description: 'Such as `tools/list` and `tools/call`' }),
    params: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Of a tool call: `name`, and `arguments` as the tool describes them' }),
  })
  .meta({ id: 'RpcMessage', description: 'A JSON-RPC 2.0 request or notification' });
export type RpcMessage = z.infer<typeof rpcMessage>;

export const rpcReply = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number(), z.null()]).optional(),
    result: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Of a tool call: `content`, `structuredContent`, and `isError` where it was refused' }),
    error: z
      .object({
        code: z.number().meta({ description: 'The code of JSON-RPC or MCP' }),
        message: z.string().meta({ description: 'What to change' }),
        data: z.unknown().optional().meta({ description: 'Details, such as the versions that are supported' }),
      })
      .optional()
      .meta({ description: 'Instead of a result: an error of the protocol' }),
  })
  .meta({ id: 'RpcReply', description: 'A JSON-RPC 2.0 response' });
export type RpcReply = z.infer<typeof rpcReply>;

export const callMcp = endpointSchemas({
  auth: 'bearer',
  summary: 'Call the service as an MCP server (streamable HTTP)',
  description:
    'For agents: the tools `request_review`, `check_review` and `withdraw_review` of the Model Context Protocol, without sessions and without streams. A key that lacks the scope of a tool, and every other refusal of a tool, is a tool result with `isError`; an error of the protocol is a JSON-RPC error with status 400 or 404. A notification is answered with 202.',
  body: rpcMessage,
  reply: rpcReply,
  errors: ['origin_refused'],
});
