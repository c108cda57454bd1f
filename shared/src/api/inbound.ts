// Inbound webhooks (docs/spec/webhooks.md#inbound): a submission signed by its sender, and the sources a project takes them from.
import { z } from 'zod';
import { timestamp, uuid } from '../ids.ts';
import { abilitiesTo } from '../enums.ts';
import { endpoint } from './endpoint.ts';
import { submission, submitted } from './public.ts';

/** What a source sends: a submission; the source says which project, so `project_id` may be left out. */
export const inboundSubmission = submission.partial({ project_id: true }).meta({ id: 'InboundSubmission' });

export const receiveInbound = endpoint({
  method: 'POST',
  path: '/api/public/inbound/:source_id',
  auth: 'signature',
  summary: 'Submit an item by a signed webhook',
  description: [
    'Signed with the secret of the source, either way: `x-webhook-signature` (hex HMAC-SHA256 of the raw body, the key being the secret as shown) or the Standard Webhooks headers `webhook-id`, `webhook-timestamp` and `webhook-signature`, which decide when they are there.',
    'A repeat answers 200 with the item as it is now and `Idempotent-Replayed: true`, and does nothing: the same `webhook-id` where it is signed, else the same body.',
  ].join('\n\n'),
  status: 201,
  // Any text: what is no id of ours must look like a bad signature.
  params: z.object({ source_id: z.string().meta({ description: 'The id of the source, as its address has it' }) }),
  headers: z.object({
    'x-webhook-signature': z
      .string()
      .optional()
      .meta({ description: 'HMAC-SHA256 of the raw body, 64 lower-case hex digits' }),
    'webhook-id': z.string().optional().meta({ description: 'Names the message: the same one is taken once' }),
    'webhook-timestamp': z.string().optional().meta({ description: 'Unix seconds, at most 300 off' }),
    'webhook-signature': z
      .string()
      .optional()
      .meta({ description: '`v1,<base64>`, HMAC-SHA256 of `id.timestamp.body`; several are separated by spaces' }),
  }),
  body: inboundSubmission,
  reply: submitted,
  errors: [
    'signature_missing',
    'signature_invalid',
    'signature_expired',
    'project_mismatch',
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

export const listInboundSources = endpoint({
  method: 'GET',
  path: '/api/projects/:id/inbound-sources',
  auth: 'session',
  summary: 'The sources this project takes signed submissions from',
  params: z.object({ id: uuid }),
  reply: z.object({ data: z.array(inboundSource), next_cursor: z.string().nullable() }),
});

export const createInboundSource = endpoint({
  method: 'POST',
  path: '/api/projects/:id/inbound-sources',
  auth: 'session',
  summary: 'Add a source; its secret is in this answer and never again',
  status: 201,
  params: z.object({ id: uuid }),
  body: z.strictObject({ name: label.optional() }).optional(),
  reply: inboundSource.extend({ inbound_secret: z.string() }),
});

export const removeInboundSource = endpoint({
  method: 'DELETE',
  path: '/api/projects/:id/inbound-sources/:source_id',
  auth: 'session',
  summary: 'Remove a source: what it signs is refused at once',
  status: 204,
  params: z.object({ id: uuid, source_id: uuid }),
});
