// Regression runs: the inputs of a cluster answered anew by a pipeline, dry, to see which learnings would still fail (rule RS).
import { z } from 'zod';
import { problem } from '../errors.ts';
import { timestamp, uuid } from '../ids.ts';
import { anyJson, json } from '../json/json.ts';
import { learningFilter } from '../filters/learning-filter.ts';
import { plainText } from '../filters/queue-filter.ts';
import { itemStatus, outcome, OUTCOMES } from '../enums.ts';
import { endpoint } from './endpoint.ts';
import { LIMITS, submission } from './public.ts';

/** A run has so many cases at most: the newest. */
export const MAX_CASES = 10_000;

const count = (description: string) => z.number().int().meta({ description });

/** How a run stands. What is not answered yet is in none of the three. */
const tally = {
  cases: count('How many learnings it goes over'),
  answered: count('How many of them have an answer'),
  still_fails: count('Answered as before, which a person edited or rejected'),
  differs: count('Answered otherwise than before and than the correction: a person has to look'),
  fixed: count('Answered as the correction has it'),
};

const title = plainText(100).trim().min(1);

const keyHeader = z.string().min(1).max(257).optional().meta({
  description:
    'Makes a repeat safe: the same key with the same body is answered with the run that was begun, as it is now, and `Idempotent-Replayed: true`. 1 to 255 printable ASCII characters, bare or in double quotes.',
});

const beginning = {
  ...learningFilter.pick({ action: true, flag: true, model: true, source: true }).shape,
  cluster_id: uuid.optional().meta({ description: 'Only learnings of this cluster of reasons; all, when absent' }),
  title: title.optional().meta({ description: 'What the run is called, such as the version that is tried' }),
};

export const publicRegression = z
  .object({
    id: uuid,
    project_id: uuid,
    title: z.string().nullable().meta({ description: 'What the run is called; null when it has no name' }),
    ...tally,
    created_at: timestamp.meta({ description: 'When it was begun (ISO 8601, UTC)' }),
  })
  .meta({ id: 'Regression', description: 'A regression run: what its answers come to so far' });
export type PublicRegression = z.infer<typeof publicRegression>;

const params = z.object({ id: uuid.meta({ description: 'The id of the run' }) });

export const regressionStart = z
  .strictObject({
    ...beginning,
    action: beginning.action.meta({ description: 'Only edits, or only rejections' }),
    flag: beginning.flag.meta({ description: 'Only items with this risk flag, as it was submitted' }),
    model: beginning.model.meta({ description: 'Only items of this model' }),
    source: beginning.source.meta({ description: 'Only items of this source' }),
  })
  .meta({ id: 'RegressionStart' });
export type RegressionStart = z.infer<typeof regressionStart>;

export const startRegression = endpoint({
  method: 'POST',
  path: '/api/public/regressions',
  auth: 'api_key',
  scope: 'submit',
  summary: 'Begin a regression run over what people edited or rejected',
  description: `A dry run: its answers are judged, and nothing is queued, decided or delivered. It goes over the learnings as they are now, the newest ${MAX_CASES} at most. Each of them counts as a request.`,
  status: 201,
  headers: z.object({ 'idempotency-key': keyHeader }),
  body: regressionStart,
  reply: publicRegression,
  errors: ['forbidden', 'not_found', 'idempotency_key_reused'],
});

export const readRegression = endpoint({
  method: 'GET',
  path: '/api/public/regressions/:id',
  auth: 'api_key',
  scope: 'read',
  summary: 'How a regression run stands',
  params,
  reply: publicRegression,
  errors: ['not_found'],
});

export const publicCase = z
  .object({
    id: uuid.meta({ description: 'The id of the case, to answer it' }),
    input: anyJson('As it was submitted, byte for byte'),
    metadata: z.record(z.string(), json).nullable().meta({ description: 'As it was submitted, byte for byte' }),
  })
  .meta({
    id: 'RegressionCase',
    description: 'What the pipeline is asked; neither its old suggestion nor the correction',
  });
export type PublicCase = z.infer<typeof publicCase>;

export const listCases = endpoint({
  method: 'GET',
  path: '/api/public/regressions/:id/cases',
  auth: 'api_key',
  scope: 'read',
  summary: 'The inputs of a regression run',
  description: 'In pages, always in the same order: send `next_cursor` as `after` until `has_more` is false.',
  params,
  query: z.strictObject({
    unanswered: z
      .enum(['true'])
      .optional()
      .meta({ description: 'Only those without an answer, to go on after a break' }),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(LIMITS.pageItems)
      .default(LIMITS.pageItems)
      .meta({ description: 'How many a page has at most; fewer when they are large' }),
    after: z.string().optional().meta({ description: 'The `next_cursor` of the page before' }),
  }),
  reply: z
    .object({
      data: z.array(publicCase),
      has_more: z.boolean().meta({ description: 'Whether there is another page now' }),
      next_cursor: z
        .string()
        .nullable()
        .meta({ description: 'Send it as `after` to go on from here; null at the end' }),
    })
    .meta({ id: 'RegressionCasePage' }),
  errors: ['invalid_cursor', 'not_found'],
});

