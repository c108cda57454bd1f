// The example of a regression run: a new assistant answers again what Anna corrected.
import type { AnswerResult, CaseAnswer, PublicCase, PublicRegression } from '@countersign/shared/schemas/regressions';
import { decidedItem, queuedSubmission } from './examples.ts';
import { problemExample } from './problems.ts';

const RUN = '0198c2f4-0d11-7e42-8b6a-3c5d7e9f1a20';
const CASE = '0198c2f3-55d1-7a28-9c4e-2b3d4f5a6c7e';
const NO_CASE = '0198c2f3-60aa-7b19-8d5f-1a2b3c4d5e6f';

export const start = { cluster_id: '0198c2f3-55d0-7c11-9a80-6f5e4d3c2b1a', title: 'assistant-8' };

export const begun: PublicRegression = {
  id: RUN,
  project_id: decidedItem.project_id,
  title: 'assistant-8',
  cases: 1,
  answered: 0,
  still_fails: 0,
  differs: 0,
  fixed: 0,
  created_at: '2026-03-09T08:00:12.405Z',
};
export const ended: PublicRegression = { ...begun, answered: 1, fixed: 1 };

export const aCase: PublicCase = {
  id: CASE,
  input: queuedSubmission.input,
  metadata: queuedSubmission.metadata ?? null,
};

const suggestion = 'I am sorry about the lamp. Send us a photo within 30 days and we will replace or refund it.';
const answer: CaseAnswer = { case_id: CASE, suggestion, confidence: 0.93 };
export const answers = { items: [answer, { ...answer, case_id: NO_CASE }] };
export const results: AnswerResult[] = [
  { index: 0, case_id: CASE, outcome: 'fixed', status: 'auto_approved' },
  { index: 1, error: problemExample('not_found', `/api/public/regressions/${RUN}/answers`) },
];
