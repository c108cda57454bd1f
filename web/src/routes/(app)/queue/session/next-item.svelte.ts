// The next item: predicted and prefetched, then claimed, the server's pick or the next row of a filtered view.
import { call, isRefusal, NetworkFailure } from '#lib/api/client.ts';
import { isFiltered, isFree, type QueueState } from '#lib/live/queue/queue-model.ts';
import { claimItem, claimNext, readQueueItem } from '@countersign/shared/routes/queue';
import type { Granted } from '@countersign/shared/schemas/queue';
import type { ItemDetail, ItemRow } from '@countersign/shared/schemas/parts/item';
import { QUEUE_ORDER } from '@countersign/shared/filters/queue-order';
import { clock } from '#lib/time/clock.svelte.ts';
import type { LiveQueue } from '#lib/live/queue/live-queue.svelte.ts';
import type { User } from '@countersign/shared/schemas/session';
import { nextRow } from '../list/row-steps.ts';
import { isForOthers, reservedFor } from '../list/reserved.ts';

const TRIES = 5;
/** A prediction that changes again at once is not requested; after a failure requests pause for a while. Ms. */
const SETTLE_MS = 100;
const AFTER_FAILURE_MS = 5000;

type RowVersion = Pick<ItemRow, 'id' | 'version'>;

/** Lets the server pick, within the listed project; null when nothing is left. */
async function claimServerPick({ queue }: Pick<NextItemContext, 'queue'>): Promise<Granted | null> {
  const { projectId } = queue.state.scope;
  return (await call(claimNext, { body: projectId === null ? {} : { project_id: projectId } })) ?? null;
}

/** The queue and its user, with the items they forwarded: the version each had then. */
export interface NextItemContext {
  readonly queue: LiveQueue;
  readonly me: User;
  readonly forwarded: ReadonlyMap<string, number>;
}

/** Where the list shows everything that waits, the server picks; in a filtered view the next row comes. */
const serverPicks = (state: QueueState): boolean =>
  (state.scope.view === 'available' || state.scope.view === 'all') && !isFiltered(state);

/** The user forwarded it and nobody has changed it since: it waits for somebody else. */
const isForwarded = ({ forwarded }: NextItemContext, row: ItemRow): boolean => forwarded.get(row.id) === row.version;

/** Whether the user's turn has come: others do not get it first (SK4). */
const isTurnOf = ({ me }: Pick<NextItemContext, 'me'>, row: ItemRow): boolean => !isForOthers(row, me.id, clock.read());

/** Whether a row may come after a completed item: it is free and for the user, or the user's own. */
const isCandidateAfter = (done: string, at: NextItemContext) => (row: ItemRow) =>
  row.id !== done &&
  !isForwarded(at, row) &&
  ((isFree(at.queue.state, row) && isTurnOf(at, row)) || row.claim?.user_id === at.me.id);

/**
 * The row that would come after an item, as far as this page knows; null when nothing is left. Mirrors the request of {@link
 * claimAfter}.
 */
export function predict(done: string, at: NextItemContext): ItemRow | null {
  if (!serverPicks(at.queue.state)) return nextRow(at.queue.entries, done, isCandidateAfter(done, at));
  return firstPick(at, (row) => row.id !== done && !isForwarded(at, row));
}

/** The first item the server could pick, as far as this page knows. */
function firstPick({ queue: { state }, me }: NextItemContext, picks: (row: ItemRow) => boolean): ItemRow | null {
  const { projectId } = state.scope;
  const now = clock.read();
  const isOwn = (row: ItemRow): boolean => reservedFor(row, me.id, now)?.mine === true;
  let first: ItemRow | null = null;
  for (const row of state.rows.values()) {
    if (state.saving.has(row.id) || !isFree(state, row) || isForOthers(row, me.id, now) || !picks(row)) continue;
    if (projectId !== null && row.project_id !== projectId) continue;
    if (first === null || picksBefore([row, isOwn(row)], [first, isOwn(first)])) first = row;
  }
  return first;
}

/** The server's order: escalated first, then what is for the user first, then by due time, then oldest. */
const picksBefore = ([a, isOwn]: [ItemRow, boolean], [b, isOtherOwn]: [ItemRow, boolean]): boolean => {
  if (a.status !== b.status) return a.status === 'escalated';
  return isOwn === isOtherOwn ? QUEUE_ORDER.due(a, b) < 0 : isOwn;
};

/** Claims what `next` names; if another user was faster, what it names after that. */
async function claimFirst(next: (lost: readonly string[]) => ItemRow | null): Promise<Granted | null> {
  const lost: string[] = [];
  for (let tries = 0; tries < TRIES; tries++) {
    const row = next(lost);
    if (row === null) return null;
    try {
      return await call(claimItem, { params: { id: row.id } });
    } catch (error) {
      if (!isRefusal(error, ['claim_held', 'already_decided', 'expired'])) throw error;
      lost.push(row.id);
    }
  }
  return null;
}

