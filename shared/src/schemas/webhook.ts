// The webhook of a project as its owners see it: URL, signing secrets, and test events.
import { z } from 'zod';
import { NOTIFICATION_KINDS, NOTIFICATION_STATUSES } from '../enums.ts';
import { URL_LENGTH } from '../limits.ts';
import { timestamp, uuid } from './parts/ids.ts';
import { abilitiesTo } from './parts/enums.ts';
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
      /** How long each phase of the last rotation lasts, in hours. */
      overlap_hours: z.number().int(),
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
  body: z.strictObject({ url: z.string().max(URL_LENGTH).optional() }).optional(),
  reply: webhookTestResult,
  errors: ['webhook_url_refused', 'rate_limited'],
});

const notificationKind = z.enum(NOTIFICATION_KINDS);

/** A reminder and its attempts, newest first. Its target is masked: who knows the URL can write to it. */
const notificationMessage = z
  .object({
    id: uuid,
    kind: notificationKind,
    target: z.string(),
    /** What it says, as sentences. */
    text: z.string(),
    status: z.enum(NOTIFICATION_STATUSES),
    /** How many attempts the current schedule has begun, out of how many. */
    run: z.object({ attempt: z.number().int(), of: z.number().int() }),
    next_attempt_at: timestamp.nullable(),
    /** Until when its target gets no attempts (WH5); null while its circuit is closed. */
    circuit_open_until: timestamp.nullable(),
    http_status: z.number().int().nullable(),
    error: z.string().nullable(),
    created_at: timestamp,
    completed_at: timestamp.nullable(),
    attempts: z.array(
      z.object({
        n: z.number().int(),
        started_at: timestamp,
        duration_ms: z.number(),
        http_status: z.number().int().nullable(),
        error: z.string().nullable(),
      }),
    ),
    abilities: abilitiesTo('resend'),
  })
  .meta({ id: 'NotificationMessage' });
export type NotificationMessage = z.infer<typeof notificationMessage>;

export const listNotificationMessages = endpointSchemas({
  auth: 'session',
  summary: 'The reminders of a project with their attempts, newest first',
  params,
  query: z.object({
    after: z.string().max(200).optional(),
    limit: z.coerce.number().int().min(1).max(50).default(20),
  }),
  reply: z.object({ data: z.array(notificationMessage), next_cursor: z.string().nullable() }),
  errors: ['invalid_cursor'],
});

export const testNotification = endpointSchemas({
  auth: 'session',
  summary: 'Send one test message now to a target of notifications, saved or not',
  description: 'At most five a minute per project, together with test events. It is not retried and not listed.',
  params,
  body: z.strictObject({ kind: notificationKind, url: z.string().trim().min(1).max(URL_LENGTH) }),
  reply: webhookTestResult,
  errors: ['webhook_url_refused', 'rate_limited'],
});

export const resendNotificationMessage = endpointSchemas({
  auth: 'session',
  summary: 'Send a reminder now: at once if it waits for an attempt, or with a new schedule if it has ended',
  params,
  status: 204,
  errors: ['delivery_under_way', 'validation_failed'],
});
