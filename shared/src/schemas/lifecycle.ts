// The end of a project: archived and restored, or permanently deleted (AR1, AR2).
import { z } from 'zod';
import { uuid } from './parts/ids.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';
import { project } from './projects.ts';

const params = z.object({ id: uuid });
const total = z.number().int();

/** What a project contains, shown before it is deleted. */
export const projectContents = z
  .object({
    items: total,
    /** Items waiting for review. */
    waiting: total,
    /** Decisions inside their undo window. */
    provisional: total,
    decisions: total,
    learnings: total,
    deliveries: total,
    /** Deliveries that have neither succeeded nor failed permanently. */
    undelivered: total,
    members: total,
    /** Keys that are not revoked. */
    api_keys: total,
    /** Sources that are not removed. */
    inbound_sources: total,
    /** Open invites. */
    invites: total,
  })
  .meta({ id: 'ProjectContents' });
export type ProjectContents = z.infer<typeof projectContents>;

export const readContents = endpointSchemas({
  auth: 'session',
  summary: 'How much a project contains',
  params,
  reply: projectContents,
});

export const archiveProject = endpointSchemas({
  auth: 'session',
  summary: 'Archive a project: it is read-only until it is restored',
  params,
  body: z.strictObject({}).optional(),
  reply: project,
});

export const restoreProject = endpointSchemas({
  auth: 'session',
  summary: 'Restore an archived project',
  params,
  body: z.strictObject({}).optional(),
  reply: project,
});

export const removeSamples = endpointSchemas({
  auth: 'session',
  summary: 'Remove the sample data that the demo made in a project',
  params,
  reply: project,
});

export const deleteProject = endpointSchemas({
  auth: 'session',
  summary: 'Permanently delete a project and everything in it',
  status: 204,
  params,
});
