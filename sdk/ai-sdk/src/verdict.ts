// What the outcome of a review means to the agent: the rules are those of the Python adapters.
import type { Decision } from '@countersign/shared/client';

/** How the review of a tool call ended; `decision` is null where no person and no rule decided. */
export interface Outcome {
  readonly itemId: string;
  readonly status: string;
  readonly decision: Decision | null;
}

/** What happens with the call; `message` is what the model is told of a call that does not run. */
export type Verdict =
  | { readonly action: 'approve' }
  | { readonly action: 'edit'; readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly action: 'deny'; readonly message: string };

const REJECTED = 'This tool call was rejected. It was not run.';
const NOT_RUN = new Map([
  ['expired', 'Nobody reviewed this tool call before its deadline. It was not run.'],
  ['withdrawn', 'The review of this tool call was withdrawn. It was not run.'],
  ['escalated_final', 'Reviewers closed this tool call without approving it. It was not run.'],
]);

/** What happens with a call. Without an approval it does not run. */
export function verdictOf({ status, decision }: Outcome): Verdict {
  if (decision?.status === 'approved') {
    if (!decision.edited) return { action: 'approve' };
    return { action: 'edit', arguments: (decision.output as { arguments: Record<string, unknown> }).arguments };
  }
  const words = decision?.response ?? decision?.reason;
  return { action: 'deny', message: words ?? NOT_RUN.get(status) ?? REJECTED };
}
