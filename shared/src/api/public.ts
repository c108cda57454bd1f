// The public API for pipelines, CONTRACT section 1: `/api/public/*`, authenticated by x-api-key, cookies ignored.
import { z } from 'zod';
import { decision, routing } from '../decision.ts';
import { timestamp, uuid } from '../ids.ts';
import { json } from '../json.ts';
import { itemStatus } from '../words.ts';
import { endpoint } from './endpoint.ts';

/** Sizes and counts beyond which a submission is refused (CONTRACT section 1, Limits). Bytes are counted after inflation. */
export const LIMITS = {
  itemBytes: 256 * 1024,
  depth: 32,
  nodes: 10_000,
  keyLength: 256,
  riskFlags: 50,
  riskFlagLength: 100,
  metadataKeys: 50,
} as const;

/** What a pipeline submits. Unknown fields are refused: a misspelt `risk_flag` must not slip an item past escalation. */
export const submission = z
  .strictObject({
    project_id: uuid,
    input: json.meta({ description: 'What the pipeline was given' }),
    suggestion: json.meta({ description: 'The proposed answer: a string or any JSON' }),
    confidence: z.number().min(0).max(1),
    risk_flags: z.array(z.string().min(1).max(LIMITS.riskFlagLength)).max(LIMITS.riskFlags).optional(),
    metadata: z
      .record(z.string(), json)
      .refine((value) => Object.keys(value).length <= LIMITS.metadataKeys, `at most ${LIMITS.metadataKeys} keys`)
      .optional(),
  })
  .meta({ id: 'Submission' });
export type Submission = z.infer<typeof submission>;

/** The answer to a submission: exactly these three members. */
export const submitted = z
  .strictObject({ id: uuid, status: itemStatus, decision: decision.nullable() })
  .meta({ id: 'Submitted' });
export type Submitted = z.infer<typeof submitted>;

export const publicItem = z
  .object({
    id: uuid,
    project_id: uuid,
    status: itemStatus,
    decision: decision.nullable(),
    input: json,
    suggestion: json,
    confidence: z.number(),
    risk_flags: z.array(z.string()),
    metadata: z.record(z.string(), json).nullable(),
    routing,
    created_at: timestamp,
    decided_at: timestamp.nullable(),
  })
  .meta({ id: 'Item' });
export type PublicItem = z.infer<typeof publicItem>;

export const submitItem = endpoint({
  method: 'POST',
  path: '/api/public/items',
  auth: 'api_key',
  summary: 'Submit an item and learn at once where it goes',
  status: 201,
  body: submission,
  reply: submitted,
});

export const readItem = endpoint({
  method: 'GET',
  path: '/api/public/items/:id',
  auth: 'api_key',
  summary: 'Read an item back: submission, routing, status and final decision',
  params: z.object({ id: uuid }),
  reply: publicItem,
});
