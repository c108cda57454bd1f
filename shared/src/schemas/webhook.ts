// The webhook of a project as its owners see it: URL, signing secrets, and test events.
import { z } from 'zod';
import { timestamp, uuid } from './parts/ids.ts';
import { timings } from './deliveries.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';

const params = z.object({ id: uuid });

export const webhookState = z
  .object({
    url: z.string().nullable(),
    /** `paused`: the receiver answered 410; nothing is sent until the URL is saved again. */
    state: z.enum(['active', 'paused']),
    /**
     * Deliveries to a receiver that fails repeatedly are suspended for a while; due deliveries wait, and no attempt is
     * used up (WH5).
     */
    health: z.object({
      /** Consecutive attempts that reached no working receiver. */
      failures: z.number().int(),
      /** When the next attempt is allowed; null while the circuit is closed. */
      circuit_open_until: timestamp.nullable(),
    }),
    secret: z.object({
      /** Whether the signing secret was ever shown to anyone. */
      revealed: z.boolean(),
      /** A new secret is pending: it signs the secondary headers. */
      rolling: z.boolean(),
      /** When the new secret is promoted automatically. */
      promote_at: timestamp.nullable(),
      /** Until when the previous secret still signs the secondary headers. */
      previous_until: timestamp.nullable(),
    }),
  })
  .meta({ id: 'WebhookState' });
export type WebhookState = z.infer<typeof webhookState>;

export const readWebhook = endpointSchemas({
  auth: 'session',
  summary: 'The webhook URL, its health, and which secrets sign; never the secrets themselves',
  params,
  reply: webhookState,
});

/** The result of a test event. */
export const webhookTestResult = z
  .object({
    /** The receiver responded with 2xx, as for a delivery. */
    ok: z.boolean(),
    http_status: z.number().int().nullable(),
    /** The cause of the failure as in the list of deliveries; null on success. */
    error: z.string().nullable(),
    duration_ms: z.number().int(),
    timings,
    /** The start of the response, at most 8 KiB, as text; null without a response. */
    response_text: z.string().nullable(),
    webhook_id: z.string(),
    url: z.string(),
  })
  .meta({ id: 'WebhookTestResult' });
export type WebhookTestResult = z.infer<typeof webhookTestResult>;

export const testWebhook = endpointSchemas({
  auth: 'session',
  summary: 'Send one signed test event now, to the saved URL or to another URL',
  description: 'At most five a minute per project. A test event is not a delivery: it is not retried and not listed.',
  params,
  body: z.strictObject({ url: z.string().max(2048).optional() }).optional(),
  reply: webhookTestResult,
  errors: ['webhook_url_refused', 'rate_limited'],
});
