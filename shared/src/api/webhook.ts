// The webhook of a project as its owners see it: where it goes, what signs it, and a test event.
import { z } from 'zod';
import { timestamp, uuid } from '../ids.ts';
import { timings } from './deliveries.ts';
import { endpoint } from './endpoint.ts';

const params = z.object({ id: uuid });

export const webhookState = z
  .object({
    url: z.string().nullable(),
    /** `paused`: the receiver answered 410; nothing is sent until the URL is saved again. */
    state: z.enum(['active', 'paused']),
    /** A receiver that fails time after time is left alone for a while; what is due waits, and no attempt is used up (WH5). */
    health: z.object({
      /** Attempts in a row that met no living receiver. */
      failures: z.number().int(),
      /** When the next one is let through; null while it is not left alone. */
      circuit_open_until: timestamp.nullable(),
    }),
    secret: z.object({
      /** Has anybody ever been shown the one that signs? */
      revealed: z.boolean(),
      /** A new one is waiting: it signs the secondary places. */
      rolling: z.boolean(),
      /** When the new one signs first by itself. */
      promote_at: timestamp.nullable(),
      /** Until when the one before still signs the secondary places. */
      previous_until: timestamp.nullable(),
    }),
  })
  .meta({ id: 'WebhookState' });
export type WebhookState = z.infer<typeof webhookState>;

export const readWebhook = endpoint({
  method: 'GET',
  path: '/api/projects/:id/webhook',
  auth: 'session',
  summary: 'Where webhooks go, whether they do, and which secrets sign them; never the secrets',
  params,
  reply: webhookState,
});

/** What came of a test event. */
export const webhookTestResult = z
  .object({
    /** Answered with 2xx, as a delivery has to be. */
    ok: z.boolean(),
    http_status: z.number().int().nullable(),
    /** Why it failed, in one word, as in the list of deliveries; null when it is ok. */
    error: z.string().nullable(),
    duration_ms: z.number().int(),
    timings,
    /** The start of the answer, at most 8 KiB, as text; null when there was none. */
    response_text: z.string().nullable(),
    webhook_id: z.string(),
    url: z.string(),
  })
  .meta({ id: 'WebhookTestResult' });
export type WebhookTestResult = z.infer<typeof webhookTestResult>;

export const testWebhook = endpoint({
  method: 'POST',
  path: '/api/projects/:id/webhook/test',
  auth: 'session',
  summary: 'Send one signed test event now, to the saved URL or to another one that is to be tried',
  description: 'At most five a minute for one project. It is no delivery: it is not tried again and not listed.',
  params,
  body: z.strictObject({ url: z.string().max(2048).optional() }).optional(),
  reply: webhookTestResult,
  errors: ['webhook_url_refused', 'rate_limited'],
});
