// A task that asks people for an answer and waits as long as they need, through restarts and deployments.
import { task, wait } from '@trigger.dev/sdk';
import { client, isFinal, submitOnce } from './countersign.ts';

/**
 * Your model. It is a task of its own because every attempt runs the other task from its beginning: another draft would be
 * another item, which the service refuses under the same key.
 */
export const draftAnswer = task({
  id: 'draft-answer',
  run: async ({ question }: { question: string }) => `A suggested answer to: ${question}`,
});

/** Your mail, chat or shop. It may run twice: give it a key of its own. */
async function sendAnswer(question: string, answer: string): Promise<string> {
  console.log(`${question} ${answer}`);
  return answer;
}

/** Returns the answer that was sent; null when people did not approve one. */
export const answerTicket = task({
  id: 'answer-ticket',
  run: async ({ question }: { question: string }, { ctx }) => {
    // The ID of the run is the same for every attempt: it gives the same draft, the same token and the same item.
    const key = ctx.run.id;
    const suggestion = await draftAnswer.triggerAndWait({ question }, { idempotencyKey: key }).unwrap();
    // A little longer than the deadline: should every webhook get lost, the task looks then.
    const token = await wait.createToken({ idempotencyKey: key, timeout: '49h' });
    let review: Pick<Awaited<ReturnType<typeof client.item>>, 'id' | 'status' | 'decision'> = await submitOnce(key, {
      input: { question },
      suggestion,
      confidence: 0.83,
      metadata: { trigger_token: token.id },
      deadline_seconds: 2 * 24 * 3600,
    });

    // The token carries nothing: the task reads its own item.
    if (!isFinal(review)) await wait.forToken(token);
    while (!isFinal(review)) {
      review = await client.item(review.id);
      if (!isFinal(review)) await wait.for({ hours: 1 });
    }

    switch (review.status) {
      case 'auto_approved':
      case 'approved':
        return sendAnswer(question, String(review.decision?.output));
      default:
        // rejected, escalated_final, expired or withdrawn: nothing is sent.
        return null;
    }
  },
});
