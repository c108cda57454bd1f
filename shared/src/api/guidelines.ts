// The guidelines of a project in versions, and who has seen which: a member is told once what changed (GL1).
import { z } from 'zod';
import { timestamp, uuid } from '../ids.ts';
import { endpoint } from './endpoint.ts';

const projectParams = z.object({ id: uuid });
const version = z.number().int().min(1);
const author = z.object({ user_id: uuid, name: z.string() }).nullable();

/** One text of the guidelines. `version` is the settings version that brought it. */
export const guidelinesVersion = z
  .object({ version, text: z.string(), changed_at: timestamp, changed_by: author })
  .meta({ id: 'GuidelinesVersion' });
export type GuidelinesVersion = z.infer<typeof guidelinesVersion>;

/** `seen_text` is what the asking member saw last; null when it reads the same as now. */
export const guidelines = guidelinesVersion
  .extend({ seen_version: version, seen_text: z.string().nullable() })
  .meta({ id: 'Guidelines' });
export type Guidelines = z.infer<typeof guidelines>;

export const readGuidelines = endpoint({
  method: 'GET',
  path: '/api/projects/:id/guidelines',
  auth: 'session',
  summary: 'The guidelines as they are, and as you saw them last',
  params: projectParams,
  reply: guidelines,
});

export const listGuidelinesVersions = endpoint({
  method: 'GET',
  path: '/api/projects/:id/guidelines/versions',
  auth: 'session',
  summary: 'Every text the guidelines had, newest first',
  params: projectParams,
  query: z.object({
    /** Where the last page ended. */
    after: z.coerce.number().int().min(1).max(2_147_483_647).optional(),
    limit: z.coerce.number().int().min(1).max(50).default(20),
  }),
  reply: z.object({ data: z.array(guidelinesVersion), next_cursor: z.string().nullable() }),
});

export const seeGuidelines = endpoint({
  method: 'POST',
  path: '/api/projects/:id/guidelines/seen',
  auth: 'session',
  summary: 'You have seen the guidelines of this version; an older one than you saw before changes nothing',
  status: 204,
  params: projectParams,
  body: z.strictObject({ version: version.max(2_147_483_647) }),
});

/** What changed in the guidelines of one project since its member saw them. */
export const guidelinesNews = z
  .object({ project_id: uuid, project_name: z.string(), ...guidelines.shape, seen_text: z.string() })
  .meta({ id: 'GuidelinesNews' });
export type GuidelinesNews = z.infer<typeof guidelinesNews>;

export const listGuidelinesNews = endpoint({
  method: 'GET',
  path: '/api/guidelines/news',
  auth: 'session',
  summary: 'Your projects whose guidelines read otherwise than when you saw them, the oldest change first',
  reply: z.object({ data: z.array(guidelinesNews), next_cursor: z.string().nullable() }),
});
