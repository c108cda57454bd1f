// Which item comes next, and the claim on it: the server's choice, or the next line of a narrower view.
import { ApiProblem, call } from '#lib/api.ts';
import { isFree } from '#lib/live/queue-model.ts';
import { claimItem, claimNext, type Granted } from '@countersign/shared/api/queue';
import type { ErrorCode } from '@countersign/shared/errors';
import type { ItemRow } from '@countersign/shared/item';
import type { Parts } from './decider.ts';
import { nextLine } from './desk-model.ts';

const TRIES = 5;

/** Whether an error is one of these refusals. */
export const isRefusal = (error: unknown, codes: readonly ErrorCode[]): error is ApiProblem =>
  error instanceof ApiProblem && codes.includes(error.code);

/** Lets the server pick, within the project that is listed; null when nothing is left. */
export async function takeServersChoice({ queue }: Pick<Parts, 'queue'>): Promise<Granted | null> {
  const { projectId } = queue.state.scope;
  return (await call(claimNext, { body: projectId === null ? {} : { project_id: projectId } })) ?? null;
}

/** Takes the next line of the list that is free or the reader's own; when another was faster, the one after it. */
export async function takeLineAfter(done: string, { queue, me }: Pick<Parts, 'queue' | 'me'>): Promise<Granted | null> {
  const takes = (row: ItemRow) => row.id !== done && (isFree(queue.state, row) || row.claim?.user_id === me.id);
  let after = done;
  for (let tries = 0; tries < TRIES; tries++) {
    const row = nextLine(queue.entries, after, takes);
    if (row === null) return null;
    try {
      return await call(claimItem, { params: { id: row.id } });
    } catch (error) {
      if (!isRefusal(error, ['claim_held', 'already_decided'])) throw error;
      after = row.id;
    }
  }
  return null;
}

/** After a decision: where the server picks, its next; in a narrower view, the next line of that view. */
export function takeAfter(done: string, parts: Parts): Promise<Granted | null> {
  const { view } = parts.queue.state.scope;
  return view === 'available' || view === 'all' ? takeServersChoice(parts) : takeLineAfter(done, parts);
}
