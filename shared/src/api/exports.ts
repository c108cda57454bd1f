// Learnings as JSONL: what leaves, how it is resumed, and who took it (docs/spec/dashboard-api.md).
import { z } from 'zod';
import { timestamp, uuid } from '../ids.ts';
import { plainText } from '../filters/queue-filter.ts';
import { endpoint } from './endpoint.ts';

/** `raw`: everything; `chat`: fine-tuning messages; `preference`: the edit preferred over the suggestion; `eval`: cases to test with. */
export const EXPORT_FORMATS = ['raw', 'chat', 'preference', 'eval'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Digits, not what else may be taken for a number: an empty one must not pass for 0. */
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

/** Which learnings, each field narrowing: `reason`, `flag`, `model` and `source` as they were submitted. */
const exportFields = {
  format: z.enum(EXPORT_FORMATS).default('raw'),
  action: z.enum(['edit', 'reject']).optional(),
  reason: plainText(500).optional(),
  /** Only learnings whose reasons stand in this cluster when the export begins. */
  cluster: uuid.optional(),
  flag: plainText(100).optional(),
  model: plainText(200).optional(),
  source: plainText(200).optional(),
  /** One side of a split by the input: the same input is never on both. */
  split: z.enum(['train', 'test']).optional(),
  test_share: share.default(0.2),
  /** The position in the project's ledger up to which decisions count: the same one gives the same bytes. Now, when absent. */
  through: position.optional(),
};

/** A misspelt field is refused: left out, it would let everything through. */
export const exportFilter = z.strictObject(exportFields);
export type ExportFilter = z.infer<typeof exportFilter>;

const params = z.object({ id: uuid });

export const exportLearnings = endpoint({
  method: 'GET',
  path: '/api/projects/:id/learnings/export',
  auth: 'session',
  summary: 'Learnings as JSONL, streamed in the order in which their decisions became final',
  description:
    'The answer says in `x-export-through` up to where it goes. When it breaks off, ask again with that as `through` and with the whole lines you have as `skip`. What was left out by then has no line. Of a `cluster` that was put in order since `through`, the same lines cannot be had again: that is refused.',
  params,
  query: exportFilter.extend({ skip: position.default(0) }),
  /** JSONL, sent as it is made. */
  reply: z.string(),
  recordsAccess: true,
});

/** An export that was begun. */
export const learningExport = z
  .object({
    id: uuid,
    filter: exportFilter,
    /** What the cluster of the filter is called now; null without one. */
    cluster_name: z.string().nullable(),
    /** How many lines it had when it was sent to its end; null before, and when it broke off. */
    lines: z.number().int().nullable(),
    /** Null of an export by command, on the machine of the service. */
    exported_by_name: z.string().nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'LearningExport' });
export type LearningExport = z.infer<typeof learningExport>;

export const exportPreview = z.object({
  through: z.number().int(),
  lines: z.number().int(),
  /** Of UTF-8, line ends included. */
  bytes: z.number().int(),
  /** There are too many to look at all: lines and bytes are reckoned from the first ones. */
  estimated: z.boolean(),
  /** Of each its beginning, and how many characters it has. */
  first: z.array(z.object({ text: z.string(), length: z.number().int() })),
});
export type ExportPreview = z.infer<typeof exportPreview>;

export const previewExport = endpoint({
  method: 'GET',
  path: '/api/projects/:id/learnings/export/preview',
  auth: 'session',
  summary: 'The first lines of an export, and how large it is',
  params,
  query: exportFilter,
  reply: exportPreview,
});

export const listExports = endpoint({
  method: 'GET',
  path: '/api/projects/:id/learnings/exports',
  auth: 'session',
  summary: 'Who exported what, newest first',
  params,
  query: z.object({
    after: z.string().max(200).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(20),
  }),
  reply: z.object({ data: z.array(learningExport), next_cursor: z.string().nullable() }),
});
