// The live queue as a pure function: state and input in, state out. Rows never move without the user's consent.
import { COUNT_LIMIT } from '@countersign/shared/limits';
import type { DomainEvent, DomainEventOf, DomainEventType } from '@countersign/shared/schemas/parts/events';
import type { ItemRow, Claim } from '@countersign/shared/schemas/parts/item';
import { OPEN_STATUSES } from '@countersign/shared/enums';
import {
  dropRow,
  isNewer,
  putRow,
  rebuild,
  updateRow,
  showHeldBack,
  clearTombstones,
  transition,
  type Draft,
  countUnloaded,
  removalOf,
} from './queue-transition.ts';
import {
  belongs,
  emptyQueue,
  isFree,
  isWithinHorizon,
  NO_COUNTS,
  FULLY_LOADED,
  sameRows,
  type Counts,
  type RowRemoval,
  type QueueState,
  type Scope,
  type Snapshot,
} from './queue-model.ts';

/** Everything that can happen to the queue of one tab. */
export type QueueInput =
  /** Events from the socket, as they arrived. */
  | { kind: 'events'; events: readonly DomainEvent[] }
  /** From now on events are also buffered, to be applied after the snapshot. */
  | { kind: 'snapshot_requested' }
  /** The answer; `last` when no newer request is running, which would need the buffered events again. */
  | { kind: 'snapshot'; snapshot: Snapshot; last: boolean }
  /** The server has counted the views again, with the positions of the event logs at which it did. */
  | { kind: 'recounted'; counts: Counts; seqs: Readonly<Record<string, number>> }
  | { kind: 'snapshot_failed' }
  /** The user has no access to the project: none of it stays visible. */
  | { kind: 'access_lost' }
  /** The answer to a command of this tab showed an item as it is now. */
  | { kind: 'item'; row: ItemRow; removal: RowRemoval }
  /** A decision is in flight: shown as made, rolled back by `decision_settled` when the server refuses. */
  | { kind: 'saving'; id: string; removal: RowRemoval }
  | { kind: 'decision_settled'; id: string }
  /** The user switches to another view, project or filter. */
  | { kind: 'scope'; scope: Scope }
  | { kind: 'supervised_projects'; projects: ReadonlySet<string> }
  /** Pointer or keyboard entered or left the list. */
  | { kind: 'list_in_use'; inUse: boolean }
  | { kind: 'show_held_back' }
  /** Once a second; `now` in ms, server clock. */
  | { kind: 'tick'; now: number };

type Transitions = { [K in QueueInput['kind']]: (draft: Draft, input: Extract<QueueInput, { kind: K }>) => void };

const TRANSITIONS: Transitions = {
  events: receiveEvents,
  snapshot_requested: (draft) => {
    draft.buffer ??= [];
  },
  snapshot: applySnapshot,
  recounted: (draft, { counts, seqs }) => {
    draft.unloadedCounts = draft.complete ? NO_COUNTS : unloaded(counts, draft);
    // Counts of another moment than the rows they are compared with stay an estimate, and are read again.
    draft.estimated = Object.entries(seqs).some(([projectId, seq]) => draft.seqs.get(projectId) !== seq);
  },
  snapshot_failed: (draft) => {
    draft.buffer = null;
  },
  access_lost: (draft) => {
    const { supervised, inUse } = draft;
    Object.assign(draft, emptyQueue(draft.me, draft.scope), { supervised, inUse });
  },
  item: applyItem,
  saving: (draft, { id, removal }) => {
    draft.saving.set(id, removal);
  },
  decision_settled: (draft, { id }) => {
    draft.saving.delete(id);
  },
  scope: (draft, { scope }) => changeScope(draft, scope),
  supervised_projects: (draft, { projects }) => {
    draft.supervised = new Set(projects);
    for (const row of draft.rows.values()) if (belongs(draft, row)) updateRow(draft, row.id, unknownRemoval(row));
  },
  list_in_use: (draft, { inUse }) => {
    draft.inUse = inUse;
    if (!inUse) showHeldBack(draft);
  },
  show_held_back: showHeldBack,
  tick: (draft, { now }) => clearTombstones(draft, now),
};

