// How a client speaks to regression runs: the endpoints, read so that a newer service may say more.
import { z } from 'zod';
import * as api from '../api/regressions.ts';
import { problem } from '../errors.ts';

/** The service is held to its word elsewhere; here it may name faults that this client does not know. */
const [judged, refused] = api.answerResult.options;
export const answerCases = {
  ...api.answerCases,
  reply: z.object({
    results: z.array(
      z.union([judged.strip(), refused.strip().extend({ error: problem.extend({ code: z.string() }) })]),
    ),
  }),
};
export const { listCases, readRegression, startRegression } = api;
export type { PublicCase, PublicRegression, RegressionStart } from '../api/regressions.ts';
export type AnswerReply = z.infer<typeof answerCases.reply>;
