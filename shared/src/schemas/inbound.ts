// Inbound webhooks (docs/spec/webhooks.md#inbound): signed submissions, and the sources that a project accepts.
import { z } from 'zod';
import { timestamp, uuid } from './parts/ids.ts';
import { abilitiesTo } from './parts/enums.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';
import { submission, submitted, traceparentHeader } from './public.ts';

/** What a source sends: a submission. The source determines the project, so `project_id` is optional. */
export const inboundSubmission = submission.partial({ project_id: true }).meta({ id: 'InboundSubmission' });
export type InboundSubmission = z.infer<typeof inboundSubmission>;

export const receiveInbound = endpointSchemas({
  auth: 'signature',
  summary: 'Submit an item by a signed webhook',
  description: [
    'Signed with the secret of the source, in one of two ways: `x-webhook-signature` (hex HMAC-SHA256 of the raw body, keyed with the secret as shown) or the Standard Webhooks headers `webhook-id`, `webhook-timestamp` and `webhook-signature`, which take precedence when present.',
    'A repeat returns 200 with the current item and `Idempotent-Replayed: true`, and has no further effect. A repeat has the same `webhook-id` if that is signed, otherwise the same body.',
  ].join('\n\n'),
  status: 201,
  // Any text: an invalid ID must look the same as a bad signature.
  params: z.object({ source_id: z.string().meta({ description: 'The ID of the source, as in its URL' }) }),
  headers: z.object({
    'x-webhook-signature': z
      .string()
      .optional()
      .meta({ description: 'HMAC-SHA256 of the raw body, 64 lower-case hex digits' }),
    'webhook-id': z.string().optional().meta({ description: 'Identifies the message; each ID is accepted once' }),
    'webhook-timestamp': z.string().optional().meta({ description: 'Unix seconds, at most 300 s off' }),
    'webhook-signature': z
      .string()
      .optional()
      .meta({ description: '`v1,<base64>`, HMAC-SHA256 of `id.timestamp.body`; several are separated by spaces' }),
    traceparent: traceparentHeader,
  }),
  body: inboundSubmission,
  reply: submitted,
  errors: [
    'signature_missing',
    'signature_invalid',
    'signature_expired',
    'project_mismatch',
    'schema_invalid',
    'idempotency_in_progress',
  ],
});

const label = z.string().trim().min(1).max(100);

export const inboundSource = z
  .object({
    id: uuid,
    name: z.string(),
    url: z.url(),
    created_at: timestamp,
    last_used_at: timestamp.nullable(),
    abilities: abilitiesTo('remove'),
  })
  .meta({ id: 'InboundSource' });
export type InboundSource = z.infer<typeof inboundSource>;

export const listInboundSources = endpointSchemas({
  auth: 'session',
  summary: 'The sources from which this project accepts signed submissions',
  params: z.object({ id: uuid }),
  reply: z.object({ data: z.array(inboundSource), next_cursor: z.string().nullable() }),
});

export const createInboundSource = endpointSchemas({
  auth: 'session',
  summary: 'Add a source; the response shows its secret once',
  status: 201,
  params: z.object({ id: uuid }),
  body: z.strictObject({ name: label.optional() }).optional(),
  reply: inboundSource.extend({ inbound_secret: z.string() }),
});

export const removeInboundSource = endpointSchemas({
  auth: 'session',
  summary: 'Remove a source: its submissions are rejected immediately',
  status: 204,
  params: z.object({ id: uuid, source_id: uuid }),
});
