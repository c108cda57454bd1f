// Regression runs: a pipeline answers the inputs of a cluster again, to see which would still fail (RS).
import { z } from 'zod';
import { CASE_STATES } from '../enums.ts';
import { MAX_CASES, LIMITS } from '../limits.ts';
import { problem } from './parts/problem.ts';
import { timestamp, uuid } from './parts/ids.ts';
import { answerFault, anyJson, json } from './parts/json.ts';
import { learningFilter } from './parts/learning-filter.ts';
import { plainText } from './parts/plain-text.ts';
import { itemKind, itemStatus, outcome, overrideAction } from './parts/enums.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';
import { idempotencyHeader } from './parts/idempotency-key.ts';
import { queryInteger } from './parts/query-number.ts';
import { pageCursor, submission } from './public.ts';

const count = (description: string) => z.number().int().meta({ description });

/** The result counts of a run. Unanswered cases are in none of the three. */
const tally = {
  cases: count('Number of learnings in the run'),
  answered: count('Number of learnings with an answer'),
  still_fails: count(
    'Same answer as before, which a reviewer edited, rejected or answered in words, or one that does not satisfy its schema',
  ),
  differs: count('Differs from both the earlier answer and the correction: needs human review'),
  fixed: count('Equals the correction'),
};

const title = plainText(100).trim().min(1);

const keyHeader = idempotencyHeader(
  'Makes a request safe to repeat: the same key with the same body returns the existing run in its current state, and `Idempotent-Replayed: true`.',
);

const beginning = {
  ...learningFilter.pick({ action: true, flag: true, model: true, source: true }).shape,
  cluster_id: uuid.optional().meta({ description: 'Only learnings of this cluster of reasons; all when absent' }),
  title: title.optional().meta({ description: 'The name of the run, such as the version under test' }),
};

export const publicRegression = z
  .object({
    id: uuid,
    project_id: uuid,
    title: z.string().nullable().meta({ description: 'The name of the run; null without one' }),
    ...tally,
    created_at: timestamp.meta({ description: 'When it was started (ISO 8601, UTC)' }),
  })
  .meta({ id: 'Regression', description: 'A regression run with its current results' });
export type PublicRegression = z.infer<typeof publicRegression>;

const params = z.object({ id: uuid.meta({ description: 'The ID of the run' }) });

export const regressionStart = z
  .strictObject({
    ...beginning,
    action: beginning.action.meta({ description: 'Only edits, only rejections, or only responses' }),
    flag: beginning.flag.meta({ description: 'Only items with this risk flag, as submitted' }),
    model: beginning.model.meta({ description: 'Only items of this model' }),
    source: beginning.source.meta({ description: 'Only items of this source' }),
  })
  .meta({ id: 'RegressionStart' });
export type RegressionStart = z.infer<typeof regressionStart>;

export const startRegression = endpointSchemas({
  auth: 'api_key',
  scope: 'submit',
  summary: 'Start a regression run over items that reviewers edited, rejected or answered in words',
  description: `A dry run: its answers are judged, and nothing is queued, decided or delivered. It covers the current learnings, the newest ${MAX_CASES} at most. Each case counts as a request for the rate limit.`,
  status: 201,
  headers: z.object({ 'idempotency-key': keyHeader }),
  body: regressionStart,
  reply: publicRegression,
  errors: ['forbidden', 'not_found', 'idempotency_key_reused'],
});

export const readRegression = endpointSchemas({
  auth: 'api_key',
  scope: 'read',
  summary: 'Status of a regression run',
  params,
  reply: publicRegression,
  errors: ['not_found'],
});

export const publicCase = z
  .object({
    id: uuid.meta({ description: 'The ID of the case, for answering it' }),
    input: anyJson('As submitted, byte for byte'),
    metadata: z.record(z.string(), json).nullable().meta({ description: 'As submitted, byte for byte' }),
    kind: itemKind.optional().meta({ description: 'Absent where it is `answer`' }),
    answer_schema: json.optional().meta({ description: 'The schema that the answer must satisfy; absent without one' }),
  })
  .meta({
    id: 'RegressionCase',
    description: 'The input for the pipeline, without the old suggestion and the correction',
  });
export type PublicCase = z.infer<typeof publicCase>;

export const listCases = endpointSchemas({
  auth: 'api_key',
  scope: 'read',
  summary: 'The inputs of a regression run',
  description: 'Paginated, always in the same order: send `next_cursor` as `after` until `has_more` is false.',
  params,
  query: z.strictObject({
    unanswered: z
      .enum(['true'])
      .optional()
      .meta({ description: 'Only unanswered cases, to continue after an interruption' }),
    limit: queryInteger(1, LIMITS.pageItems)
      .prefault(LIMITS.pageItems)
      .meta({ description: 'Page size limit; pages with large cases contain fewer' }),
    after: pageCursor('The `next_cursor` of the previous page'),
  }),
  reply: z
    .object({
      data: z.array(publicCase),
      has_more: z.boolean().meta({ description: 'Whether another page exists now' }),
      next_cursor: z
        .string()
        .nullable()
        .meta({ description: 'Send it as `after` to get the next page; null at the end' }),
    })
    .meta({ id: 'RegressionCasePage' }),
  errors: ['invalid_cursor', 'not_found'],
});

