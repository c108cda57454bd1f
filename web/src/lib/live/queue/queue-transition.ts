// The mutable working copy of one transition of the live queue, and its basic operations.
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import { QUEUE_ORDER } from '@countersign/shared/filters/queue-order';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import {
  belongs,
  isWithinHorizon,
  isFree,
  isLoaded,
  sortOf,
  type Counts,
  type RowRemoval,
  type QueueState,
} from './queue-model.ts';

type Mutable<T> = T extends ReadonlyMap<infer K, infer V> ? Map<K, V> : T extends ReadonlySet<infer V> ? Set<V> : T;

/** A state that a transition may change; it never leaves the reducer. */
export type Draft = { -readonly [K in keyof QueueState]: Mutable<QueueState[K]> };

/** The shortest display time of a tombstone, in milliseconds. */
const TOMBSTONE_MS = 4000;
/** How many removed items retain their version; late events about older ones have long been refused by `seq`. */
const MAX_VERSIONS = 1000;
/** Rows of a list that has grown too long are dropped from the end, down to the second number. */
const MAX_ROWS = 2500;
const ROWS_AFTER_TRIM = 1500;

/** Runs one transition on a copy and closes it: the order is rebuilt only if the set of rows or their sort changed. */
export function transition(state: QueueState, mutate: (draft: Draft) => void): QueueState {
  const draft: Draft = {
    ...state,
    supervised: new Set(state.supervised),
    seqs: new Map(state.seqs),
    rows: new Map(state.rows),
    versions: new Map(state.versions),
    shown: new Map(state.shown),
    tombstones: new Map(state.tombstones),
    heldBack: new Set(state.heldBack),
    saving: new Map(state.saving),
  };
  mutate(draft);
  if (draft.rows.size > MAX_ROWS) trimRows(draft);
  const sort = sortOf(draft.scope);
  const same = draft.shown.size === state.shown.size && state.order.every((id) => draft.shown.has(id));
  if (!same || sort !== sortOf(state.scope))
    draft.order = [...draft.shown.values()].sort(QUEUE_ORDER[sort]).map((row) => row.id);
  return draft;
}

/** Whether a version of an item is newer than the known one. */
export function isNewer(draft: Draft, id: string, version: number): boolean {
  const known = draft.rows.get(id)?.version ?? draft.versions.get(id) ?? 0;
  return version > known;
}

/** What the actor of an event did, for the text of a tombstone. */
export const removalOf = (draft: Draft, event: DomainEvent, what: RowRemoval['what']): RowRemoval => ({
  what,
  by: event.actor.name,
  mine: event.actor.id === draft.me,
  at: event.server_time,
  undoUntil: null,
});

/** Stores a waiting item as it is now. An item beyond the loaded part is only counted. */
export function putRow(draft: Draft, row: ItemRow, removal: RowRemoval): void {
  // It waits again: later events count.
  draft.versions.delete(row.id);
  if (!draft.rows.has(row.id) && !isLoaded(draft, row)) {
    countUnloaded(draft, {
      all: 1,
      available: isFree(draft, row) ? 1 : 0,
      escalated: row.status === 'escalated' ? 1 : 0,
    });
    return;
  }
  draft.rows.set(row.id, row);
  updateRow(draft, row.id, removal);
}

/** Removes an item that no longer waits. */
export function dropRow(
  draft: Draft,
  id: string,
  { version, removal }: { version: number; removal: RowRemoval },
): void {
  draft.rows.delete(id);
  draft.versions.set(id, version);
  const [oldest] = draft.versions.keys();
  if (draft.versions.size > MAX_VERSIONS && oldest !== undefined) draft.versions.delete(oldest);
  updateRow(draft, id, removal);
}

