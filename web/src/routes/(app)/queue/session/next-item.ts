// Which item comes next, and the claim on it: the server's choice, or the next line of a narrower view.
import { ApiProblem, call } from '#lib/api/client.ts';
import { compareRows, filterOf, isFree, type QueueState } from '#lib/live/queue/queue-model.ts';
import { claimItem, claimNext, type Granted } from '@countersign/shared/api/queue';
import type { ErrorCode } from '@countersign/shared/errors';
import type { ItemRow } from '@countersign/shared/item';
import { isUnfiltered } from '@countersign/shared/filters/queue-filter';
import type { Parts } from './decision-sender.ts';
import { nextLine } from './review-rules.ts';

const TRIES = 5;

/** Whether an error is one of these refusals. */
export const isRefusal = (error: unknown, codes: readonly ErrorCode[]): error is ApiProblem =>
  error instanceof ApiProblem && codes.includes(error.code);

/** Lets the server pick, within the project that is listed; null when nothing is left. */
async function claimServerPick({ queue }: Pick<Parts, 'queue'>): Promise<Granted | null> {
  const { projectId } = queue.state.scope;
  return (await call(claimNext, { body: projectId === null ? {} : { project_id: projectId } })) ?? null;
}

/** The queue and its reader, with what they passed on to others: the version each item had then. */
export interface NextItemContext extends Pick<Parts, 'queue' | 'me'> {
  readonly forwarded: ReadonlyMap<string, number>;
}

const isFiltered = ({ scope }: QueueState): boolean => !isUnfiltered(filterOf(scope));

/** Where the list is the whole of what waits the server picks; in a narrower view the next line of it comes. */
const serverPicks = (state: QueueState): boolean =>
  (state.scope.view === 'available' || state.scope.view === 'all') && !isFiltered(state);

/** This reader passed it on and nobody has touched it since: it waits for somebody else. */
const isForwarded = ({ forwarded }: NextItemContext, row: ItemRow): boolean => forwarded.get(row.id) === row.version;

/** Whether a line comes after one that is done: it is free, or the reader's own. */
const isCandidateAfter = (done: string, at: NextItemContext) => (row: ItemRow) =>
  row.id !== done && !isForwarded(at, row) && (isFree(at.queue.state, row) || row.claim?.user_id === at.me.id);

/** The row that would come after an item, as far as this page knows; null when nothing is left. Mirrors what {@link takeAfter} asks for. */
export function predict(done: string, at: NextItemContext): ItemRow | null {
  if (!serverPicks(at.queue.state)) return nextLine(at.queue.entries, done, isCandidateAfter(done, at));
  return firstPick(at, (row) => row.id !== done && !isForwarded(at, row));
}

/** The first of what the server could pick, as far as this page knows. */
function firstPick({ queue: { state } }: NextItemContext, picks: (row: ItemRow) => boolean): ItemRow | null {
  const { projectId } = state.scope;
  let first: ItemRow | null = null;
  for (const row of state.rows.values()) {
    if (state.saving.has(row.id) || !isFree(state, row) || !picks(row)) continue;
    if (projectId !== null && row.project_id !== projectId) continue;
    if (first === null || picksBefore(row, first)) first = row;
  }
  return first;
}

/** The server's order: escalated first, then by due time, then oldest. */
const picksBefore = (a: ItemRow, b: ItemRow): boolean =>
  a.status === b.status ? compareRows(a, b) < 0 : a.status === 'escalated';

/** Takes what `next` names; when another was faster, what it names after that one. */
async function claimFirst(next: (lost: readonly string[]) => ItemRow | null): Promise<Granted | null> {
  const lost: string[] = [];
  for (let tries = 0; tries < TRIES; tries++) {
    const row = next(lost);
    if (row === null) return null;
    try {
      return await call(claimItem, { params: { id: row.id } });
    } catch (error) {
      if (!isRefusal(error, ['claim_held', 'already_decided'])) throw error;
      lost.push(row.id);
    }
  }
  return null;
}

/** Takes the next line of the list that is free or the reader's own. */
export const claimNextRow = (done: string, at: NextItemContext): Promise<Granted | null> =>
  claimFirst((lost) => nextLine(at.queue.entries, lost.at(-1) ?? done, isCandidateAfter(done, at)));

/**
 * The server's choice. It does not know what this reader passed on, and would hand that back to one who may decide it:
 * while such a one waits, the first other one is taken by name. `only`: with no other one known, null.
 */
async function claimPick(done: string | null, at: NextItemContext, only: boolean): Promise<Granted | null> {
  if (firstPick(at, (row) => isForwarded(at, row)) === null) return claimServerPick(at);
  const other = (row: ItemRow) => row.id !== done && !isForwarded(at, row);
  const granted = await claimFirst((lost) => firstPick(at, (row) => other(row) && !lost.includes(row.id)));
  return granted === null && !only ? claimServerPick(at) : granted;
}

/** What a reader gets who asks for any item: the server's choice, or where the list is filtered one that answers the filter. */
export const claimAny = (present: string | null, at: NextItemContext): Promise<Granted | null> =>
  isFiltered(at.queue.state) ? claimNextRow(present ?? '', at) : claimPick(null, at, false);

/** After a decision: where the server picks, its next; in a narrower view, the next line of that view. */
export const claimAfter = (done: string, at: NextItemContext): Promise<Granted | null> =>
  // Beyond what is loaded only the server knows what waits.
  serverPicks(at.queue.state) ? claimPick(done, at, at.queue.state.complete) : claimNextRow(done, at);

/** The items this reader holds, as far as this page knows. */
export function heldItemIds({ queue: { state }, me }: Pick<Parts, 'queue' | 'me'>): ReadonlySet<string> {
  return new Set([...state.rows.values()].filter((row) => row.claim?.user_id === me.id).map(({ id }) => id));
}

/** Takes into hand what the server gave this reader without their page hearing of it: what is theirs now, and was not `before`. */
export const claimUnacknowledged = (before: ReadonlySet<string>, at: NextItemContext): Promise<Granted | null> =>
  claimFirst((lost) => {
    const id = [...heldItemIds(at)].find((held) => !before.has(held) && !lost.includes(held));
    return (id !== undefined && at.queue.state.rows.get(id)) || null;
  });