/** A new suggestion for a case, as a submission has it. */
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
      .meta({ description: 'Each is checked by itself: one that is refused does not sink the others' }),
  })
  .meta({ id: 'CaseAnswerBatch', description: `At most ${LIMITS.batchBytes / 1024 / 1024} MiB` });

const index = z.number().int().min(0).meta({ description: 'The place of the answer in the request, from 0' });

export const answerResult = z
  .union([
    z.strictObject({
      index,
      case_id: uuid,
      outcome: outcome.meta({ description: 'What the new suggestion makes of the learning' }),
      status: itemStatus.meta({ description: 'Where it would go by the routing of the project as it is now' }),
    }),
    z.strictObject({ index, error: problem }),
  ])
  .meta({ id: 'CaseResult', description: 'What became of the answer, or why it was refused' });
export type AnswerResult = z.infer<typeof answerResult>;

export const answerCases = endpoint({
  method: 'POST',
  path: '/api/public/regressions/:id/answers',
  auth: 'api_key',
  scope: 'submit',
  summary: 'Answer up to 500 cases of a regression run with new suggestions',
  description:
    'Nothing is queued, decided or delivered. Answering a case again replaces its answer, so a request can be sent again without harm.',
  params,
  body: answerBatch,
  reply: z.strictObject({ results: z.array(answerResult) }).meta({ id: 'CaseResults' }),
  errors: ['forbidden', 'not_found'],
});

/** A run as people see it. */
export const regression = z
  .object({
    id: uuid,
    title: z.string().nullable(),
    /** What it goes over of the cluster, or of all; null of a run from before this was kept. */
    filter: learningFilter.omit({ excluded: true }).nullable(),
    ...tally,
    /** Of those that still fail, how many would have been approved by themselves. */
    unnoticed: z.number().int(),
    started_by_name: z.string(),
    /** The key that answered last, and when. */
    answered_by_name: z.string().nullable(),
    answered_at: timestamp.nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'RegressionRun' });
export type Regression = z.infer<typeof regression>;

const ofProject = z.object({ id: uuid });

export const beginRegression = endpoint({
  method: 'POST',
  path: '/api/projects/:id/regressions',
  auth: 'session',
  summary: 'Begin a regression run over a cluster, or over what answers a filter',
  status: 201,
  params: ofProject,
  headers: z.object({ 'idempotency-key': keyHeader }),
  body: z.strictObject({ ...beginning, since: learningFilter.shape.since, text: learningFilter.shape.text }),
  reply: regression,
});

export const listRegressions = endpoint({
  method: 'GET',
  path: '/api/projects/:id/regressions',
  auth: 'session',
  summary: 'Regression runs, newest first; of one cluster and what was merged into it, or of no cluster at all',
  params: ofProject,
  query: z.object({
    cluster: uuid.optional(),
    after: z.string().max(200).optional(),
    limit: z.coerce.number().int().min(1).max(50).default(10),
  }),
  reply: z.object({ data: z.array(regression), next_cursor: z.string().nullable() }),
});

/** What can be looked for among the cases. */
export const CASE_STATES = [...OUTCOMES, 'unanswered'] as const;
export type CaseState = (typeof CASE_STATES)[number];

export const regressionCase = z
  .object({
    /** Of the learning. */
    id: uuid,
    item_id: uuid,
    action: z.enum(['edit', 'reject']),
    reason: z.string(),
    preview: z.string(),
    /** What was suggested then, what a person made of it, and what is suggested now. */
    suggestion: json,
    output: json,
    answer: json,
    outcome: outcome.nullable(),
    confidence: z.number().nullable(),
    risk_flags: z.array(z.string()).nullable(),
    /** Where it would go. */
    status: itemStatus.nullable(),
    answered_by_name: z.string().nullable(),
    answered_at: timestamp.nullable(),
  })
  .meta({ id: 'RegressionCaseSeen' });
export type RegressionCase = z.infer<typeof regressionCase>;

export const listRegressionCases = endpoint({
  method: 'GET',
  path: '/api/projects/:id/regressions/:regression_id/cases',
  auth: 'session',
  summary: 'The cases of a regression run: what was suggested then and now, and what came of it',
  params: z.object({ id: uuid, regression_id: uuid }),
  query: z.object({
    state: z.enum(CASE_STATES).optional(),
    after: z.string().max(200).optional(),
    limit: z.coerce.number().int().min(1).max(50).default(20),
  }),
  reply: z.object({ run: regression, data: z.array(regressionCase), next_cursor: z.string().nullable() }),
});
