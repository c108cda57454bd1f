// Alerts to a project's owners: a delivery failed for good, the webhook is paused, or it works again (WH6).
import { z } from 'zod';
import { timestamp, uuid } from './parts/ids.ts';
import { alertKind } from './parts/enums.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';

const params = z.object({ id: uuid });

/** One alert, with the attempt that caused it. `attempts` counts the attempts of its delivery since the last replay. */
export const webhookAlert = z
  .object({
    id: uuid,
    kind: alertKind,
    endpoint: z
      .object({ id: uuid, name: z.string().nullable() })
      .nullable()
      .describe(
        'The endpoint of a webhook alert; null when it is the only one that has a URL, and for other alerts. Its name is null when it was removed.',
      ),
    delivery_id: uuid.nullable(),
    attempts: z.number().int().nullable(),
    http_status: z.number().int().nullable(),
    error: z.string().nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'WebhookAlert' });
export type WebhookAlert = z.infer<typeof webhookAlert>;

/** The latest alert of an endpoint, or about the error budget of a project, that the owner has not seen. */
export const projectAlert = webhookAlert
  .extend({
    project_id: uuid,
    project_name: z.string(),
    dead: z
      .number()
      .int()
      .describe(
        'How many deliveries to the endpoint of a webhook alert are dead now, up to 1,001; 0 for other alerts.',
      ),
  })
  .meta({ id: 'ProjectAlert' });
export type ProjectAlert = z.infer<typeof projectAlert>;

export const listAlerts = endpointSchemas({
  auth: 'session',
  summary: 'Unseen alerts of your projects: the latest of each endpoint and error budget, oldest first, at most 20',
  description:
    'Resolved alerts are omitted: a pause that ended, or dead deliveries to the endpoint that were all replayed.',
  reply: z.object({ data: z.array(projectAlert), next_cursor: z.string().nullable() }),
});

export const listProjectAlerts = endpointSchemas({
  auth: 'session',
  summary: 'The last 20 webhook alerts of the project, newest first',
  params,
  reply: z.object({ data: z.array(webhookAlert), next_cursor: z.string().nullable() }),
});

export const seeAlert = endpointSchemas({
  auth: 'session',
  summary: 'Mark an alert as seen, and earlier ones of the same endpoint or error budget',
  status: 204,
  params,
  body: z.strictObject({ alert_id: uuid }),
});
