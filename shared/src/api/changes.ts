// The change log of a project: who changed what, when, and the values before and after.
import { z } from 'zod';
import { timestamp, uuid } from '../ids.ts';
import { endpoint } from './endpoint.ts';

/** The kind of object that was changed: the first word of its action. */
export const CHANGE_KINDS = [
  'project',
  'settings',
  'member',
  'invite',
  'offer',
  'key',
  'source',
  'webhook',
  'cluster',
  'learning',
  'mistake',
] as const;
export const changeKind = z.enum(CHANGE_KINDS);
export type ChangeKind = z.infer<typeof changeKind>;

/** Every change that an owner, a supervisor, or a joining or leaving member can make to a project. */
export const CHANGE_ACTIONS = [
  'project.created',
  'project.archived',
  'project.restored',
  'project.deleted',
  'project.stopped',
  'project.released',
  'settings.changed',
  'member.joined',
  'member.changed',
  'member.left',
  'member.blocked',
  'member.unblocked',
  'invite.made',
  'invite.revoked',
  'offer.made',
  'offer.revoked',
  'offer.declined',
  'key.made',
  'key.revoked',
  'source.made',
  'source.removed',
  'webhook.secret_made',
  'webhook.secret_promoted',
  'webhook.tested',
  'webhook.resumed',
  'cluster.renamed',
  'cluster.merged',
  'cluster.split',
  'cluster.restored',
  'learning.excluded',
  'learning.included',
  'mistake.reported',
  'mistake.overturned',
  'mistake.upheld',
] as const satisfies readonly `${ChangeKind}.${string}`[];
export const changeAction = z.enum(CHANGE_ACTIONS).meta({ id: 'ChangeAction' });
export type ChangeAction = z.infer<typeof changeAction>;

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

export const listChanges = endpoint({
  method: 'GET',
  path: '/api/projects/:id/changes',
  auth: 'session',
  summary: 'Who changed what in a project, newest first',
  params: z.object({ id: uuid }),
  query: z.object({
    after: z.string().max(200).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
    action: changeAction.optional(),
    kind: changeKind.optional(),
  }),
  reply: z.object({ data: z.array(projectChange), next_cursor: z.string().nullable() }),
});
