// The webhook endpoints and reminders of a project as its owners see them: URLs, signing secrets, health and tests.
import { z } from 'zod';
import { DELIVERED_EVENTS, NOTIFICATION_KINDS, NOTIFICATION_STATUSES } from '../enums.ts';
import { WEBHOOK_HEALTH } from '../figures.ts';
import { ENDPOINT_DESCRIPTION, MAX_ENDPOINTS, URL_LENGTH } from '../limits.ts';
import { timestamp, uuid } from './parts/ids.ts';
import { abilitiesTo } from './parts/enums.ts';
import { timings } from './deliveries.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';
import { queryInteger } from './parts/query-number.ts';
import { rotated, rotation } from './parts/secret-rotation.ts';

const params = z.object({ id: uuid });
const deliveredEvent = z.enum(DELIVERED_EVENTS);

/**
 * Deliveries to a receiver that fails repeatedly are suspended for a while; due deliveries wait, and no attempt is
 * used up (WH5).
 */
const health = z.object({
  /** Consecutive attempts that reached no working receiver. */
  failures: z.number().int(),
  /** When the next attempt is allowed; null while the circuit is closed. */
  circuit_open_until: timestamp.nullable(),
});

const secret = z.object({
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
});

export const webhookState = z
  .object({
    url: z.string().nullable(),
    /** `paused`: the receiver answered 410; nothing is sent until the URL is saved again. */
    state: z.enum(['active', 'paused']),
    health,
    secret,
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

/** An endpoint of a project (WH12). */
const webhookEndpoint = z
  .object({
    id: uuid,
    url: z.string(),
    description: z.string(),
    events: z.array(deliveredEvent),
    /** A disabled endpoint gets no new deliveries; what waits for it is sent once it is enabled. */
    is_enabled: z.boolean(),
    /** The endpoint of the settings `webhook_url` and `webhook_events`, whose ID is that of the project. */
    is_default: z.boolean(),
    state: z.enum(['active', 'paused']),
    /** As of a project with this endpoint alone (WH10). */
    status: z.enum(WEBHOOK_HEALTH),
    /** Deliveries that wait after their second failed attempt. */
    retrying: z.number().int(),
    health,
    secret,
    created_at: timestamp,
  })
  .meta({ id: 'WebhookEndpoint' });
export type WebhookEndpoint = z.infer<typeof webhookEndpoint>;

const endpointFields = z.strictObject({
  url: z.string().trim().min(1).max(URL_LENGTH),
  description: z.string().trim().max(ENDPOINT_DESCRIPTION),
  events: z
    .array(deliveredEvent)
    .min(1, 'Choose at least one event.')
    .max(DELIVERED_EVENTS.length)
    .refine((events) => new Set(events).size === events.length, 'Name each event once.'),
  is_enabled: z.boolean(),
});

const endpointParams = z.object({ id: uuid, endpoint_id: uuid });

export const listEndpoints = endpointSchemas({
  auth: 'session',
  summary: 'The webhook endpoints of a project with their health, the one of its settings first',
  params,
  reply: z.object({ data: z.array(webhookEndpoint), next_cursor: z.null() }),
});

export const createEndpoint = endpointSchemas({
  auth: 'session',
  summary: 'Add a webhook endpoint; the response shows its secret once',
  description: `At most ${MAX_ENDPOINTS} per project. It gets the events that happen from now on.`,
  status: 201,
  params,
  body: endpointFields.extend({
    description: endpointFields.shape.description.default(''),
    events: endpointFields.shape.events.default([...DELIVERED_EVENTS]),
    is_enabled: z.boolean().default(true),
  }),
  reply: webhookEndpoint.extend({ webhook_secret: z.string() }),
  errors: ['webhook_url_refused'],
});

export const changeEndpoint = endpointSchemas({
  auth: 'session',
  summary: 'Change a webhook endpoint; saving its URL resumes it',
  description:
    'The endpoint of the settings requires `settings_version`, the version that the change is based on. The change is refused when the settings have a newer one.',
  params: endpointParams,
  body: endpointFields.partial().extend({ settings_version: z.number().int().optional() }),
  reply: webhookEndpoint,
  errors: ['webhook_url_refused', 'stale_settings'],
});

export const removeEndpoint = endpointSchemas({
  auth: 'session',
  summary: 'Remove a webhook endpoint: what waits for it is cancelled',
  description: 'The one of the settings loses its URL; what waits for it is sent once it has one again.',
  status: 204,
  params: endpointParams,
  errors: ['stale_settings'],
});

export const testEndpoint = endpointSchemas({
  auth: 'session',
  summary: 'Send one test event now to an endpoint, signed with its secret',
  description: 'At most five a minute per project, together with the other tests.',
  params: endpointParams,
  body: z.strictObject({ url: z.string().max(URL_LENGTH).optional() }).optional(),
  reply: webhookTestResult,
  errors: ['webhook_url_refused', 'rate_limited'],
});

export const rotateEndpointSecret = endpointSchemas({
  auth: 'session',
  summary: 'Create a new secret of an endpoint; the response shows its text once',
  params: endpointParams,
  body: rotation.optional(),
  reply: rotated,
  errors: ['rotation_in_progress'],
});

export const promoteEndpointSecret = endpointSchemas({
  auth: 'session',
  summary: 'Promote the new secret of an endpoint; the old one stays in the secondary header for the overlap',
  status: 204,
  params: endpointParams,
  body: z.strictObject({}).optional(),
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
    limit: queryInteger(1, 50).prefault(20),
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
