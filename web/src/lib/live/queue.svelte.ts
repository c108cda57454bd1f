// The live queue of this tab: the pure state with its snapshots, its facts flushed once per frame, and what the page reads of it.
import { listQueue } from '@countersign/shared/api/queue';
import type { Fact } from '@countersign/shared/events';
import type { ItemDetail, ItemRow } from '@countersign/shared/item';
import { ApiProblem, call } from '../api.ts';
import { clock } from '../clock.svelte.ts';
import { live } from './connection.svelte.ts';
import { countsOf, emptyQueue, entriesOf, type Entry, type Leave, type QueueState, type Scope } from './queue-model.ts';
import { reduce, type QueueInput } from './queue-state.ts';
import { readSnapshot } from './snapshot.ts';

/** When fewer lines than this are left of a queue that was not read whole, the next part is fetched. */
const REFILL_BELOW = 200;

export class LiveQueue {
  #state: QueueState = $state.raw(emptyQueue('', { view: 'available', projectId: null }));
  /** Why the last snapshot failed; the lines of an older one stay on show, unless the project is none of the reader's. */
  error: unknown = $state.raw(null);
  readonly entries: readonly Entry[] = $derived(this.#lines(this.#state));
  readonly counts = $derived(countsOf(this.#state));
  /** How many items somebody holds. */
  readonly reviewing = $derived([...this.#state.rows.values()].filter((row) => row.claim !== null).length);
  /** The item that has waited longest among the lines of the view. */
  readonly oldest = $derived(oldestOf(this.entries));

  /** The lines as they were: what has not changed is not drawn again. */
  #drawn: readonly Entry[] = [];
  #incoming: Fact[] = [];
  #frame: number | null = null;
  #asked = 0;

  constructor(me: string, scope: Scope) {
    this.#state = emptyQueue(me, scope);
  }

  get state(): QueueState {
    return this.#state;
  }

  /** Puts one input through the pure state, with whatever facts wait in front of it. */
  dispatch(input: QueueInput): void {
    this.#flush();
    this.#apply(input);
  }

  /** Reads the first snapshot and stays true by the live facts; answers the function that stops it. */
  follow(): () => void {
    void this.resync();
    const stops = [
      live.on('*', (fact) => this.#take(fact)),
      live.onResync(() => this.resync()),
      // Its items leave every queue, or come back (AR1).
      live.on('project.changed', ({ changed }) => changed.includes('archived') && void this.resync()),
      () => this.#frame !== null && cancelAnimationFrame(this.#frame),
    ];
    const ticks = setInterval(() => this.dispatch({ kind: 'tick', now: clock.read() }), 1000);
    return () => {
      clearInterval(ticks);
      for (const stop of stops) stop();
    };
  }

  /** Turns to another view or project; another project is read afresh. */
  turnTo(scope: Scope): void {
    const before = this.#state.scope;
    if (before.view === scope.view && before.projectId === scope.projectId) return;
    this.dispatch({ kind: 'scope', scope });
    if (before.projectId !== scope.projectId) void this.resync();
  }

  /** Fetches the snapshot again. Never throws: the reason stands in `error`. */
  async resync(): Promise<void> {
    const turn = ++this.#asked;
    const { projectId } = this.#state.scope;
    this.dispatch({ kind: 'asked' });
    try {
      const snapshot = await readSnapshot((query) => call(listQueue, { query }), projectId);
      const last = turn === this.#asked;
      // A later request has its own answer under way; until then an earlier one is better than nothing.
      if (!last && (this.#state.loaded || this.#state.scope.projectId !== projectId)) return;
      this.error = null;
      this.dispatch({ kind: 'snapshot', snapshot, last });
    } catch (error) {
      if (turn !== this.#asked) return;
      this.error = error;
      const gone = error instanceof ApiProblem && error.status === 404;
      this.dispatch({ kind: gone ? 'gone' : 'unanswered' });
    }
  }

  /** Takes in an item as an answer to a command showed it; `leaseEnds` (ISO) is newer than what the item says of its claim. */
  put(detail: ItemDetail, leave: Leave, leaseEnds: string | null = null): void {
    const row = rowOf(detail);
    const claim = row.claim === null || leaseEnds === null ? row.claim : { ...row.claim, expires_at: leaseEnds };
    this.dispatch({ kind: 'item', row: { ...row, claim }, leave });
  }

  #lines(state: QueueState): readonly Entry[] {
    this.#drawn = entriesOf(state, this.#drawn);
    return this.#drawn;
  }

  #take(fact: Fact): void {
    this.#incoming.push(fact);
    // A hidden page draws no frames: everything that came meanwhile is one flush when it is seen again.
    this.#frame ??= requestAnimationFrame(() => this.#flush());
  }

  #flush(): void {
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
    this.#frame = null;
    if (this.#incoming.length === 0) return;
    const facts = this.#incoming;
    this.#incoming = [];
    this.#apply({ kind: 'facts', facts });
  }

  #apply(input: QueueInput): void {
    const { needsResync } = this.#state;
    this.#state = reduce(this.#state, input);
    const gap = this.#state.needsResync !== null && needsResync === null;
    const usedUp = input.kind === 'facts' && this.#state.horizon !== null && this.#state.rows.size < REFILL_BELOW;
    if ((gap || usedUp) && this.#state.buffer === null) void this.resync();
  }
}

function oldestOf(entries: readonly Entry[]): ItemRow | null {
  let oldest: ItemRow | null = null;
  for (const { row, leave } of entries) {
    if (leave === null && (oldest === null || row.created_at < oldest.created_at)) oldest = row;
  }
  return oldest;
}

/** The part of an item that a line shows; the payload stays with the item under decision. */
function rowOf(detail: ItemDetail): ItemRow {
  const { id, project_id, status, preview, confidence, risk_flags, model, source } = detail;
  const { created_at, due_at, version, claim } = detail;
  return { id, project_id, status, preview, confidence, risk_flags, model, source, created_at, due_at, version, claim };
}