/** Updates the row of one item to its present state: a row in its place, a tombstone, an arrival, or nothing. */
export function updateRow(draft: Draft, id: string, removal: RowRemoval): void {
  const row = draft.rows.get(id);
  if (row === undefined || !belongs(draft, row)) {
    draft.heldBack.delete(id);
    if (draft.shown.has(id)) draft.tombstones.set(id, removal);
    return;
  }
  draft.tombstones.delete(id);
  if (!draft.shown.has(id) && isWithinHorizon(draft, row)) arrive(draft, row);
}

/** A new row: shown at once when nothing can move, or when the user caused it; otherwise held back. */
function arrive(draft: Draft, row: ItemRow): void {
  if (draft.inUse && row.claim?.user_id !== draft.me) {
    draft.heldBack.add(row.id);
    return;
  }
  draft.heldBack.delete(row.id);
  draft.shown.set(row.id, row);
}

/** Places every arrival that was held back. */
export function showHeldBack(draft: Draft): void {
  for (const id of draft.heldBack) {
    const row = draft.rows.get(id);
    if (row !== undefined) draft.shown.set(id, row);
  }
  draft.heldBack.clear();
}

/** Builds the rows again for the present scope: only a user's own action may do this. */
export function rebuild(draft: Draft): void {
  draft.tombstones.clear();
  draft.heldBack.clear();
  draft.shown.clear();
  for (const [id, row] of draft.rows) {
    if (belongs(draft, row) && isWithinHorizon(draft, row)) draft.shown.set(id, row);
  }
}

/** Removes tombstones after their display time while nobody works in the list. `now` in ms, server clock. */
export function clearTombstones(draft: Draft, now: number): void {
  if (draft.inUse) return;
  for (const [id, removal] of draft.tombstones) {
    if (now - Date.parse(removal.at) < TOMBSTONE_MS) continue;
    draft.tombstones.delete(id);
    draft.shown.delete(id);
  }
}

/** Changes the server's counts beyond the loaded rows; never below zero. */
export function countUnloaded(draft: Draft, change: Partial<Counts>): void {
  const add = (view: keyof Counts) => Math.max(0, draft.unloadedCounts[view] + (change[view] ?? 0));
  draft.unloadedCounts = {
    available: add('available'),
    mine: add('mine'),
    escalated: add('escalated'),
    all: add('all'),
  };
  draft.estimated = true;
}

/**
 * Drops the last rows, in the order they were read in, so that the tab does not grow with the queue: they then count as unloaded. Where the list shows
 * escalated items, the others first. Rows on the screen stay while somebody works in the list, and the user's own always.
 */
function trimRows(draft: Draft): void {
  const sort = draft.complete ? sortOf(draft.scope) : draft.readSort;
  const compare = QUEUE_ORDER[sort];
  const rows = [...draft.rows.values()].sort(compare);
  const others = draft.scope.view === 'escalated' ? rows.filter(({ status }) => status !== 'escalated') : [];
  // The number of others that may stay; where none may, the list itself is cut.
  const room = ROWS_AFTER_TRIM - (rows.length - others.length);
  const [trimmed, keepCount] = room > 0 && others.length > room ? [others, room] : [rows, ROWS_AFTER_TRIM];
  const last = trimmed[keepCount - 1];
  if (last === undefined) return;
  for (const row of trimmed.slice(keepCount)) forget(draft, row);
  const nearer = (horizon: QueueState['horizon']) => (horizon === null || compare(last, horizon) < 0 ? last : horizon);
  draft.horizon = nearer(draft.horizon);
  if (trimmed === rows) draft.escalatedHorizon = nearer(draft.escalatedHorizon);
  draft.readSort = sort;
  draft.complete = false;
}

function forget(draft: Draft, row: ItemRow): void {
  const { id } = row;
  if (row.claim?.user_id === draft.me || draft.saving.has(id) || (draft.inUse && draft.shown.has(id))) return;
  draft.rows.delete(id);
  draft.heldBack.delete(id);
  draft.shown.delete(id);
  draft.tombstones.delete(id);
  countUnloaded(draft, {
    all: 1,
    available: isFree(draft, row) ? 1 : 0,
    escalated: row.status === 'escalated' ? 1 : 0,
  });
}
