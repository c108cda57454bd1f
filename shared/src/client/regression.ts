// The endpoints of regression runs for the client, parsed so that a newer service may send more.
import { z } from 'zod';
import * as api from '../api/regressions.ts';
import { problem } from '../errors.ts';

/** Other tests check the service strictly; here it may send error codes that this client does not know. */
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