/** Claims the next row of the list that is free or the user's own. */
export const claimNextRow = (done: string, at: NextItemContext): Promise<Granted | null> =>
  claimFirst((lost) => nextRow(at.queue.entries, lost.at(-1) ?? done, isCandidateAfter(done, at)));

/**
 * The server's choice. It does not know what this user forwarded, and would return that to a user who may decide it: while one
 * waits, the first other item is claimed by id. `only`: null when no other one is known.
 */
async function claimPick(done: string | null, at: NextItemContext, only: boolean): Promise<Granted | null> {
  if (firstPick(at, (row) => isForwarded(at, row)) === null) return claimServerPick(at);
  const other = (row: ItemRow) => row.id !== done && !isForwarded(at, row);
  const granted = await claimFirst((lost) => firstPick(at, (row) => other(row) && !lost.includes(row.id)));
  return granted === null && !only ? claimServerPick(at) : granted;
}

/** Any item on request: the server's choice, or in a filtered list one that matches the filter. */
export const claimAny = (present: string | null, at: NextItemContext): Promise<Granted | null> =>
  isFiltered(at.queue.state) ? claimNextRow(present ?? '', at) : claimPick(null, at, false);

/** After a decision: where the server picks, its next item; in a filtered view, the next row of that view. */
export const claimAfter = (done: string, at: NextItemContext): Promise<Granted | null> =>
  // Beyond the loaded rows only the server knows what waits.
  serverPicks(at.queue.state) ? claimPick(done, at, at.queue.state.complete) : claimNextRow(done, at);

/** The items this user holds, as far as this page knows. */
function heldItemIds({ queue: { state }, me }: Pick<NextItemContext, 'queue' | 'me'>): readonly string[] {
  return [...state.rows.values()].filter((row) => row.claim?.user_id === me.id).map(({ id }) => id);
}

/**
 * Claims an item the server assigned without this page receiving the answer: one that is the user's now, and was not `before`.
 */
const claimUnacknowledged = (before: readonly string[], at: NextItemContext): Promise<Granted | null> =>
  claimFirst((lost) => {
    const id = heldItemIds(at).find((held) => !before.includes(held) && !lost.includes(held));
    return (id !== undefined && at.queue.state.rows.get(id)) || null;
  });

/**
 * Asks the server for an item. One that it assigned before, and whose answer was lost, is the user's without this page knowing:
 * nobody else gets it, so it comes first.
 */
export class ClaimRecovery {
  /** The items the user held before a request whose answer was lost; null when the last one was answered. */
  #heldBefore: readonly string[] | null = null;

  async claim(at: NextItemContext, ask: () => Promise<Granted | null>): Promise<Granted | null> {
    const held = this.#heldBefore ?? heldItemIds(at);
    try {
      const granted = (this.#heldBefore && (await claimUnacknowledged(held, at))) ?? (await ask());
      this.#heldBefore = null;
      return granted;
    } catch (error) {
      if (error instanceof NetworkFailure) this.#heldBefore = held;
      throw error;
    }
  }
}

/** Prefetches one item: reads the predicted next item while the present one is open. */
export class Prefetch {
  /** The content of the item that would come next. */
  ready: ItemDetail | null = $state.raw(null);

  #wanted: RowVersion | null = null;
  #stop: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #notBefore = 0;

  /** Reads the item of this row, one at a time; null discards the content and any running request. */
  want(row: RowVersion | null): void {
    if (row !== null && this.#wanted?.id === row.id && this.#wanted.version >= row.version) return;
    this.#stop?.abort();
    clearTimeout(this.#timer);
    this.#wanted = row;
    this.ready = null;
    if (row === null) return;
    const wait = Math.max(SETTLE_MS, this.#notBefore - performance.now());
    this.#timer = setTimeout(() => void this.#read(row), wait);
  }

  /** The content of this row, if it was read and is not older than the row; null otherwise. */
  of(row: RowVersion | null): ItemDetail | null {
    const { ready } = this;
    return row !== null && ready?.id === row.id && ready.version >= row.version ? ready : null;
  }

  async #read(row: RowVersion): Promise<void> {
    const stop = new AbortController();
    this.#stop = stop;
    try {
      const detail = await call(readQueueItem, { params: { id: row.id }, signal: stop.signal });
      if (stop.signal.aborted) return;
      this.#wanted = detail;
      this.ready = detail;
    } catch {
      if (stop.signal.aborted) return;
      // Without it the next item appears a moment later, as any other does.
      this.#wanted = null;
      this.#notBefore = performance.now() + AFTER_FAILURE_MS;
    }
  }
}
