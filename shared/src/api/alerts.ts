// What the owners of a project are told of its webhook: a delivery was given up, it is paused, it works again (WH6).
import { z } from 'zod';
import { timestamp, uuid } from '../ids.ts';
import { alertKind } from '../enums.ts';
import { endpoint } from './endpoint.ts';

const params = z.object({ id: uuid });

/**
 * One thing that was told, with the attempt it was told because of. `attempts` is how many its delivery had had, since it was last
 * sent again.
 */
export const webhookAlert = z
  .object({
    id: uuid,
    kind: alertKind,
    delivery_id: uuid.nullable(),
    attempts: z.number().int().nullable(),
    http_status: z.number().int().nullable(),
    error: z.string().nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'WebhookAlert' });
export type WebhookAlert = z.infer<typeof webhookAlert>;

/** Dead deliveries are counted up to here; one more means: more than that. */
export const DEAD_COUNTED = 1000;

/** The last thing that was told of a project and not seen yet; `dead` is how many of its deliveries are dead now. */
export const projectAlert = webhookAlert
  .extend({ project_id: uuid, project_name: z.string(), dead: z.number().int() })
  .meta({ id: 'ProjectAlert' });
export type ProjectAlert = z.infer<typeof projectAlert>;

export const listAlerts = endpoint({
  method: 'GET',
  path: '/api/alerts',
  auth: 'session',
  summary: 'What you have not seen yet of the webhooks of your projects: one per project, newest first, at most 20',
  description: 'What is over by now is left out: a pause that was ended, given up deliveries that were all sent again.',
  reply: z.object({ data: z.array(projectAlert), next_cursor: z.string().nullable() }),
});

export const listProjectAlerts = endpoint({
  method: 'GET',
  path: '/api/projects/:id/alerts',
  auth: 'session',
  summary: 'What owners were told of the webhook, newest first, the last 20',
  params,
  reply: z.object({ data: z.array(webhookAlert), next_cursor: z.string().nullable() }),
});

export const seeAlerts = endpoint({
  method: 'POST',
  path: '/api/projects/:id/alerts/seen',
  auth: 'session',
  summary: 'You have seen what was told until then; an earlier time than you sent before changes nothing',
  status: 204,
  params,
  body: z.strictObject({
    until: timestamp.refine((text) => Date.parse(text) >= 0, 'Must not be before 1970.'),
  }),
});
