// The tools of the MCP server, alike over HTTP and by stdio: names, descriptions, schemas and annotations.
import { z } from 'zod';
import { idempotencyKey } from '../schemas/parts/idempotency-key.ts';
import { publicItem, submission, submitted, withdrawalReason } from '../schemas/public.ts';
import { uuid } from '../schemas/parts/ids.ts';
import { makePlainer } from '../schemas/parts/plain-json-schema.ts';

/** How the server introduces itself. */
export const SERVER_INFO = { name: 'countersign', title: 'Countersign', version: '1.0.0' } as const;

export const INSTRUCTIONS = `Countersign lets people review what an agent is about to answer or do.

1. Call request_review with the input, your suggestion and your confidence. The project decides by its thresholds whether people must look at it.
2. If status is auto_approved, use decision.output. If it is rejected, do not act.
3. If status is queued or escalated, people decide. Call check_review with the id, again and again with wait_seconds 55, until status is another one.
4. Act on decision.output and on nothing else: a reviewer may have edited your suggestion. Do not act on rejected, expired or withdrawn. decision.response, where present, is what a reviewer answered instead.
5. Call withdraw_review when you need the answer no longer.`;

/** The longest that check_review waits, in seconds: hosts give up on a tool after a minute. */
const WAIT_SECONDS = 55;

const itemId = uuid.meta({ description: 'The id that request_review answered' });

const idempotency = idempotencyKey.optional().meta({
  description:
    'Makes the call safe to repeat for 7 days: the same key with the same arguments answers with the same item. 1 to 255 printable ASCII characters, one key per item',
});

interface Definition<I, O> {
  title: string;
  description: string;
  input: z.ZodType<I>;
  output: z.ZodType<O>;
  /** Hints for the host (MCP): they must be true. All tools reach this service alone, and `openWorldHint` says so. */
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean };
}

const tool = <I, O>(definition: Definition<I, O>): Definition<I, O> => definition;

/** By name. */
export const TOOLS = {
  request_review: tool({
    title: 'Request a review',
    description:
      'Submits an answer or a tool call for review and answers at once with its id, status and decision. With enough confidence it is approved automatically; otherwise people decide, and check_review says what they decided.',
    input: submission.omit({ project_id: true }).extend({ idempotency_key: idempotency }),
    output: z.strictObject(submitted.shape),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  }),
  check_review: tool({
    title: 'Check a review',
    description:
      'Answers with the item: its submission, status and final decision. With wait_seconds it waits until the decision is final or the time is over; status queued or escalated means that people have not decided yet.',
    input: z.strictObject({
      id: itemId,
      wait_seconds: z.number().int().min(0).max(WAIT_SECONDS).optional().meta({
        description: 'How long to wait for the final decision; omitted, the answer comes at once',
      }),
    }),
    output: z.object(publicItem.shape),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  }),
  withdraw_review: tool({
    title: 'Withdraw a review',
    description:
      'Takes back an item that waits for people: it is withdrawn for good and nobody decides it. Refused with already_decided or expired where it ended before; check_review then says how.',
    input: z.strictObject({ id: itemId, reason: withdrawalReason }),
    output: z.strictObject(submitted.shape),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  }),
};

export type ToolName = keyof typeof TOOLS;

export const isToolName = (name: string): name is ToolName => Object.hasOwn(TOOLS, name);

/** A JSON Schema of an object. */
export interface ObjectSchema {
  [keyword: string]: unknown;
  type: 'object';
}

/** A tool as `tools/list` shows it. */
export interface ToolDescription {
  name: string;
  title: string;
  description: string;
  inputSchema: ObjectSchema;
  outputSchema: ObjectSchema;
  annotations: Definition<unknown, unknown>['annotations'] & { openWorldHint: boolean };
}

/** Every tool, in the order in which they are used. Takes a few milliseconds: call it once. */
export function describeTools(): ToolDescription[] {
  return Object.entries<Definition<unknown, unknown>>(TOOLS).map(([name, definition]) => {
    const { title, description, input, output, annotations } = definition;
    return {
      name,
      title,
      description,
      inputSchema: schemaOf(input, 'input'),
      outputSchema: schemaOf(output, 'output'),
      annotations: { ...annotations, openWorldHint: false },
    };
  });
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): ObjectSchema {
  const override = (written: Omit<Parameters<typeof makePlainer>[0], 'io'>) => makePlainer({ ...written, io });
  const { $schema: _dialect, $defs: shared = {}, ...root } = z.toJSONSchema(schema, { io, override });
  return withoutRefs(root, shared) as ObjectSchema;
}

/** Some hosts do not follow references; none of these schemas is recursive. */
function withoutRefs(value: unknown, shared: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((member) => withoutRefs(member, shared));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref: reference, ...rest } = value as Record<string, unknown>;
  const target = typeof reference === 'string' ? shared[reference.replace('#/$defs/', '')] : undefined;
  const joined = { ...(target as object | undefined), ...rest };
  return Object.fromEntries(Object.entries(joined).map(([key, member]) => [key, withoutRefs(member, shared)]));
}
