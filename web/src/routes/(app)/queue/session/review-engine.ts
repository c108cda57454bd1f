// The engine of the review session, which loads with the first item: reduces its events and runs its effects.
import { ApiProblem, call } from '#lib/api/client.ts';
import { hasNotes, sameDraft } from '#lib/drafts/drafts.ts';
import { reviewMessages } from '#lib/messages/review-messages.ts';
import { readQueueItem, releaseClaim, renewClaim } from '@countersign/shared/routes/queue';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import type { ReviewAction } from '@countersign/shared/review-actions';
import { EditSession, type DecisionInput } from '../editor/edit-session.svelte.ts';
import { History } from '../item/history.svelte.ts';
import { predict, Prefetch, type NextItemContext } from './next-item.svelte.ts';
import type { Effect, EffectOf, ReviewEvent } from './review-events.ts';
import { reduce } from './review-reducer.ts';
import { CommandRequests, DecisionSender, ownRemoval, type Parts } from './review-requests.ts';
import { editOf, idOf, type Caller, type ReviewState, type Transition } from './review-state.ts';

/** An item that arrives within this many ms replaces the previous one without a blank between them. */
const KEEP_PREVIOUS_MS = 150;
/** A renewal with this status will never succeed: decided, forwarded, or not visible to the user. */
const NEVER_RENEWED: ReadonlySet<number> = new Set([404, 409]);

/** What the engine asks of the session that it works for. */
interface Host {
  readonly state: () => ReviewState;
  readonly dispatch: (event: ReviewEvent) => void;
  /** Tells a command's caller its result. */
  readonly finish: (caller: Caller, result: boolean) => void;
  readonly follow: (id: string | null, how: Transition) => void;
  readonly decide: (action: ReviewAction, input: DecisionInput) => unknown;
  readonly startEdit: () => void;
  readonly dismissFailure: () => void;
}

type Effects = { [K in Effect['kind']]: (effect: EffectOf<K>) => unknown };

export class ReviewEngine {
  readonly history = new History();
  readonly prefetch = new Prefetch();
  readonly reduce = reduce;
  /** The last renewal of the heartbeat. */
  renewal: Promise<void> = Promise.resolve();

  readonly #parts: Parts & NextItemContext;
  readonly #host: Host;
  readonly #sender: DecisionSender;
  readonly #requests: CommandRequests;

  constructor(parts: Parts, host: Host) {
    this.#sender = new DecisionSender(parts);
    this.#parts = { ...parts, forwarded: this.#sender.forwarded };
    this.#host = host;
    this.#requests = new CommandRequests(this.#parts, this.#sender, host.dispatch);
  }

  /** Prefetches the item that would come after this one; null discards what is prefetched. */
  prefetchAfter(id: string | null): void {
    this.prefetch.want(id === null ? null : predict(id, this.#parts));
  }

  /** The prefetched content of the item after this one, if it is still valid. */
  prefetchedAfter(id: string): ItemDetail | null {
    return this.prefetch.of(predict(id, this.#parts));
  }

  perform(effect: Effect): void {
    // The table pairs each kind with its own handler; the compiler cannot follow the pairing through an index.
    (this.#effects[effect.kind] as (effect: Effect) => unknown)(effect);
  }

  readonly #effects: Effects = {
    send: ({ job }) =>
      this.#requests.send(job).then(
        (answer) => this.#host.dispatch({ kind: 'answered', job, answer }),
        (error: unknown) => this.#host.dispatch({ kind: 'refused', job, error }),
      ),
    read: ({ kind: _, ...asked }) =>
      call(readQueueItem, { params: { id: asked.id } }).then(
        (detail) => this.#host.dispatch({ kind: 'read', ...asked, detail }),
        (error: unknown) => this.#host.dispatch({ kind: 'unread', ...asked, error }),
      ),
    renew: ({ id, grant }) => {
      this.renewal = call(renewClaim, { params: { id }, body: { fence: grant.fence } }).then(
        (granted) => this.#host.dispatch({ kind: 'renewed', granted }),
        (error: unknown) => {
          const refused = error instanceof ApiProblem && NEVER_RENEWED.has(error.status);
          this.#host.dispatch({ kind: 'notRenewed', id, grant, refused });
        },
      );
    },
    blankSoon: ({ visit }) => setTimeout(() => this.#host.dispatch({ kind: 'blank', visit }), KEEP_PREVIOUS_MS),
    finish: ({ caller, result }) => this.#host.finish(caller, result),
    callBack: ({ call: callBack }) => callBack(),
    follow: ({ id, how }) => this.#host.follow(id, how),
    say: ({ text, urgent }) => this.#parts.announcer.say(text, urgent ? 'assertive' : undefined),
    put: ({ row, what, leaseEnds }) => this.#parts.queue.put(row, ownRemoval(this.#parts.me, what), leaseEnds),
    history: ({ switchTo }) => this.history.switchTo(switchTo),
    readHistory: () => this.history.readSoon(),
    restoreNotes: ({ id }) => {
      const { drafts, recentDecisions } = this.#parts;
      // The decision that was not saved has been opened again.
      if (recentDecisions.of(id)?.state === 'failed') recentDecisions.drop(id);
      this.#host.dispatch({ kind: 'notesRestored', id, notes: drafts.openNotes(id) });
    },
    saveNotes: ({ id, notes }) =>
      this.#host.dispatch({ kind: 'saved', id, persisted: this.#parts.drafts.saveNotes(id, notes) }),
    saveEdit: ({ edit }) => edit.save(),
    openEditor: (effect) => this.#openEditor(effect),
    resumeDraft: ({ id }) => {
      if (this.#parts.drafts.read(id) !== null) this.#host.startEdit();
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
      if (drafts.read(id) !== null || hasNotes(drafts.notes(id))) return;
      // If this fails, the lease expires automatically.
      void call(releaseClaim, { params: { id }, body: { fence } }).catch(() => undefined);
    },
    forgetSent: ({ detail }) => this.#sender.forgetSent(detail),
    checkUndone: ({ detail }) => this.#parts.recentDecisions.checkUndone(detail),
    showDecision: ({ request }) => this.#sender.applyOptimistic(request),
    confirmDecision: ({ after, request }) => this.#sender.confirm(after, request),
    rollBack: ({ id, onShow }) => this.#sender.rollBack(id, onShow),
    confirmLate: ({ detail }) => {
      const request = this.#sender.takeLateConfirmation(detail);
      if (request === null) return;
      this.#sender.applyOptimistic(request);
      this.#sender.confirm(detail, request);
      this.#host.dispatch({ kind: 'confirmedLate' });
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
    this.#host.dispatch({ kind: 'editorOpened', id: detail.id, edit, moved });
  }

  /** Retry sends the same request for the same item; text typed since is not sent without the user seeing it. */
  #decideAgain({ decision: { request, input, edit } }: EffectOf<'decideAgain'>): void {
    const { id } = request.detail;
    if (idOf(this.#host.state().item) !== id) return;
    editOf(this.#host.state().item)?.save();
    if (edit === null || sameDraft(this.#parts.drafts.read(id), request.draft))
      return void this.#host.decide(request.action, input);
    this.#host.dismissFailure();
    edit.fault = reviewMessages.failed.changed;
  }
}