/** The next state. Pure: the same state and input always give the same result. */
export function reduce(state: QueueState, input: QueueInput): QueueState {
  if (input.kind === 'tick' && state.tombstones.size === 0) return state;
  if (input.kind === 'list_in_use' && input.inUse === state.inUse) return state;
  // The table pairs each kind with its own handler; the compiler cannot follow the pairing through an index.
  const apply = TRANSITIONS[input.kind] as (draft: Draft, input: QueueInput) => void;
  return transition(state, (draft) => apply(draft, input));
}

function receiveEvents(draft: Draft, { events }: { events: readonly DomainEvent[] }): void {
  if (draft.buffer !== null) draft.buffer = [...draft.buffer, ...events];
  if (draft.loaded) applyEvents(draft, events);
}

function applySnapshot(draft: Draft, { snapshot, last }: { snapshot: Snapshot; last: boolean }): void {
  const before = draft.rows;
  const previous = draft.restPending && !draft.relayout ? { ...draft } : null;
  draft.rows = new Map();
  for (const row of snapshot.rows) {
    const known = before.get(row.id);
    // The answer to one of our own commands may have shown a newer version than the snapshot has.
    draft.rows.set(row.id, known !== undefined && known.version > row.version ? known : row);
  }
  draft.seqs = new Map(Object.entries(snapshot.seqs));
  draft.versions.clear();
  const { complete, filter: read, sort: readSort, horizon, escalatedHorizon, restPending, counts } = snapshot;
  Object.assign(draft, complete ? FULLY_LOADED : { complete, read, readSort, horizon, escalatedHorizon, restPending });
  draft.unloadedCounts = complete ? NO_COUNTS : unloaded(counts, draft);
  draft.estimated = false;
  draft.needsResync = null;
  if (previous !== null) appendRest(draft, previous);
  reconcile(draft);
  draft.loaded = true;
  applyEvents(draft, draft.buffer ?? []);
  if (last) draft.buffer = null;
}

/** The first snapshot lays the list out; later ones leave every row in place, unless the user switched elsewhere. */
function reconcile(draft: Draft): void {
  const isFirst = !draft.loaded || draft.relayout;
  draft.relayout = false;
  if (isFirst) return rebuild(draft);
  for (const [id, row] of draft.shown) if (!draft.tombstones.has(id)) updateRow(draft, id, unknownRemoval(row));
  for (const row of draft.rows.values()) if (belongs(draft, row)) updateRow(draft, row.id, unknownRemoval(row));
  for (const id of draft.heldBack) if (!draft.rows.has(id)) draft.heldBack.delete(id);
}

/** Rows behind the first ones are listed also while the list is in use: they move nothing (QU31). */
function appendRest(draft: Draft, previous: Draft): void {
  for (const row of draft.rows.values()) {
    if (belongs(draft, row) && isWithinHorizon(draft, row) && !isWithinHorizon(previous, row))
      draft.shown.set(row.id, row);
  }
}

/** The removal of an item while no events arrived: its actor is in the item's history. */
const unknownRemoval = (row: ItemRow): RowRemoval => ({
  what: 'gone',
  by: '',
  mine: false,
  at: row.created_at,
  undoUntil: null,
});

/** Items that the server counts and the draft has not loaded. */
function unloaded(counts: Counts, draft: Draft): Counts {
  const rows = [...draft.rows.values()];
  const rest = (total: number, test: (row: ItemRow) => boolean) =>
    total > COUNT_LIMIT ? Infinity : Math.max(0, total - rows.filter(test).length);
  return {
    available: rest(counts.available, (row) => isFree(draft, row)),
    mine: rest(counts.mine, (row) => row.claim?.user_id === draft.me),
    escalated: rest(counts.escalated, (row) => row.status === 'escalated'),
    all: rest(counts.all, () => true),
  };
}

