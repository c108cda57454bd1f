// The driver of the review session: holds its state, runs its effects, and gives the page its commands.
import { ApiProblem, call } from '#lib/api/client.ts';
import { sameDraft } from '#lib/drafts/drafts.ts';
import { clock } from '#lib/time/clock.svelte.ts';
import type { Command } from '#lib/keys/command.ts';
import { readQueueItem, releaseClaim, renewClaim } from '@countersign/shared/routes/queue';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import type { ReviewAction } from '@countersign/shared/review-actions';
import { untrack } from 'svelte';
import { EditSession, type DecisionInput } from '../editor/edit-session.svelte.ts';
import type { RecentDecision } from '../recent/recent-decisions.svelte.ts';
import { Callers, CommandRequests, DecisionSender, ownRemoval, type Parts } from './review-requests.ts';
import { predict, Prefetch, type NextItemContext } from './next-item.svelte.ts';
import type { Effect, EffectOf, ReviewEvent } from './review-events.ts';
import { reviewMessages } from '#lib/messages/review-messages.ts';
import { reduce } from './review-reducer.ts';
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

/** An item that arrives within this many ms replaces the previous one without a blank between them. */
const KEEP_PREVIOUS_MS = 150;
/** A renewal with this status will never succeed: decided, forwarded, or not visible to the user. */
const NEVER_RENEWED: ReadonlySet<number> = new Set([404, 409]);

type Effects = { [K in Effect['kind']]: (effect: EffectOf<K>) => unknown };

export class ReviewSession {
  /** The state as the page reads it; the driver itself reads the copy, so that no effect of the page depends on its own event. */
  #shown: ReviewState;
  #state: ReviewState;
  readonly item: OpenItem;
  readonly reasonPrompt: ReasonPrompt;
  readonly prefetch = new Prefetch();
  /** Called when a command changed the open item: the URL and the focus follow. */
  onItemChange: (id: string | null, how: Transition) => void = () => undefined;

