// The model of the live queue: its types, the order of its rows, and which view a row belongs to.
import type { QueuePage } from '@countersign/shared/schemas/queue';
import type { QueueView, ItemStatus } from '@countersign/shared/enums';
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import { answers, isUnfiltered } from '@countersign/shared/filters/queue-filter';
import type { QueueFilter } from '@countersign/shared/schemas/parts/queue-filter';
import { QUEUE_ORDER, type QueuePlace, type QueueSort } from '@countersign/shared/filters/queue-order';
import type { Snippet } from 'svelte';

export type Counts = QueuePage['counts'];

export type QueueGroup = 'flag' | 'project' | 'model';

/** The part of the queue on the screen; `projectId` null is every project of the user, an empty filter matches everything. */
export interface Scope {
  readonly view: QueueView;
  readonly projectId: string | null;
  readonly filter?: QueueFilter;
  /** The order of its rows (QU25); by due time unless given. */
  readonly sort?: QueueSort;
  /** Rows that have this in common are listed together (QU26). Which rows there are does not depend on it. */
  readonly group?: QueueGroup;
}

const EVERYTHING: QueueFilter = {};
export const filterOf = (scope: Scope): QueueFilter => scope.filter ?? EVERYTHING;

export const isFiltered = ({ scope }: Pick<QueueState, 'scope'>): boolean => !isUnfiltered(filterOf(scope));

const FIELDS = [
  'flag',
  'model',
  'source',
  'min_confidence',
  'max_confidence',
  'text',
] as const satisfies (keyof QueueFilter)[];
const sameFilter = (a: QueueFilter, b: QueueFilter): boolean => FIELDS.every((field) => a[field] === b[field]);

export const sortOf = (scope: Scope): QueueSort => scope.sort ?? 'due';

/** Whether two lists have the same rows in the same order, before these are grouped. */
export const sameRows = (a: Scope, b: Scope): boolean =>
  a.view === b.view && a.projectId === b.projectId && sortOf(a) === sortOf(b) && sameFilter(filterOf(a), filterOf(b));

/**
 * Why a row became a tombstone: the item's new status (an edit approves it; `passedOn`: its deadline gave it to supervisors), or
 * what happened to its claim. Times are ISO, server clock.
 */
export interface RowRemoval {
  readonly what: ItemStatus | 'edited' | 'passedOn' | 'freed' | 'taken' | 'gone';
  readonly by: string;
  readonly mine: boolean;
  readonly at: string;
  /** Set while the decision is provisional (LC2). */
  readonly undoUntil: string | null;
}

/** Everything a member may read of the waiting items, merged from one or more pages of the `all` view. */
export interface Snapshot {
  readonly rows: readonly ItemRow[];
  /** The event log position per project that the rows are at least as new as. */
  readonly seqs: Readonly<Record<string, number>>;
  readonly counts: Counts;
  /** Whether these are all items that wait. */
  readonly complete: boolean;
  /** Otherwise: the filter they were read with, and the order. */
  readonly filter: QueueFilter;
  readonly sort: QueueSort;
  /** How far the rows matching the filter were read, and how far the escalated ones of them; null: to the end. */
  readonly horizon: QueuePlace | null;
  readonly escalatedHorizon: QueuePlace | null;
  /** These are the first rows of the list; the others are being read (QU31). */
  readonly restPending: boolean;
}

export interface QueueState {
  /** The user's id. */
  readonly me: string;
  readonly scope: Scope;
  /** Projects whose escalated items the user may decide (rule PM). */
  readonly supervised: ReadonlySet<string>;
  /** False until the first snapshot of this project filter has arrived. */
  readonly loaded: boolean;
  readonly seqs: ReadonlyMap<string, number>;
  /** The waiting items, as far as known, in all views. */
  readonly rows: ReadonlyMap<string, ItemRow>;
  /** The last version of items that stopped waiting, so that late events cannot restore them. */
  readonly versions: ReadonlyMap<string, number>;
  /** The rows on the screen, including tombstones, each as it was when it was placed. */
  readonly shown: ReadonlyMap<string, ItemRow>;
  /** Ids of `shown`, in the order of the screen. */
  readonly order: readonly string[];
  readonly tombstones: ReadonlyMap<string, RowRemoval>;
  /** Arrivals that wait until the list may grow. */
  readonly heldBack: ReadonlySet<string>;
  /** Decisions shown before the server has answered. */
  readonly saving: ReadonlyMap<string, RowRemoval>;
  /** True while pointer or keyboard are in the list: nothing moves then. */
  readonly inUse: boolean;
  /** Counted by the server but not loaded, when more wait than were read. Infinite where the server stopped counting. */
  readonly unloadedCounts: Counts;
  /** Events of unloaded items changed the counts: they are an estimate until they are read again. */
  readonly estimated: boolean;
  /** How much of the queue is loaded, as in `Snapshot`. */
  readonly complete: boolean;
  readonly read: QueueFilter;
  readonly readSort: QueueSort;
  readonly horizon: QueuePlace | null;
  readonly escalatedHorizon: QueuePlace | null;
  readonly restPending: boolean;
  /** The next snapshot lays the rows out as the first one did: the user has switched to another part of the queue. */
  readonly relayout: boolean;
  /** A project whose events have a gap, or that is not known yet: read the snapshot again. */
  readonly needsResync: string | null;
  /** Events since a snapshot was requested; null when no request is running. */
  readonly buffer: readonly DomainEvent[] | null;
}

/** One row of the list. A tombstone has `removal`; a row being saved has `saving` and is shown as if it had left. */
export interface Entry {
  readonly id: string;
  readonly row: ItemRow;
  readonly removal: RowRemoval | null;
  readonly saving: boolean;
}