function applyItem(draft: Draft, { row, removal }: { row: ItemRow; removal: RowRemoval }): void {
  draft.saving.delete(row.id);
  if (draft.scope.projectId !== null && draft.scope.projectId !== row.project_id) return;
  const waits = OPEN_STATUSES.some((status) => status === row.status);
  // Renewing a claim does not change the item: the version stays, only the end of the lease is newer.
  if (draft.rows.get(row.id)?.version === row.version) draft.rows.set(row.id, row);
  if (!isNewer(draft, row.id, row.version)) return;
  if (waits) putRow(draft, row, removal);
  else dropRow(draft, row.id, { version: row.version, removal });
}

function changeScope(draft: Draft, scope: Scope): void {
  const otherProject = scope.projectId !== draft.scope.projectId;
  const onlyGrouped = sameRows(scope, draft.scope);
  draft.scope = scope;
  if (onlyGrouped) return;
  if (otherProject) {
    // A narrower scope can show known rows at once; a wider one has nothing to show before its snapshot.
    const narrower = scope.projectId !== null && draft.seqs.has(scope.projectId) && draft.complete;
    for (const [id, row] of draft.rows) if (!narrower || row.project_id !== scope.projectId) draft.rows.delete(id);
    draft.loaded = draft.loaded && narrower;
    Object.assign(draft, FULLY_LOADED);
    draft.unloadedCounts = NO_COUNTS;
  }
  // Unloaded items may belong to it: until they are read, the known rows are shown.
  draft.relayout = !draft.complete;
  rebuild(draft);
}

type WaitingEvent = DomainEventOf<'item.queued'> | DomainEventOf<'item.escalated'> | DomainEventOf<'item.undone'>;
type ClosingEvent = DomainEventOf<'item.decided'> | DomainEventOf<'item.finalized'>;
type ClaimEvent = DomainEventOf<'item.claimed'> | DomainEventOf<'claim.released'> | DomainEventOf<'claim.expired'>;

const EVENT_TRANSITIONS = {
  'item.queued': handleWaiting,
  'item.escalated': handleWaiting,
  'item.undone': handleWaiting,
  'item.claimed': (draft, event) =>
    handleClaimChange(draft, event, {
      what: 'taken',
      claim: { user_id: event.actor.id ?? '', name: event.actor.name, expires_at: event.expires_at },
    }),
  'claim.released': (draft, event) => handleClaimChange(draft, event, { what: 'freed', claim: null }),
  'claim.expired': (draft, event) => handleClaimChange(draft, event, { what: 'freed', claim: null }),
  'item.decided': (draft, event) => handleClosed(draft, event, event.undo_until),
  'item.finalized': handleFinalized,
  'item.withdrawn': (draft, event) => handleEnded(draft, event, 'withdrawn'),
  'item.expired': (draft, event) => handleEnded(draft, event, 'expired'),
  'item.extended': handleExtended,
  'decision.revised': ignore,
  'delivery.changed': ignore,
  'project.changed': ignore,
} satisfies { [T in DomainEventType]: (draft: Draft, event: DomainEventOf<T>) => void };

/**
 * Applies events in the order given. Per project `seq` has no gaps: known events are ignored, a gap stops that project and
 * requests a resync. Per item an event that is not newer is ignored.
 */
function applyEvents(draft: Draft, events: readonly DomainEvent[]): void {
  for (const event of events) {
    if (draft.scope.projectId !== null && draft.scope.projectId !== event.project_id) continue;
    const seen = draft.seqs.get(event.project_id);
    if (seen !== undefined && event.seq <= seen) continue;
    if (seen === undefined || event.seq > seen + 1) {
      draft.needsResync = event.project_id;
      continue;
    }
    draft.seqs.set(event.project_id, event.seq);
    if (!Object.hasOwn(EVENT_TRANSITIONS, event.type)) {
      // A service of another version has types that this page does not know: the snapshot has their effect.
      draft.needsResync = event.project_id;
      continue;
    }
    // The table pairs each type with its own handler; the compiler cannot follow the pairing through an index.
    const apply = EVENT_TRANSITIONS[event.type] as (draft: Draft, event: DomainEvent) => void;
    apply(draft, event);
  }
}

function ignore(): void {
  // This event has no visible effect in the queue.
}

