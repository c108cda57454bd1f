// A workflow that asks people for an answer and waits as long as they need, through restarts of its worker.
import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type * as activities from './activities.ts';

const { draftAnswer, submitForReview, readReview, withdrawReview, sendAnswer } = proxyActivities<typeof activities>({
  startToCloseTimeout: '1 minute',
});

/** The receiver sends it when the item is final. It carries nothing: the workflow reads its own item. */
export const reviewEnded = defineSignal('reviewEnded');

/** Resolves with the answer that was sent; null when people did not approve one. */
export async function answerTicket(question: string): Promise<string | null> {
  let signals = 0;
  setHandler(reviewEnded, () => void (signals += 1));

  const { workflowId } = workflowInfo();
  const suggestion = await draftAnswer(question);
  let review = await submitForReview({ workflowId, question, suggestion });
  try {
    while (!review.final) {
      const seen = signals;
      review = await readReview(review.id);
      // Once an hour it looks without a signal: no lost webhook can stop it for good.
      if (!review.final) await condition(() => signals > seen, '1 hour');
    }
  } catch (error) {
    // The workflow was cancelled: nobody needs the answer any more.
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => withdrawReview(review.id));
    throw error;
  }

  switch (review.status) {
    case 'auto_approved':
    case 'approved':
      return sendAnswer({ question, answer: String(review.output) });
    default:
      // rejected, escalated_final, expired or withdrawn: nothing is sent.
      return null;
  }
}