  readonly #parts: Parts & NextItemContext;
  readonly #sender: DecisionSender;
  readonly #requests: CommandRequests;
  /** Events that arrived while another was being handled, in order. */
  readonly #events: ReviewEvent[] = [];
  #handling = false;
  readonly #callers = new Callers();
  /** The last renewal of the heartbeat. */
  #renewal: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#state = emptyReview(parts.me.id);
    this.#shown = $state.raw(this.#state);
    this.#sender = new DecisionSender(parts);
    this.#parts = { ...parts, forwarded: this.#sender.forwarded };
    const dispatch = (event: ReviewEvent) => this.#dispatch(event);
    this.#requests = new CommandRequests(this.#parts, this.#sender, dispatch);
    this.item = new OpenItem(() => this.#shown.item, dispatch);
    this.reasonPrompt = new ReasonPrompt(() => this.#shown.item, dispatch);
    parts.drafts.onPageClosed(() => this.#refreshDrafts(idOf(this.#state.item)));
  }

  readonly edit: EditSession | null = $derived.by(() => editOf(this.#shown.item));
  readonly #command = $derived.by(() => this.#shown.command);
  /** The command whose change is in flight. */
  readonly busy: Command | null = $derived(this.#command.at === 'running' ? nameOf(this.#command.job) : null);
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
    const { id: itemId, preview } = detail;
    const own = this.#parts.recentDecisions.of(itemId);
    // The texts of a decision that was undone belong to that one.
    if (own !== null && own.state !== 'undone' && own.state !== 'failed') return this.undo(own);
    const { action, reason } = decision;
    const elsewhere = { itemId, preview, action, reason, draft: null, notes: { note: '', own: '' } } as const;
    return this.undo({ ...elsewhere, state: 'saved', undoUntil: null, windowMs: 0 });
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
    this.#dispatch({ kind: 'stopEdit', carried: edit !== null && edit.text === edit.original ? edit.note : '' });
  }

  /** After an interruption: what was unreachable may be reachable now. */
  resync(): void {
    this.#dispatch({ kind: 'resync' });
  }

  /** The heartbeat, once a second; resolves when it was answered. */
  async sendHeartbeat(presence: { visible: boolean; inputAt: number }): Promise<void> {
    this.#dispatch({ kind: 'heartbeat', ...presence });
    await this.#renewal;
  }

  /** Another tab of this browser wrote or sent a draft. The text in this tab stays (QU19). */
  handleStorageEvent(event: StorageEvent): void {
    this.#refreshDrafts(this.#parts.drafts.onStorage(event));
  }

  /** Prefetches one item. Call it whenever the queue or the item changes; `awake`: the page is visible and connected. */
  prefetchNext(awake: boolean): void {
    const { id, pending } = this.item;
    if (pending) return;
    const wanted = awake && this.#parts.preferences.flow && id !== null;
    this.prefetch.want(wanted ? predict(id, this.#parts) : null);
  }

  /** The prefetched content of the item after this one, if it is still valid. */
  prefetchedAfter(id: string): ItemDetail | null {
    return this.prefetch.of(predict(id, this.#parts));
  }

  #refreshDrafts(id: string | null): void {
    if (id !== null && id === idOf(this.#state.item))
      this.#dispatch({ kind: 'draftsChanged', id, notes: this.#parts.drafts.openNotes(id) });
  }

  #ask(eventOf: (caller: number) => ReviewEvent): Promise<boolean> {
    return this.#callers.add((caller) => this.#dispatch(eventOf(caller)));
  }

  /** Reduces an event and runs its effects; an event that an effect causes comes after them. */
  #dispatch(event: ReviewEvent): void {
    this.#events.push(event);
    if (this.#handling) return;
    this.#handling = true;
    try {
      untrack(() => this.#handleEvents());
    } finally {
      this.#handling = false;
    }
  }

  #handleEvents(): void {
    for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) {
      const { state, effects } = reduce(this.#state, event, clock.read());
      this.#state = state;
      this.#shown = state;
      for (const effect of effects) this.#perform(effect);
    }
  }

  #perform(effect: Effect): void {
    // The table pairs each kind with its own handler; the compiler cannot follow the pairing through an index.
    (this.#effects[effect.kind] as (effect: Effect) => unknown)(effect);
  }

  readonly #effects: Effects = {
    send: ({ job }) =>
      this.#requests.send(job).then(
        (answer) => this.#dispatch({ kind: 'answered', job, answer }),
        (error: unknown) => this.#dispatch({ kind: 'refused', job, error }),
      ),
    read: ({ kind: _, ...asked }) =>
      call(readQueueItem, { params: { id: asked.id } }).then(
        (detail) => this.#dispatch({ kind: 'read', ...asked, detail }),
        (error: unknown) => this.#dispatch({ kind: 'unread', ...asked, error }),
      ),
    renew: ({ id, grant }) => {
      this.#renewal = call(renewClaim, { params: { id }, body: { fence: grant.fence } }).then(
        (granted) => this.#dispatch({ kind: 'renewed', granted }),
        (error: unknown) => {
          const refused = error instanceof ApiProblem && NEVER_RENEWED.has(error.status);
          this.#dispatch({ kind: 'notRenewed', id, grant, refused });
        },
      );
    },
    blankSoon: ({ visit }) => setTimeout(() => this.#dispatch({ kind: 'blank', visit }), KEEP_PREVIOUS_MS),
    finish: ({ caller, result }) => this.#callers.tell(caller, result),
    callBack: ({ call: callBack }) => callBack(),
    follow: ({ id, how }) => this.onItemChange(id, how),
    say: ({ text, urgent }) => this.#parts.announcer.say(text, urgent ? 'assertive' : undefined),
    put: ({ row, what, leaseEnds }) => this.#parts.queue.put(row, ownRemoval(this.#parts.me, what), leaseEnds),
    history: ({ switchTo }) => this.item.history.switchTo(switchTo),
    readHistory: () => this.item.history.readSoon(),
    restoreNotes: ({ id }) => {
      const { drafts, recentDecisions } = this.#parts;
      // The decision that was not saved has been opened again.
      if (recentDecisions.of(id)?.state === 'failed') recentDecisions.drop(id);
      this.#dispatch({ kind: 'notesRestored', id, notes: drafts.openNotes(id) });
    },
    saveNotes: ({ id, notes }) =>
      this.#dispatch({ kind: 'saved', id, persisted: this.#parts.drafts.saveNotes(id, notes) }),
    saveEdit: ({ edit }) => edit.save(),
    openEditor: (effect) => this.#openEditor(effect),
    resumeDraft: ({ id }) => {
      if (this.#parts.drafts.read(id) !== null) this.startEdit();
    },
    emptyNote: ({ edit }) => {
      edit.note = '';
      edit.changed();
      if (edit.reason === null) edit.reset();
      else edit.save();
    },
    editFault: ({ edit, fault }) => (edit.fault = fault),
    refreshOtherDrafts: ({ edit }) => edit.refreshOtherDrafts(),
    releaseUntouched: ({ id, fence }) => {
      const { drafts } = this.#parts;
      const { note, own } = drafts.notes(id);
      if (drafts.read(id) !== null || note !== '' || own !== '') return;
      // If this fails, the lease expires automatically.
      void call(releaseClaim, { params: { id }, body: { fence } }).catch(() => undefined);
    },
    forgetSent: ({ detail }) => this.#sender.forgetSent(detail),
    showDecision: ({ request }) => this.#sender.applyOptimistic(request),
    confirmDecision: ({ after, request }) => this.#sender.confirm(after, request),
    rollBack: ({ id, onShow }) => this.#sender.rollBack(id, onShow),
    confirmLate: ({ detail }) => {
      const request = this.#sender.takeLateConfirmation(detail);
      if (request === null) return;
      this.#sender.applyOptimistic(request);
      this.#sender.confirm(detail, request);
      this.#dispatch({ kind: 'confirmedLate' });
    },
    finalDecision: ({ id }) => this.#parts.recentDecisions.final(id),
    decideAgain: (effect) => this.#decideAgain(effect),
  };

  #openEditor({ detail, edit: open, note }: EffectOf<'openEditor'>): void {
    const edit = open ?? new EditSession(this.#parts.drafts, detail);
    const moved = note !== '' && edit.note === '';
    if (moved) {
      edit.note = note;
      edit.changed();
      edit.save();
    }
    this.#dispatch({ kind: 'editorOpened', id: detail.id, edit, moved });
  }

  /** Retry sends the same request for the same item; text typed since is not sent without the user seeing it. */
  #decideAgain({ decision: { request, input, edit } }: EffectOf<'decideAgain'>): void {
    const { id } = request.detail;
    if (idOf(this.#state.item) !== id) return;
    editOf(this.#state.item)?.save();
    if (edit === null || sameDraft(this.#parts.drafts.read(id), request.draft))
      return void this.decide(request.action, input);
    this.dismissFailure();
    edit.fault = reviewMessages.failed.changed;
  }
}
