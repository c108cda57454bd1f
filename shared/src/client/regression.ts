// The endpoints of regression runs for the client, parsed so that a newer service may send more.
import { z } from 'zod';
import { endpoint } from '../contract/endpoint.ts';
import * as routes from '../routes/regressions.ts';
import * as schemas from '../schemas/regressions.ts';
import { problem } from '../schemas/parts/problem.ts';

/** Other tests check the service strictly; here it may send error codes that this client does not know. */
const [judged, refused] = schemas.answerResult.options;
export const answerCases = {
  ...routes.answerCases,
  reply: z.object({
    results: z.array(
      z.union([judged.strip(), refused.strip().extend({ error: problem.extend({ code: z.string() }) })]),
    ),
  }),
};
export const listCases = endpoint(routes.listCases, schemas.listCases);
export const readRegression = endpoint(routes.readRegression, schemas.readRegression);
export const startRegression = endpoint(routes.startRegression, schemas.startRegression);
export type { PublicCase, PublicRegression, RegressionStart } from '../schemas/regressions.ts';
export type AnswerReply = z.infer<typeof answerCases.reply>;