/** A grouping of the rows of the screen. */
export interface Grouping {
  /** The rows group by group. */
  readonly arrange: (entries: readonly Entry[]) => readonly Entry[];
  /** Whether a group starts with the row with this ID. */
  readonly hasTitle: (id: string) => boolean;
  /** Renders the title above that row; nothing above others. */
  readonly title: Snippet<[string]>;
}

export const NO_COUNTS: Counts = { available: 0, mine: 0, escalated: 0, all: 0 };
/** Everything that waits is loaded. */
export const FULLY_LOADED = {
  complete: true,
  read: EVERYTHING,
  readSort: 'due',
  horizon: null,
  escalatedHorizon: null,
  restPending: false,
} as const;

/** An empty queue before the first snapshot. */
export function emptyQueue(me: string, scope: Scope): QueueState {
  return {
    me,
    scope,
    supervised: new Set(),
    loaded: false,
    seqs: new Map(),
    rows: new Map(),
    versions: new Map(),
    shown: new Map(),
    order: [],
    tombstones: new Map(),
    heldBack: new Set(),
    saving: new Map(),
    inUse: false,
    unloadedCounts: NO_COUNTS,
    estimated: false,
    ...FULLY_LOADED,
    relayout: false,
    needsResync: null,
    buffer: null,
  };
}

type Reader = Pick<QueueState, 'me' | 'scope' | 'supervised'>;

const BELONGS: Record<QueueView, (reader: Reader, row: ItemRow) => boolean> = {
  available: ({ supervised }, row) => row.status !== 'escalated' || supervised.has(row.project_id),
  mine: ({ me }, row) => row.claim?.user_id === me,
  escalated: (_, row) => row.status === 'escalated',
  all: () => true,
};

/** Whether an item is in the view and the project, regardless of the filter. */
export const matchesScope = (reader: Reader, row: ItemRow): boolean =>
  (reader.scope.projectId === null || reader.scope.projectId === row.project_id) &&
  BELONGS[reader.scope.view](reader, row);

/** Whether a waiting item is a row of the list. Items that someone holds stay rows of Available, with their holder. */
export const belongs = (reader: Reader, row: ItemRow): boolean =>
  matchesScope(reader, row) && answers(filterOf(reader.scope), row);

type LoadedRange = Pick<QueueState, 'me' | 'scope' | 'complete' | 'read' | 'readSort' | 'horizon' | 'escalatedHorizon'>;

/** In the order they were read in, which is not that of the list while another one is being read. */
const upTo = (horizon: QueuePlace | null, { readSort }: LoadedRange, row: ItemRow): boolean =>
  horizon === null || QUEUE_ORDER[readSort](row, horizon) <= 0;
const mayBeUnloaded = (range: LoadedRange, row: ItemRow): boolean => !range.complete && row.claim?.user_id !== range.me;

/** Whether an item belongs to the loaded part of the queue. Other items are counted and never stored. */
export const isLoaded = (range: LoadedRange, row: ItemRow): boolean =>
  !mayBeUnloaded(range, row) ||
  (answers(range.read, row) &&
    (upTo(range.horizon, range, row) || (row.status === 'escalated' && upTo(range.escalatedHorizon, range, row))));

/** Whether the list has every row up to this one, so that it may be placed. */
export const isWithinHorizon = (range: LoadedRange, row: ItemRow): boolean =>
  !mayBeUnloaded(range, row) ||
  (answers(range.read, row) &&
    (upTo(range.horizon, range, row) ||
      (range.scope.view === 'escalated' && upTo(range.escalatedHorizon, range, row))));

/** Whether the first rows of the list are loaded: it was read in its order and with its filter, of which the view is a part. */
export const hasFirstRows = ({ loaded, scope, read, readSort }: QueueState): boolean =>
  loaded && readSort === sortOf(scope) && sameFilter(read, filterOf(scope));

/** Whether more rows of the view may follow the loaded ones. */
export const hasMore = ({ complete, scope, horizon, escalatedHorizon }: LoadedRange): boolean =>
  !complete && scope.view !== 'mine' && horizon !== null && (scope.view !== 'escalated' || escalatedHorizon !== null);

/** Whether the user could claim the item now: nobody holds it and the user may decide its status. */
export const isFree = (reader: Reader, row: ItemRow): boolean => row.claim === null && BELONGS.available(reader, row);

/** The number at each view. Available counts claimable items, so items someone holds are not in it. */
export function countsOf(state: QueueState): Counts {
  const counts = { ...state.unloadedCounts };
  for (const row of state.rows.values()) {
    if (state.saving.has(row.id)) continue;
    counts.all += 1;
    if (isFree(state, row)) counts.available += 1;
    if (BELONGS.mine(state, row)) counts.mine += 1;
    if (BELONGS.escalated(state, row)) counts.escalated += 1;
  }
  return counts;
}

/** The number of people who hold a waiting item. */
export const decidersOf = ({ rows }: Pick<QueueState, 'rows'>): number =>
  new Set([...rows.values()].flatMap(({ claim }) => claim?.user_id ?? [])).size;

/** The rows of the screen, in order; no id twice. An unchanged row is the same object as in `before`. */
export function entriesOf(state: QueueState, before: readonly Entry[] = []): Entry[] {
  const previous = new Map(before.map((entry) => [entry.id, entry]));
  const entries: Entry[] = [];
  for (const id of state.order) {
    const row = state.rows.get(id) ?? state.shown.get(id);
    if (row === undefined) continue;
    const saved = state.saving.get(id);
    const removal = state.tombstones.get(id) ?? saved ?? null;
    const saving = saved !== undefined;
    const known = previous.get(id);
    const same = known !== undefined && known.row === row && known.removal === removal && known.saving === saving;
    entries.push(same ? known : { id, row, removal, saving });
  }
  return entries;
}
