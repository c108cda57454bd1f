// Learnings and the values they can be filtered by (docs/spec/dashboard-api.md).
import { z } from 'zod';
import { timestamp, uuid } from './parts/ids.ts';
import { json } from './parts/json.ts';
import { learningFilter } from './parts/learning-filter.ts';
import { abilitiesTo, overrideAction } from './parts/enums.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';
import { queryInteger } from './parts/query-number.ts';

const projectParams = z.object({ id: uuid });
const page = { after: z.string().max(200).optional(), limit: queryInteger(1, 100).prefault(50) };

/**
 * A recorded override: what the pipeline suggested, what the reviewer changed it to, and why. `output` is null for a
 * rejection or a response.
 */
export const learning = z
  .object({
    id: uuid,
    item_id: uuid,
    action: overrideAction,
    preview: z.string(),
    title: z.string().nullable(),
    suggestion: json,
    output: json,
    /**
     * How many fields or positions of the suggestion the edit changed; null for a rejection, and for a suggestion
     * without fields.
     */
    changes: z.number().int().nullable(),
    /** Empty where none was given: for a response, or an answer to an item without a suggestion. */
    reason: z.string(),
    note: z.string().nullable(),
    /** The answer in words; null for any other action. */
    response: z.string().nullable(),
    confidence: z.number(),
    risk_flags: z.array(z.string()),
    model: z.string().nullable(),
    source: z.string().nullable(),
    reviewer_id: uuid,
    reviewer_name: z.string(),
    settings_version: z.number().int(),
    /**
     * The settings version of the guidelines that applied at the decision; null for decisions from before this was
     * recorded.
     */
    guidelines_version: z.number().int().nullable(),
    /** Excluded from exports and counts. */
    excluded: z.boolean(),
    created_at: timestamp,
    abilities: abilitiesTo('exclude'),
  })
  .meta({ id: 'Learning' });
export type Learning = z.infer<typeof learning>;

export const listLearnings = endpointSchemas({
  auth: 'session',
  summary: 'Recorded overrides, newest first, optionally filtered or of one cluster',
  params: projectParams,
  query: learningFilter.extend({ ...page, cluster: uuid.optional() }),
  /** `total`: how many match; `excluded`: how many of them are excluded from exports and counts. */
  reply: z.object({
    data: z.array(learning),
    next_cursor: z.string().nullable(),
    total: z.number().int(),
    excluded: z.number().int(),
  }),
});

export const changeLearning = endpointSchemas({
  auth: 'session',
  summary: 'Exclude a learning from exports and counts, or include it again',
  description: 'An export with a cut-off before this change stays the same.',
  params: z.object({ id: uuid, learning_id: uuid }),
  body: z.strictObject({ excluded: z.boolean() }),
  reply: z.object({ id: uuid, excluded: z.boolean() }),
});

export const listReasonCounts = endpointSchemas({
  auth: 'session',
  summary: 'How often reviewers gave each reason of the list in a window (default: the last 30 days)',
  params: projectParams,
  query: z.object({ from: z.iso.datetime().optional(), to: z.iso.datetime().optional() }),
  /** Learnings that count, by the reason as listed now; `other`: those with any other reason. */
  reply: z
    .object({
      from: timestamp,
      to: timestamp,
      reasons: z.array(z.object({ reason: z.string(), count: z.number().int() })),
      other: z.number().int(),
    })
    .meta({ id: 'ReasonCounts' }),
});
export type ReasonCounts = z.infer<NonNullable<typeof listReasonCounts.reply>>;

const valuesGiven = z.array(z.object({ value: z.string(), count: z.number().int() }));

export const listLearningValues = endpointSchemas({
  auth: 'session',
  summary: 'The flags, models and sources among the learnings of a project, most common first',
  params: projectParams,
  reply: z.object({ flags: valuesGiven, models: valuesGiven, sources: valuesGiven }).meta({ id: 'LearningValues' }),
});
export type LearningValues = z.infer<NonNullable<typeof listLearningValues.reply>>;
