// The versions of a project's guidelines, and who has seen which: each member is notified of a change once (GL1).
import { z } from 'zod';
import { timestamp, uuid } from './parts/ids.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';
import { queryInteger } from './parts/query-number.ts';

const projectParams = z.object({ id: uuid });
const version = z.number().int().min(1);
const author = z.object({ user_id: uuid, name: z.string() }).nullable();

/** One version of the guidelines. `version` is the settings version that introduced it. */
export const guidelinesVersion = z
  .object({ version, text: z.string(), changed_at: timestamp, changed_by: author })
  .meta({ id: 'GuidelinesVersion' });
export type GuidelinesVersion = z.infer<typeof guidelinesVersion>;

/** `seen_text` is the text that the member saw last; null when it equals the current text. */
export const guidelines = guidelinesVersion
  .extend({ seen_version: version, seen_text: z.string().nullable() })
  .meta({ id: 'Guidelines' });
export type Guidelines = z.infer<typeof guidelines>;

export const readGuidelines = endpointSchemas({
  auth: 'session',
  summary: 'The current guidelines, and the version you saw last',
  params: projectParams,
  reply: guidelines,
});

export const listGuidelinesVersions = endpointSchemas({
  auth: 'session',
  summary: 'Every version of the guidelines, newest first',
  params: projectParams,
  query: z.object({
    /** Cursor: where the last page ended. */
    after: queryInteger(1, 2_147_483_647).optional(),
    limit: queryInteger(1, 50).prefault(20),
  }),
  reply: z.object({ data: z.array(guidelinesVersion), next_cursor: z.string().nullable() }),
});

export const seeGuidelines = endpointSchemas({
  auth: 'session',
  summary: 'Mark a version of the guidelines as seen; an older version than before changes nothing',
  status: 204,
  params: projectParams,
  body: z.strictObject({ version: version.max(2_147_483_647) }),
});

/** What changed in the guidelines of one project since the member saw them. */
export const guidelinesNews = z
  .object({ project_id: uuid, project_name: z.string(), ...guidelines.shape, seen_text: z.string() })
  .meta({ id: 'GuidelinesNews' });
export type GuidelinesNews = z.infer<typeof guidelinesNews>;

export const listGuidelinesNews = endpointSchemas({
  auth: 'session',
  summary: 'Your projects whose guidelines changed since you saw them, oldest change first',
  reply: z.object({ data: z.array(guidelinesNews), next_cursor: z.string().nullable() }),
});
