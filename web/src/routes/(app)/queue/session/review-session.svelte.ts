// The review session as the page uses it: its state and commands. The first command loads the engine that runs them.
import { nameOf as itemNameOf } from '#lib/format/name-of.ts';
import { clock } from '#lib/time/clock.svelte.ts';
import type { Command } from '#lib/keys/command.ts';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import type { ReviewAction } from '@countersign/shared/review-actions';
import { untrack } from 'svelte';
import type { DecisionInput, EditSession } from '../editor/edit-session.svelte.ts';
import type { History } from '../item/history.svelte.ts';
import type { RecentDecision } from '../recent/recent-decisions.svelte.ts';
import { Callers } from './callers.ts';
import type { ReviewEngine } from './review-engine.ts';
import { IDLE_EVENTS, type ReviewEvent } from './review-events.ts';
import type { Parts } from './review-requests.ts';
import {
  ALLOWED,
  editOf,
  emptyReview,
  idOf,
  nameOf,
  type ReviewState,
  type SessionCommand,
  type Transition,
} from './review-state.ts';
import { OpenItem, ReasonPrompt } from './session-views.svelte.ts';

/** Where the engine comes from. */
export interface EngineSource {
  /** Null until it has loaded. */
  readonly loaded: { readonly ReviewEngine: typeof ReviewEngine } | null;
  /** Why it could not be loaded; null when nothing failed. */
  readonly error: unknown;
  /** Resolves when it has loaded, or when `error` says why not: the next call then tries again. */
  fetch: () => Promise<void>;
}

export class ReviewSession {
  /** What the page reads. The session itself reads `#state`, so that no effect of the page depends on its own event. */
  #shown: ReviewState;
  #state: ReviewState;
  readonly item: OpenItem;
  readonly reasonPrompt: ReasonPrompt;
  /** Called when a command changed the open item: the URL and the focus follow. */
  onItemChange: (id: string | null, how: Transition) => void = () => undefined;

  readonly #parts: Parts;
  readonly #source: EngineSource;
  #engine: ReviewEngine | null = $state.raw(null);
  /** Events that arrived while another was being handled, or before the engine, in order. */
  readonly #events: ReviewEvent[] = [];
  #handling = false;
  /** The last command that waits for the engine. */
  #waiting: ReviewEvent | null = $state.raw(null);
  #loadFailure: { readonly error: unknown } | null = $state.raw(null);
  readonly #callers = new Callers();

