// The live queue of this tab: its snapshots, events applied once per frame, and the values that the page reads.
import { listQueue } from '@countersign/shared/routes/queue';
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import { ApiProblem, call } from '../../api/client.ts';
import { clock } from '../../time/clock.svelte.ts';
import { live } from '../connection.svelte.ts';
import { RetryTimer } from '../retry-timer.ts';
import {
  belongs,
  countsOf,
  decidersOf,
  emptyQueue,
  entriesOf,
  filterOf,
  hasFirstRows,
  hasMore,
  sameRows,
  sortOf,
  type Entry,
  type Grouping,
  type RowRemoval,
  type QueueState,
  type Scope,
  type Snapshot,
} from './queue-model.ts';
import { reduce, type QueueInput } from './queue-state.ts';
import { MAX_ROWS_LOADED, PAGE_ROWS, readSnapshot } from './snapshot.ts';

/** When fewer rows than this are left of a partly loaded queue, and less than half of what was read, the next part is read. */
const REFILL_BELOW = 200;
/** For a partly loaded queue the counts are the server's last ones plus later events: they are read again this often. */
const RECOUNT_MS = 15_000;
/** A gap causes a resync at once; one that returns within this time waits for its interval. */
const GAP_RETRY_MS = 2000;
/** In a hidden page, everything that arrives within this time is one change. */
const HIDDEN_FLUSH_MS = 1000;

