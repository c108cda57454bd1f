// The package `@countersign/ai-sdk`: tool calls of the AI SDK wait for people.
export { paused, toItems, toResume } from './approvals.ts';
export type { CallToReview, ItemOptions, SubmissionOptions } from './approvals.ts';
export { AlreadyReleasedError, UnknownInterruptError } from './errors.ts';
export { runWithReview } from './run.ts';
export type { Generate, ReviewableAgent, ReviewClient, Reviewed, ReviewOptions, RunInput, RunResult } from './run.ts';
export { fromJson, toJson } from './stored-run.ts';
export type { PausedRun } from './stored-run.ts';
export type { Outcome } from './verdict.ts';