/** A new suggestion for a case, as in a submission. */
export const caseAnswer = z
  .strictObject({ case_id: uuid, ...submission.pick({ suggestion: true, confidence: true, risk_flags: true }).shape })
  .meta({ id: 'CaseAnswer', description: `At most ${LIMITS.itemBytes / 1024} KiB` });
export type CaseAnswer = z.infer<typeof caseAnswer>;

export const answerBatch = z
  .strictObject({
    items: z
      .array(z.unknown())
      .min(1)
      .max(LIMITS.batchItems)
      .meta({ description: 'Each answer is validated separately: invalid answers do not block the others' }),
  })
  .meta({ id: 'CaseAnswerBatch', description: `At most ${LIMITS.batchBytes / 1024 / 1024} MiB` });

const index = z.number().int().min(0).meta({ description: 'The index of the answer in the request, from 0' });

export const answerResult = z
  .union([
    z.strictObject({
      index,
      case_id: uuid,
      outcome: outcome.meta({ description: 'How the new suggestion compares with the learning' }),
      status: itemStatus.meta({ description: 'The routing that the current settings of the project would choose' }),
      faults: z
        .array(answerFault)
        .optional()
        .meta({ description: 'Why the answer does not satisfy its schema: it fails; absent where it does' }),
    }),
    z.strictObject({ index, error: problem }),
  ])
  .meta({ id: 'CaseResult', description: 'The result of the answer, or why it was refused' });
export type AnswerResult = z.infer<typeof answerResult>;

export const answerCases = endpointSchemas({
  auth: 'api_key',
  scope: 'submit',
  summary: 'Answer up to 500 cases of a regression run with new suggestions',
  description:
    'Nothing is queued, decided or delivered. A new answer to a case replaces the previous one, so requests can be repeated safely.',
  params,
  body: answerBatch,
  reply: z.strictObject({ results: z.array(answerResult) }).meta({ id: 'CaseResults' }),
  errors: ['forbidden', 'not_found'],
});

/** A regression run as the dashboard shows it. */
export const regression = z
  .object({
    id: uuid,
    title: z.string().nullable(),
    /** Which learnings of the cluster, or of all, it covers; null for a run from before this was recorded. */
    filter: learningFilter.omit({ excluded: true }).nullable(),
    ...tally,
    /** Of the cases that still fail, how many would have been auto-approved. */
    unnoticed: z.number().int(),
    started_by_name: z.string(),
    /** The API key that answered last, and when. */
    answered_by_name: z.string().nullable(),
    answered_at: timestamp.nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'RegressionRun' });
export type Regression = z.infer<typeof regression>;

const ofProject = z.object({ id: uuid });

export const beginRegression = endpointSchemas({
  auth: 'session',
  summary: 'Start a regression run over a cluster or a filter',
  status: 201,
  params: ofProject,
  headers: z.object({ 'idempotency-key': keyHeader }),
  body: z.strictObject({ ...beginning, since: learningFilter.shape.since, text: learningFilter.shape.text }),
  reply: regression,
});

export const listRegressions = endpointSchemas({
  auth: 'session',
  summary: 'Regression runs, newest first: of one cluster including merged ones, or without a cluster',
  params: ofProject,
  query: z.object({
    cluster: uuid.optional(),
    after: z.string().max(200).optional(),
    limit: queryInteger(1, 50).prefault(10),
  }),
  reply: z.object({ data: z.array(regression), next_cursor: z.string().nullable() }),
});

export const regressionCase = z
  .object({
    /** The ID of the learning. */
    id: uuid,
    item_id: uuid,
    action: overrideAction,
    reason: z.string(),
    preview: z.string(),
    title: z.string().nullable(),
    /** The original suggestion, the reviewer's correction, and the new suggestion. */
    suggestion: json,
    output: json,
    answer: json,
    outcome: outcome.nullable(),
    /** Why the new suggestion does not satisfy its schema; null where it does. */
    faults: z.array(answerFault).nullable(),
    confidence: z.number().nullable(),
    risk_flags: z.array(z.string()).nullable(),
    /** The status that routing would assign. */
    status: itemStatus.nullable(),
    answered_by_name: z.string().nullable(),
    answered_at: timestamp.nullable(),
  })
  .meta({ id: 'RegressionCaseSeen' });
export type RegressionCase = z.infer<typeof regressionCase>;

export const listRegressionCases = endpointSchemas({
  auth: 'session',
  summary: 'The cases of a regression run: old and new suggestion, and the result',
  params: z.object({ id: uuid, regression_id: uuid }),
  query: z.object({
    state: z.enum(CASE_STATES).optional(),
    after: z.string().max(200).optional(),
    limit: queryInteger(1, 50).prefault(20),
  }),
  reply: z.object({ run: regression, data: z.array(regressionCase), next_cursor: z.string().nullable() }),
});