  constructor(parts: Parts, source: EngineSource) {
    this.#state = emptyReview(parts.me.id);
    this.#shown = $state.raw(this.#state);
    this.#parts = parts;
    this.#source = source;
    const dispatch = (event: ReviewEvent) => this.#dispatch(event);
    this.item = new OpenItem(() => this.#shown.item, dispatch);
    this.reasonPrompt = new ReasonPrompt(() => this.#shown.item, dispatch);
    parts.drafts.onPageClosed(() => this.#refreshDrafts(idOf(this.#state.item)));
  }

  readonly edit: EditSession | null = $derived.by(() => editOf(this.#shown.item));
  readonly #command = $derived.by(() => this.#shown.command);
  /** The command whose change is in flight. */
  readonly busy: Command | null = $derived.by(() => {
    if (this.#waiting !== null) return commandIn(this.#waiting);
    return this.#command.at === 'running' ? nameOf(this.#command.job) : null;
  });
  readonly #failure = $derived.by(() => {
    if (this.#command.at !== 'failed') return null;
    const { error, retry: job } = this.#command;
    return { error, ...(job === null ? {} : { retry: () => this.#dispatch({ kind: 'retry', job }) }) };
  });
  /** Incremented when another tab wrote or sent a draft of the open item. */
  readonly draftsRevision = $derived.by(() => this.#shown.draftsRevision);

  /** Why the last command failed, with the way to try it again where there is one. */
  get failure(): { error: unknown; retry?: () => void } | null {
    return this.#failure;
  }

  /** Why the engine could not be loaded for the last command. */
  get loadFailure(): { readonly error: unknown } | null {
    return this.#loadFailure;
  }

  /** The item that is open, or that opens as soon as the engine has loaded. */
  get wantedId(): string | null {
    return this.#waiting?.kind === 'peek' ? this.#waiting.id : this.item.id;
  }

  /** The history of the open item. */
  get history(): History {
    if (this.#engine === null) throw new Error('No item has been opened: the engine has not loaded.');
    return this.#engine.history;
  }

  dismissFailure(): void {
    this.#dispatch({ kind: 'dismiss' });
  }

  /** Whether the state of the open item allows a command, for buttons and keys. Whether one is running is in `busy`. */
  allows(command: SessionCommand): boolean {
    return ALLOWED[this.item.state.at].includes(command);
  }

  /** Shows an item without claiming it; work on an item the user already holds continues. */
  async peek(id: string): Promise<void> {
    await this.#ask((caller) => ({ kind: 'peek', id, caller }));
  }

  /** Claims an item and shows it. If another user was faster, `onlost` is called. Resolves to whether it is the user's now. */
  claim(id: string, onlost: () => void = () => undefined): Promise<boolean> {
    const { queue, me } = this.#parts;
    const held = queue.state.rows.get(id)?.claim?.user_id === me.id;
    return this.#ask((caller) => ({ kind: 'open', id, caller, held, onlost }));
  }

  /** Takes over the open item from its holder, whose page is notified. */
  takeOver(): Promise<boolean> {
    return this.#ask((caller) => ({ kind: 'takeOver', caller }));
  }

  /** Reopens the open item, which routing had rejected; it stays open. */
  reopen(): Promise<boolean> {
    return this.#ask((caller) => ({ kind: 'reopen', caller }));
  }

  /** Lets the server pick the next item. A user who moved to another item meanwhile stays there. */
  next(): Promise<boolean> {
    return this.#ask((caller) => ({ kind: 'next', caller }));
  }

  /** Continues from a completed item to the next one. */
  continueToNext(): Promise<boolean> {
    const id = idOf(this.#state.item);
    const next = id === null ? null : untrack(() => this.prefetchedAfter(id));
    return this.#ask((caller) => ({ kind: 'accept', next, caller }));
  }

  /**
   * Decides the open item. The decision is shown at once, and the prefetched next item with it; its claim is requested when the
   * decision is confirmed. A refused decision is rolled back.
   */
  decide(action: ReviewAction, input: DecisionInput = {}): Promise<boolean> {
    editOf(this.#state.item)?.save();
    const id = idOf(this.#state.item);
    const draft = id === null ? null : this.#parts.drafts.read(id);
    const { flow } = this.#parts.preferences;
    const next = id === null ? null : untrack(() => this.prefetchedAfter(id));
    return this.#ask((caller) => ({ kind: 'decide', action, input, draft, flow, next, caller }));
  }

  /** Releases the item and claims the next one of the list. A user who moved to another item meanwhile stays there. */
  skip(): Promise<boolean> {
    return this.#ask((caller) => ({ kind: 'skip', caller }));
  }

  /** Releases the item and returns to the list. Its draft is retained. */
  giveBack(): Promise<boolean> {
    return this.#ask((caller) => ({ kind: 'giveBack', caller }));
  }

  /** Undoes a decision, claims its item again, and restores the draft. */
  undo(recent: RecentDecision): Promise<boolean> {
    return this.#ask((caller) => ({ kind: 'undo', recent, caller }));
  }

  /** Undoes the decision of the open item, whether this tab made it or another one. */
  async undoShown(): Promise<boolean> {
    const { id, detail } = this.item;
    const decision = detail?.decision;
    // While an item loads, the previous one may still be shown.
    if (!detail || detail.id !== id || !decision || decision.action === 'auto_approve') return false;
    const { id: itemId } = detail;
    const own = this.#parts.recentDecisions.of(itemId);
    // The texts of a decision that was undone belong to that one, also when this page was not open to learn of it.
    const undoUntil = detail.undo_until === null ? null : Date.parse(detail.undo_until);
    const replaced = own?.state === 'saved' && undoUntil !== null && own.undoUntil !== undoUntil;
    // Another page of the tab may still wait for the answer to it: the item says its window already.
    if (own !== null && !replaced && own.state !== 'undone' && own.state !== 'failed')
      return this.undo({ ...own, undoUntil: own.undoUntil ?? undoUntil });
    const { action, reason } = decision;
    const elsewhere = {
      itemId,
      name: itemNameOf(detail),
      action,
      reason,
      draft: null,
      notes: { note: '', own: '' },
    } as const;
    return this.undo({ ...elsewhere, state: 'saved', undoUntil, windowMs: 0, version: detail.version });
  }

  /** Renews the lease; claims the item again when the lease has ended. */
  extend(): Promise<boolean> {
    return this.#ask((caller) => ({ kind: 'extend', caller }));
  }

  /** Leaves the item without releasing it, at the user's request: the pending command is dropped. */
  close(): void {
    this.#dispatch({ kind: 'close' });
  }

  startEdit(): void {
    this.#dispatch({ kind: 'startEdit' });
  }

  /** Closes the editor; the draft stays. Where no answer was typed, the note is sent with any decision. */
  stopEdit(): void {
    const edit = editOf(this.#state.item);
    this.#dispatch({ kind: 'stopEdit', carried: edit !== null && !edit.typed ? edit.note : '' });
  }

  /** After an interruption: what was unreachable may be reachable now. */
  resync(): void {
    this.#dispatch({ kind: 'resync' });
  }

  /** The heartbeat, once a second; resolves when it was answered. */
  async sendHeartbeat(presence: { visible: boolean; inputAt: number }): Promise<void> {
    this.#dispatch({ kind: 'heartbeat', ...presence });
    await this.#engine?.renewal;
  }

  /** Another tab of this browser wrote or sent a draft. The text in this tab stays (QU19). */
  handleStorageEvent(event: StorageEvent): void {
    this.#refreshDrafts(this.#parts.drafts.onStorage(event));
  }

  /** Prefetches one item. Call it whenever the queue or the item changes; `awake`: the page is visible and connected. */
  prefetchNext(awake: boolean): void {
    const { id, pending } = this.item;
    if (pending) return;
    this.#engine?.prefetchAfter(awake && this.#parts.preferences.flow ? id : null);
  }

  /** The prefetched item; null while there is none. */
  get prefetched(): ItemDetail | null {
    return this.#engine?.prefetch.ready ?? null;
  }

  /** The prefetched content of the item after this one, if it is still valid. */
  prefetchedAfter(id: string): ItemDetail | null {
    return this.#engine?.prefetchedAfter(id) ?? null;
  }

  #refreshDrafts(id: string | null): void {
    if (id !== null && id === idOf(this.#state.item))
      this.#dispatch({ kind: 'draftsChanged', id, notes: this.#parts.drafts.openNotes(id) });
  }

  #ask(eventOf: (caller: number) => ReviewEvent): Promise<boolean> {
    return this.#callers.add((caller) => this.#dispatch(eventOf(caller)));
  }

  /** Handles an event; one that its effects cause comes after it. Before the engine has loaded, events wait in order. */
  #dispatch(event: ReviewEvent): void {
    const engine = untrack(() => this.#engine ?? this.#createEngine());
    if (engine === null) return this.#wait(event);
    this.#events.push(event);
    this.#handleEvents(engine);
  }

  #createEngine(): ReviewEngine | null {
    const { loaded } = this.#source;
    if (loaded === null) return null;
    this.#engine = new loaded.ReviewEngine(this.#parts, {
      state: () => this.#state,
      dispatch: (event) => this.#dispatch(event),
      finish: (caller, result) => this.#callers.tell(caller, result),
      follow: (id, how) => this.onItemChange(id, how),
      decide: (action, input) => this.decide(action, input),
      startEdit: () => this.startEdit(),
      dismissFailure: () => this.dismissFailure(),
    });
    return this.#engine;
  }

  #handleEvents(engine: ReviewEngine): void {
    if (this.#handling) return;
    this.#handling = true;
    try {
      untrack(() => {
        for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) {
          const { state, effects } = engine.reduce(this.#state, event, clock.read());
          this.#state = state;
          this.#shown = state;
          for (const effect of effects) engine.perform(effect);
        }
      });
    } finally {
      this.#handling = false;
    }
  }

  /** No press is lost (QU2): what waits is handled in order when the engine has loaded. */
  #wait(event: ReviewEvent): void {
    if (IDLE_EVENTS.has(event.kind)) return;
    const starts = untrack(() => this.#waiting === null);
    this.#events.push(event);
    this.#waiting = event;
    this.#loadFailure = null;
    if (starts) void this.#source.fetch().then(() => this.#endWait());
  }

  /** A failed import drops what waited: a press must not have an effect long after it was made. */
  #endWait(): void {
    this.#waiting = null;
    const engine = this.#engine ?? this.#createEngine();
    if (engine !== null) return this.#handleEvents(engine);
    this.#loadFailure = { error: this.#source.error };
    for (const event of this.#events.splice(0)) if ('caller' in event) this.#callers.tell(event.caller, false);
  }
}

/** The command of a button that is pending while its event waits. A read makes none pending. */
function commandIn({ kind }: ReviewEvent): Command | null {
  return kind === 'open' || kind === 'next' ? kind : null;
}