function handleWaiting(draft: Draft, event: WaitingEvent): void {
  if (!isNewer(draft, event.item_id, event.version)) return;
  if (!draft.rows.has(event.item_id)) countIfUnloaded(draft, event, previousCounts(event));
  const byDeadline = event.type === 'item.escalated' && event.by_deadline !== undefined;
  putRow(draft, event.item, removalOf(draft, event, byDeadline ? 'passedOn' : event.item.status));
}

/**
 * The counts that included an unloaded item until now. A queued item at its second version was reopened: it did not wait before.
 */
function previousCounts(event: WaitingEvent): Partial<Counts> {
  const { type, version } = event;
  if (type === 'item.escalated' && version > 1)
    return event.by_deadline?.claimed === false ? { all: -1, available: -1 } : { all: -1 };
  return type === 'item.queued' && version > 2 ? { all: -1, escalated: -1 } : {};
}

function handleClaimChange(
  draft: Draft,
  event: ClaimEvent,
  { what, claim }: { what: RowRemoval['what']; claim: Claim | null },
): void {
  const row = draft.rows.get(event.item_id);
  if (row === undefined) {
    // Claimed in another tab of the user, from beyond the loaded rows: the user's own items are always listed.
    if (claim?.user_id === draft.me && !draft.complete) draft.needsResync = event.project_id;
    return countIfUnloaded(draft, event, { available: claim === null ? 1 : -1 });
  }
  if (event.version > row.version)
    putRow(draft, { ...row, claim, version: event.version }, removalOf(draft, event, what));
}

function handleClosed(draft: Draft, event: ClosingEvent, undoUntil: string | null): void {
  if (!isNewer(draft, event.item_id, event.version)) return;
  const decidedByPerson = event.action !== null && event.action !== 'auto_approve';
  // A final decision was made, and counted, before.
  const waited = event.type === 'item.decided' && decidedByPerson;
  if (!draft.rows.has(event.item_id) && waited) countIfUnloaded(draft, event, { all: -1 });
  dropRow(draft, event.item_id, {
    version: event.version,
    removal: { ...removalOf(draft, event, event.action === 'edit' ? 'edited' : event.status), undoUntil },
  });
}

/** It left the queue without a decision. */
function handleEnded(
  draft: Draft,
  event: DomainEventOf<'item.withdrawn'> | DomainEventOf<'item.expired'>,
  what: 'withdrawn' | 'expired',
): void {
  if (!isNewer(draft, event.item_id, event.version)) return;
  const { status, claimed } = event.was;
  const escalated = status === 'escalated';
  if (!draft.rows.has(event.item_id))
    countIfUnloaded(draft, event, {
      all: -1,
      escalated: escalated ? -1 : 0,
      available: escalated || claimed ? 0 : -1,
    });
  dropRow(draft, event.item_id, { version: event.version, removal: removalOf(draft, event, what) });
}

/** A later deadline. An item beyond the loaded rows stays beyond them. */
function handleExtended(draft: Draft, event: DomainEventOf<'item.extended'>): void {
  const row = draft.rows.get(event.item_id);
  if (row === undefined || event.version <= row.version) return;
  const { deadline, due_at, version } = event;
  putRow(draft, { ...row, deadline, due_at, version }, unknownRemoval(row));
}

/** The decision of a tombstone became final; its text still names the person who decided. */
function handleFinalized(draft: Draft, event: DomainEventOf<'item.finalized'>): void {
  const removal = draft.tombstones.get(event.item_id);
  if (removal === undefined || draft.rows.has(event.item_id)) return handleClosed(draft, event, null);
  if (!isNewer(draft, event.item_id, event.version)) return;
  draft.versions.set(event.item_id, event.version);
  draft.tombstones.set(event.item_id, { ...removal, undoUntil: null });
}

/** An event of an item that waits beyond the loaded rows changes only the counts. */
function countIfUnloaded(draft: Draft, event: { item_id: string }, change: Partial<Counts>): void {
  if (!draft.complete && !draft.versions.has(event.item_id)) countUnloaded(draft, change);
}
