// A function that asks people for an answer and waits as long as they need, through restarts and deployments.
import { Inngest } from 'inngest';
import { client, isFinal, submitOnce } from './countersign.ts';

export const inngest = new Inngest({ id: 'answers' });

/** Your model. */
async function draftAnswer(question: string): Promise<string> {
  return `A suggested answer to: ${question}`;
}

/** Your mail, chat or shop. It may run twice: give it a key of its own. */
async function sendAnswer(question: string, answer: string): Promise<string> {
  console.log(`${question} ${answer}`);
  return answer;
}

/** Returns the answer that was sent; null when people did not approve one. */
export const answerTicket = inngest.createFunction(
  { id: 'answer-ticket', triggers: [{ event: 'ticket/opened' }] },
  async ({ event, step, runId }) => {
    const question = String(event.data.question);
    const suggestion = await step.run('draft', () => draftAnswer(question));

    // The idempotency key is the ID of the run: a step that is run twice submits once.
    let review = await step.run('submit', async () => {
      const { id, status, decision } = await submitOnce(runId, {
        input: { question },
        suggestion,
        confidence: 0.83,
        metadata: { inngest_run_id: runId },
        deadline_seconds: 2 * 24 * 3600,
      });
      return { id, status, output: decision?.output ?? null };
    });

    // The event is not kept for a function that does not wait yet, so the first look comes soon, the others every hour.
    for (let look = 1; !isFinal(review); look += 1) {
      await step.waitForEvent(`wait-${look}`, {
        event: 'countersign/item.ended',
        if: `async.data.item_id == '${review.id}'`,
        timeout: look === 1 ? '1m' : '1h',
      });
      review = await step.run(`look-${look}`, async () => {
        const { id, status, decision } = await client.item(review.id);
        return { id, status, output: decision?.output ?? null };
      });
    }

    switch (review.status) {
      case 'auto_approved':
      case 'approved': {
        const answer = String(review.output);
        return step.run('send', () => sendAnswer(question, answer));
      }
      default:
        // rejected, escalated_final, expired or withdrawn: nothing is sent.
        return null;
    }
  },
);
