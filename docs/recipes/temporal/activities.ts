// The activities of the workflow: everything that talks to another service.
import { ApiError, type Json } from '@countersign/client';
import { ApplicationFailure } from '@temporalio/activity';
import { client, isFinal, submitOnce, withdraw } from './countersign.ts';

/** What the workflow keeps of an item in its history. */
export interface Review {
  id: string;
  status: string;
  final: boolean;
  output: Json;
}

/** Your model. */
export async function draftAnswer(question: string): Promise<string> {
  return `A suggested answer to: ${question}`;
}

/** The idempotency key is the ID of the workflow: an activity that is run twice submits once. */
export async function submitForReview(given: {
  workflowId: string;
  question: string;
  suggestion: string;
}): Promise<Review> {
  const { workflowId, question, suggestion } = given;
  const submitted = submitOnce(workflowId, {
    input: { question },
    suggestion,
    confidence: 0.83,
    metadata: { temporal_workflow_id: workflowId },
    deadline_seconds: 2 * 24 * 3600,
  });
  const { id, status, decision } = await submitted.catch(refused);
  return { id, status, final: isFinal({ status }), output: decision?.output ?? null };
}

/** A refusal that no repeat can change fails the workflow. Temporal retries everything else. */
function refused(error: unknown): never {
  if (error instanceof ApiError && !error.temporary) throw ApplicationFailure.nonRetryable(error.message, error.code);
  throw error;
}

export async function readReview(id: string): Promise<Review> {
  const { status, decision } = await client.item(id);
  return { id, status, final: isFinal({ status }), output: decision?.output ?? null };
}

export function withdrawReview(id: string): Promise<void> {
  return withdraw(id, 'The workflow was cancelled.');
}

/** Your mail, chat or shop. It may run twice: give it a key of its own. */
export async function sendAnswer({ question, answer }: { question: string; answer: string }): Promise<string> {
  console.log(`${question} ${answer}`);
  return answer;
}
