// Explains a failed call to the user: what happened and what to do.
import { ApiProblem, NetworkFailure } from './client.ts';
import { duration } from '../format/format.ts';

export interface Explanation {
  title: string;
  text: string;
  /** The id to quote when asking for help; null when no answer arrived. */
  requestId: string | null;
}

/** Explains any thrown value. The server's own `detail` takes precedence: it knows what to do. */
export function explain(error: unknown): Explanation {
  if (error instanceof ApiProblem && error.code === 'rate_limited') return slowDown(error);
  if (error instanceof ApiProblem)
    return { title: error.title, text: error.detail || tryAgain(error), requestId: error.request_id };
  if (error instanceof NetworkFailure) {
    const text = 'Check your connection and try again. Nothing you typed is lost.';
    return { title: error.message, text, requestId: null };
  }
  return { title: 'Something went wrong on this page', text: 'Reload the page and try again.', requestId: null };
}

/** RL5: only when to try again. The server's `detail` says the same to programs, in seconds. */
const slowDown = (problem: ApiProblem): Explanation => ({
  title: problem.title,
  text: `Nothing is lost. ${tryAgain(problem)}`,
  requestId: problem.request_id,
});

const tryAgain = ({ retryAfter }: ApiProblem): string =>
  `Try again in ${retryAfter === null ? 'a moment' : duration(retryAfter * 1000)}.`;

/** The faults of a refused form by field: `#/webhook_url` → `webhook_url`; deeper pointers count for their first member. */
export function fieldFaults(error: unknown): Partial<Record<string, string>> {
  if (!(error instanceof ApiProblem)) return {};
  const faults: Partial<Record<string, string>> = {};
  for (const { pointer, detail } of error.errors) {
    const field = decodeURIComponent(pointer.replace(/^#?\//, '').split('/')[0] ?? '');
    faults[field] ??= detail;
  }
  return faults;
}