export class LiveQueue {
  #state: QueueState = $state.raw(emptyQueue('', { view: 'available', projectId: null }));
  /** The number of rows the list should load, when that many wait. */
  #rowsWanted = $state.raw(PAGE_ROWS);
  /** Why the last snapshot failed; the rows of an older one stay visible, unless the user lost the project. */
  error: unknown = $state.raw(null);
  /** How the rows are grouped; set by the part of the page that is loaded with the first grouping. */
  grouping: Grouping | null = $state.raw(null);
  /** The rows of the screen, in its order. */
  readonly entries: readonly Entry[] = $derived.by(() => {
    const entries = this.#entriesOf(this.#state);
    return this.grouping?.arrange(entries) ?? entries;
  });
  readonly counts = $derived(countsOf(this.#state));
  /** How many items somebody holds. */
  readonly deciding = $derived(decidersOf(this.#state));
  /** The item that has waited longest among the rows of the view. */
  readonly oldest = $derived(oldestOf(this.entries));
  /** Whether more rows may follow those in the list: `coming` by themselves, `some` on request, or `beyond` what it may load. */
  readonly more = $derived(moreOf(this.#state, this.#rowsWanted));
  /** When an item last arrived that this tab has seen, in ms; null before the first. */
  lastArrival: number | null = $state.raw(null);
  /** Called before rows are added, removed or reordered, while the page still shows them as they were. */
  beforeMove: () => void = () => undefined;

  /** The previous rows: unchanged ones are not rendered again. */
  #previousEntries: readonly Entry[] = [];
  #incoming: DomainEvent[] = [];
  #frame: number | null = null;
  #requests = 0;
  #lastCountAt = 0;
  #lastGapAt = -Infinity;
  readonly #retryTimer = new RetryTimer();
  /** The number of rows after the last snapshot. */
  #rowsAtLastSnapshot = 0;

  constructor(me: string, scope: Scope) {
    this.#state = emptyQueue(me, scope);
  }

  get state(): QueueState {
    return this.#state;
  }

  /** Reduces one input, after the buffered events. */
  dispatch(input: QueueInput): void {
    this.#flush();
    this.#apply(input);
  }

  /** Reads the first snapshot and follows the live events; returns the function that stops it. */
  follow(): () => void {
    void this.resync();
    const stops = [
      live.on('*', (event) => this.#enqueue(event)),
      live.onResync(() => this.resync()),
      // Its items leave every queue, or return (AR1).
      live.on('project.changed', ({ changed }) => changed.includes('archived') && void this.resync()),
      () => this.#frame !== null && cancelAnimationFrame(this.#frame),
    ];
    const ticks = setInterval(() => {
      this.dispatch({ kind: 'tick', now: clock.read() });
      void this.#recount();
      this.#retryIfDue();
    }, 1000);
    return () => {
      clearInterval(ticks);
      for (const stop of stops) stop();
    };
  }

  /** Switches to another view, project, filter, sort or grouping; missing rows are read. */
  switchTo(scope: Scope): void {
    const before = this.#state.scope;
    const same = sameRows(before, scope);
    if (same && before.group === scope.group) return;
    if (!same) this.#rowsWanted = PAGE_ROWS;
    this.dispatch({ kind: 'scope', scope });
    if (before.projectId !== scope.projectId || (!same && !this.#state.complete)) void this.resync();
  }

  /** Reads the next part of a long list. */
  async showMore(): Promise<void> {
    if (this.more !== 'some') return;
    this.#rowsWanted = Math.min(MAX_ROWS_LOADED, this.#rowsWanted + PAGE_ROWS);
    await this.resync();
    this.dispatch({ kind: 'show_held_back' });
  }

  /** Reads the snapshot again. Never throws: the cause is in `error`. */
  async resync(): Promise<void> {
    const request = ++this.#requests;
    const { scope, complete, loaded, relayout, me } = this.#state;
    const { projectId } = scope;
    this.dispatch({ kind: 'snapshot_requested' });
    const receive = (snapshot: Snapshot) => this.#receive(snapshot, request, projectId);
    // A grouped list would move: its groups are mixed with what follows.
    const isNew = (!loaded || (relayout && !hasFirstRows(this.#state))) && scope.group === undefined;
    try {
      const wanted = {
        view: scope.view,
        projectId,
        filter: filterOf(scope),
        sort: sortOf(scope),
        complete,
        rows: this.#rowsWanted,
        isInView: (row: ItemRow) => belongs({ ...this.#state, scope }, row),
        isMine: (row: ItemRow) => row.claim?.user_id === me,
      };
      receive(await readSnapshot((query) => call(listQueue, { query }), wanted, isNew ? receive : null));
    } catch (error) {
      if (request !== this.#requests) return;
      this.error = error;
      const isLost = error instanceof ApiProblem && error.status === 404;
      this.dispatch({ kind: isLost ? 'access_lost' : 'snapshot_failed' });
    }
  }

  /** Applies a snapshot of a request, which is its last one unless the rest of the list follows. */
  #receive(snapshot: Snapshot, request: number, projectId: string | null): void {
    const newest = request === this.#requests;
    // A later request is still running; until its answer an earlier one is better than nothing.
    if (!newest && (this.#state.loaded || this.#state.scope.projectId !== projectId)) return;
    this.error = null;
    this.#lastCountAt = clock.read();
    this.dispatch({ kind: 'snapshot', snapshot, last: newest && !snapshot.restPending });
    this.#rowsAtLastSnapshot = this.#remainingRows;
  }

  /** An unanswered or incomplete snapshot is requested again: live events alone do not complete it (QU4). */
  #retryIfDue(): void {
    const { needsResync, buffer } = this.#state;
    const error = needsResync === null ? this.error : (this.error ?? 'gap');
    if (this.#retryTimer.due(buffer === null ? error : null, performance.now())) void this.resync();
  }

  /** Replaces estimated counts. A failure leaves them as they are. */
  async #recount(): Promise<void> {
    const { estimated, complete, buffer, scope } = this.#state;
    if (!estimated || complete || buffer !== null || clock.read() - this.#lastCountAt < RECOUNT_MS) return;
    this.#lastCountAt = clock.read();
    const asked = this.#requests;
    const project = scope.projectId === null ? {} : { project_id: scope.projectId };
    const page = await call(listQueue, { query: { ...project, view: 'mine', limit: 1 } }).catch(() => null);
    if (page === null || asked !== this.#requests) return;
    this.dispatch({ kind: 'recounted', counts: page.counts, seqs: page.seqs });
  }

  /** Applies an item as the answer to a command showed it; `leaseEnds` (ISO) is newer than the item's claim. */
  put(detail: ItemRow, removal: RowRemoval, leaseEnds: string | null = null): void {
    const row = rowOf(detail);
    const claim = row.claim === null || leaseEnds === null ? row.claim : { ...row.claim, expires_at: leaseEnds };
    this.dispatch({ kind: 'item', row: { ...row, claim }, removal });
  }

  /** The number of rows of the list that still wait, including those held back. */
  get #remainingRows(): number {
    return this.entries.filter(({ removal }) => removal === null).length + this.#state.heldBack.size;
  }

  #noteArrivals(events: readonly DomainEvent[]): void {
    const { projectId } = this.#state.scope;
    const relevant = events.filter((event) => projectId === null || event.project_id === projectId);
    const arrived = relevant.filter((event) => event.type === 'item.queued' || event.type === 'item.escalated');
    if (arrived.length > 0) this.lastArrival = newest(arrived.map((event) => event.server_time));
  }

  #entriesOf(state: QueueState): readonly Entry[] {
    this.#previousEntries = entriesOf(state, this.#previousEntries);
    return this.#previousEntries;
  }

  #enqueue(event: DomainEvent): void {
    this.#incoming.push(event);
    if (this.#frame !== null) return;
    this.#frame = requestAnimationFrame(() => this.#flush());
    // A hidden page renders no frames, but its title still counts (NO8).
    if (document.visibilityState === 'hidden') setTimeout(() => this.#flush(), HIDDEN_FLUSH_MS);
  }

  #flush(): void {
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
    this.#frame = null;
    if (this.#incoming.length === 0) return;
    const events = this.#incoming;
    this.#incoming = [];
    this.#apply({ kind: 'events', events });
  }

  #apply(input: QueueInput): void {
    const next = reduce(this.#state, input);
    if (next.order !== this.#state.order) this.beforeMove();
    this.#state = next;
    const gap = (input.kind === 'events' || input.kind === 'snapshot') && this.#hasNewGap();
    const runningLow =
      input.kind === 'events' &&
      hasMore(this.#state) &&
      this.#remainingRows < Math.min(REFILL_BELOW, this.#rowsAtLastSnapshot / 2);
    if ((gap || runningLow) && this.#state.buffer === null) void this.resync();
    if (input.kind === 'events') this.#noteArrivals(input.events);
  }

  /** Events buffered beside a snapshot may have a gap too. Where a resync does not help, it is not repeated at every event. */
  #hasNewGap(): boolean {
    const { needsResync, buffer } = this.#state;
    const now = performance.now();
    if (needsResync === null || buffer !== null || now - this.#lastGapAt < GAP_RETRY_MS) return false;
    this.#lastGapAt = now;
    return true;
  }
}

function moreOf(state: QueueState, rows: number): 'none' | 'coming' | 'some' | 'beyond' {
  // A filtered list may be whole before that is known.
  if (state.restPending && state.buffer !== null) return 'coming';
  if (!hasMore(state)) return 'none';
  return rows < MAX_ROWS_LOADED ? 'some' : 'beyond';
}

/** The newest of some ISO times, in ms. */
const newest = (times: readonly string[]): number => Math.max(...times.map((time) => Date.parse(time)));

function oldestOf(entries: readonly Entry[]): ItemRow | null {
  let oldest: ItemRow | null = null;
  for (const { row, removal } of entries) {
    if (removal === null && (oldest === null || row.created_at < oldest.created_at)) oldest = row;
  }
  return oldest;
}

/** The part of an item that a row shows; the payload is only loaded for the open item. */
function rowOf(detail: ItemRow): ItemRow {
  const { id, project_id, status, preview, confidence, risk_flags, model, source } = detail;
  const { created_at, due_at, version, claim } = detail;
  const { title, kind, allowed_actions, has_suggestion, invalid, deadline } = detail;
  return {
    ...{ id, project_id, status, preview, confidence, risk_flags, model, source, created_at, due_at, version, claim },
    ...{ title, kind, allowed_actions, has_suggestion, invalid, deadline },
  };
}
