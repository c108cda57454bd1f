// Exports of learnings as JSONL: their content, how to resume one, and who exported (docs/spec/dashboard-api.md).
import { z } from 'zod';
import { EXPORT_FORMATS } from '../enums.ts';
import { timestamp, uuid } from './parts/ids.ts';
import { plainText } from './parts/plain-text.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';
import { overrideAction } from './parts/enums.ts';
import { queryInteger } from './parts/query-number.ts';

/** Digits only: other number formats are rejected, and an empty string must not become 0. */
const position = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,15}$/, 'Send a whole number.')
      .transform(Number),
  ])
  .pipe(z.number().int().min(0).max(Number.MAX_SAFE_INTEGER));
const share = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^(\d+|\d*\.\d+)$/, 'Send a number from 0 to 1.')
      .transform(Number),
  ])
  .pipe(z.number().min(0).max(1));

/** Which learnings to export; every field narrows. `reason`, `flag`, `model` and `source` are compared as submitted. */
const exportFields = {
  format: z.enum(EXPORT_FORMATS).default('raw'),
  action: overrideAction.optional(),
  reason: plainText(500).optional(),
  /** Only learnings whose reasons belong to this cluster when the export begins. */
  cluster: uuid.optional(),
  flag: plainText(100).optional(),
  model: plainText(200).optional(),
  source: plainText(200).optional(),
  /** One side of a split by input: the same input is never on both sides. */
  split: z.enum(['train', 'test']).optional(),
  test_share: share.default(0.2),
  /**
   * The position in the project's event log up to which decisions count; the same position gives the same bytes.
   * Default: now.
   */
  through: position.optional(),
};

/** A misspelt field is refused; ignoring it would export everything. */
export const exportFilter = z.strictObject(exportFields);
export type ExportFilter = z.infer<typeof exportFilter>;

const params = z.object({ id: uuid });

export const exportLearnings = endpointSchemas({
  auth: 'session',
  summary: 'Learnings as JSONL, streamed in the order in which their decisions became final',
  description:
    'The `x-export-through` response header holds the position that the export reaches. If the export breaks off, request it again with that value as `through` and the number of complete lines you have as `skip`. Learnings excluded by then have no line. If a `cluster` was reorganized after `through`, the same lines are no longer available and the request is refused.',
  params,
  query: exportFilter.extend({ skip: position.default(0) }),
  /** JSONL, streamed as it is produced. */
  reply: z.string(),
  recordsAccess: true,
});

/** An export that was started. */
export const learningExport = z
  .object({
    id: uuid,
    filter: exportFilter,
    /** The current name of the filter's cluster; null without one. */
    cluster_name: z.string().nullable(),
    /** Number of lines of a completed export; null while it runs or when it broke off. */
    lines: z.number().int().nullable(),
    /** Null for an export from the command line of the server. */
    exported_by_name: z.string().nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'LearningExport' });
export type LearningExport = z.infer<typeof learningExport>;

export const exportPreview = z.object({
  through: z.number().int(),
  lines: z.number().int(),
  /** In UTF-8, including line ends. */
  bytes: z.number().int(),
  /** There are too many learnings to measure all: lines and bytes are estimated from the first ones. */
  estimated: z.boolean(),
  /** The beginning of each line, and its length in characters. */
  first: z.array(z.object({ text: z.string(), length: z.number().int() })),
});
export type ExportPreview = z.infer<typeof exportPreview>;

export const previewExport = endpointSchemas({
  auth: 'session',
  summary: 'The first lines of an export, and how large it is',
  params,
  query: exportFilter,
  reply: exportPreview,
});

export const listExports = endpointSchemas({
  auth: 'session',
  summary: 'Past exports, newest first',
  params,
  query: z.object({
    after: z.string().max(200).optional(),
    limit: queryInteger(1, 100).prefault(20),
  }),
  reply: z.object({ data: z.array(learningExport), next_cursor: z.string().nullable() }),
});
