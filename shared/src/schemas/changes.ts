// The change log of a project: who changed what, when, and the values before and after.
import { z } from 'zod';
import { CHANGE_KINDS, CHANGE_ACTIONS } from '../enums.ts';
import { timestamp, uuid } from './parts/ids.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';
import { queryInteger } from './parts/query-number.ts';
export const changeKind = z.enum(CHANGE_KINDS);
export const changeAction = z.enum(CHANGE_ACTIONS).meta({ id: 'ChangeAction' });

const values = z.record(z.string(), z.unknown());

/**
 * One entry of the change log. `subject_id` distinguishes subjects with equal names. `before` and `after` hold the
 * changed values; neither contains a secret.
 */
export const projectChange = z
  .object({
    id: uuid,
    action: changeAction,
    subject: z.string().nullable(),
    subject_id: uuid.nullable(),
    before: values.nullable(),
    after: values.nullable(),
    changed_by: z.object({ user_id: uuid.nullable(), name: z.string() }),
    changed_at: timestamp,
  })
  .meta({ id: 'ProjectChange' });
export type ProjectChange = z.infer<typeof projectChange>;

export const listChanges = endpointSchemas({
  auth: 'session',
  summary: 'Who changed what in a project, newest first',
  params: z.object({ id: uuid }),
  query: z.object({
    after: z.string().max(200).optional(),
    limit: queryInteger(1, 100).prefault(50),
    action: changeAction.optional(),
    kind: changeKind.optional(),
  }),
  reply: z.object({ data: z.array(projectChange), next_cursor: z.string().nullable() }),
});
