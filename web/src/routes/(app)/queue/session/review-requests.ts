// What the review session asks the server for: a decision, shown before its response, and every other command.
import type { Draft } from '#lib/drafts/drafts.ts';
import { announcementMessages } from '../announcements/announcement-messages.ts';
import { nameOf } from '#lib/format/name-of.ts';
import { ApiProblem, call, isRefusal, NetworkFailure } from '#lib/api/client.ts';
import { clock } from '#lib/time/clock.svelte.ts';
import { isoOf } from '#lib/format/format.ts';
import type { Drafts } from '#lib/drafts/drafts.ts';
import type { RowRemoval } from '#lib/live/queue/queue-model.ts';
import type { LiveQueue } from '#lib/live/queue/live-queue.svelte.ts';
import { parseJson, printJson } from '#lib/values/json/lossless.ts';
import { queueMessages as messages } from '#lib/messages/queue-messages.ts';
import {
  claimItem,
  decideItem,
  readHistory,
  readQueueItem,
  releaseClaim,
  renewClaim,
  reopenItem,
  takeOver,
  undoDecision,
} from '@countersign/shared/routes/queue';
import type { Granted } from '@countersign/shared/schemas/queue';
import type { User } from '@countersign/shared/schemas/session';
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import { RawJson, type Json } from '@countersign/shared/json/json';
import { ACTIONS, isMove, pastTextsOf, type ReviewAction } from '@countersign/shared/review-actions';
import type { Announcer } from '../announcements/announcer.svelte.ts';
import type { Preferences } from '../preferences.svelte.ts';
import type { RecentDecision, RecentDecisions } from '../recent/recent-decisions.svelte.ts';
import { ClaimRecovery, claimAfter, claimAny, claimNextRow, type NextItemContext } from './next-item.svelte.ts';
import type { Answer, ReviewEvent } from './review-events.ts';
import type { DecisionRequest, Job, JobOf } from './review-state.ts';
import { subjectOf } from '../editor/edit-model.ts';

/** The dependencies of the review session. */
export interface Parts {
  readonly me: User;
  readonly queue: LiveQueue;
  readonly drafts: Drafts;
  readonly recentDecisions: RecentDecisions;
  readonly announcer: Announcer;
  readonly preferences: Preferences;
}

/** An answer that takes longer counts as lost; finding out whether the request had effect may take as long again. Ms. */
const ANSWER_TIMEOUT_MS = 8000;
const LOOKUP_TIMEOUT_MS = 4000;

/** The removal of a row by the user's own action. */
export const ownRemoval = (me: User, what: RowRemoval['what']): RowRemoval => ({
  what,
  by: me.name ?? messages.you,
  mine: true,
  at: isoOf(clock.read()),
  undoUntil: null,
});

/** An edit approves the item, and its row says that it was edited. */
const removalBy = (action: ReviewAction): RowRemoval['what'] => (action === 'edit' ? 'edited' : ACTIONS[action].to);

export class DecisionSender {
  readonly #parts: Parts;
  /** Decisions whose answer was lost: they may have had effect, or may still have it. */
  readonly #unconfirmed = new Map<string, readonly DecisionRequest[]>();

  /** Items this user forwarded to others: the version each had then. */
  readonly forwarded = new Map<string, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Shows the decision as made: the row leaves, and the recent decisions have it. */
  applyOptimistic({ detail, action, input, draft, notes }: DecisionRequest): void {
    const { queue, recentDecisions, me } = this.#parts;
    const { id: itemId } = detail;
    const { reason = null } = input;
    queue.dispatch({ kind: 'saving', id: itemId, removal: ownRemoval(me, removalBy(action)) });
    recentDecisions.add({
      itemId,
      name: nameOf(detail),
      action,
      reason,
      state: 'saving',
      undoUntil: null,
      windowMs: 0,
      version: 0,
      draft,
      notes,
    });
  }

  /**
   * Sends the decision; returns the decided item, and the request that had effect. A request whose answer was lost may still have
   * had effect: the item then tells, and it may have been an earlier try with other input, which is shown instead. A second try
   * therefore reads the item first, and is not refused for what the first one did. Throws {@link ApiProblem} when it was refused,
   * {@link NetworkFailure} when the outcome is unknown.
   */
  async send(request: DecisionRequest): Promise<{ after: ItemDetail; request: DecisionRequest }> {
    const { detail, fence, action, input } = request;
    const { id } = detail;
    const early = await this.#findAccepted(request);
    if (early !== null) return early;
    try {
      const body = { fence, action, ...input };
      const after = await call(decideItem, { params: { id }, body, timeoutMs: ANSWER_TIMEOUT_MS });
      this.#unconfirmed.delete(id);
      return { after, request };
    } catch (error) {
      if (error instanceof NetworkFailure) this.#unconfirmed.set(id, [...(this.#unconfirmed.get(id) ?? []), request]);
      if (error instanceof ApiProblem && error.status !== 409) throw error;
      const accepted = await this.#findAccepted(request);
      if (accepted === null) throw error;
      return accepted;
    }
  }

  /** The server has accepted it: the draft it was made from is deleted, and nothing else. */
  confirm(detail: ItemDetail, { action, input, draft, notes }: DecisionRequest): void {
    const { queue, recentDecisions, drafts, announcer, me } = this.#parts;
    drafts.sent(detail.id, {
      draft: action === 'edit' ? draft : null,
      note: notes.note,
      own: input.reason === notes.own.trim() ? notes.own : '',
      ...(action === 'respond' && notes.response !== undefined && { response: notes.response }),
    });
    queue.put(detail, { ...ownRemoval(me, removalBy(action)), undoUntil: detail.undo_until });
    recentDecisions.confirm(detail.id, detail);
    announcer.say(pastTextsOf(action).announcement);
    if (isMove(action)) this.forwarded.set(detail.id, detail.version);
  }

  /**
   * Called when an item was read that this user decided, possibly on a page that closed before the answer arrived: the text sent
   * with the decision is no longer a draft.
   */
  forgetSent(detail: ItemDetail): void {
    const { id, decision } = detail;
    const { drafts, me } = this.#parts;
    if (decision?.reviewer_id !== me.id) return;
    const draft = drafts.read(id);
    const { note, own, response } = drafts.notes(id);
    drafts.sent(id, {
      draft:
        draft !== null && isSameOutput(draft, subjectOf({ ...detail, suggestion: decision.output })) ? draft : null,
      note: note.trim() === (decision.note ?? '') ? note : '',
      own: own.trim() === (decision.reason ?? '') ? own : '',
      ...(response !== undefined && response.trim() === decision.response?.trim() && { response }),
    });
  }

  /**
   * The server has refused it: the row is restored, and the recent decision is removed, unless the item must be reachable from
   * there.
   */
  rollBack(id: string, onShow: boolean): void {
    const { queue, recentDecisions } = this.#parts;
    queue.dispatch({ kind: 'decision_settled', id });
    if (onShow) recentDecisions.drop(id);
    else recentDecisions.fail(id);
  }

  /** Called when an item was read again. Returns the decision of this user that turns out to have had effect. */
  takeLateConfirmation(detail: ItemDetail): DecisionRequest | null {
    const request = this.#unconfirmed.get(detail.id)?.find((each) => this.#matchesDecision(detail, each)) ?? null;
    if (request !== null) this.#unconfirmed.delete(detail.id);
    return request;
  }

  /** The request that had effect, of all tries whose answer was lost, and shows it; null when none had or nobody knows. */
  async #findAccepted(request: DecisionRequest): Promise<{ after: ItemDetail; request: DecisionRequest } | null> {
    const { id } = request.detail;
    if (!this.#unconfirmed.has(id)) return null;
    const accepted = await this.#lookUpAccepted(id).catch(() => null);
    if (accepted === null) return null;
    this.#unconfirmed.delete(id);
    if (accepted.request !== request) this.applyOptimistic(accepted.request);
    return accepted;
  }

  async #lookUpAccepted(id: string): Promise<{ after: ItemDetail; request: DecisionRequest } | null> {
    const params = { id };
    const tries = this.#unconfirmed.get(id) ?? [];
    const after = await call(readQueueItem, { params, timeoutMs: LOOKUP_TIMEOUT_MS });
    const request = tries.find((each) => this.#matchesDecision(after, each));
    if (request !== undefined) return { after, request };
    // A move between people leaves no decision on the item; the history names the actor.
    const moves = tries.filter(({ action, detail }) => isMove(action) && after.version > detail.version);
    if (moves.length === 0) return null;
    const { data } = await call(readHistory, { params, timeoutMs: LOOKUP_TIMEOUT_MS });
    const moved = moves.find((each) => data.some((event) => this.#matchesEvent(event, each)));
    return moved === undefined ? null : { after, request: moved };
  }

  /** Whether the item's decision is this very one, and not another one of the same user. */
  #matchesDecision({ decision }: ItemDetail, { action, input }: DecisionRequest): boolean {
    if (decision?.reviewer_id !== this.#parts.me.id || decision.action !== action) return false;
    if (decision.reason !== (input.reason ?? null) || decision.note !== (input.note ?? null)) return false;
    if (action === 'respond') return decision.response === input.response;
    return action !== 'edit' || sameText(decision.output, input.output);
  }

  #matchesEvent(event: DomainEvent, { action, input, detail }: DecisionRequest): boolean {
    if (event.type !== (ACTIONS[action].to === 'escalated' ? 'item.escalated' : 'item.queued')) return false;
    if (event.actor.id !== this.#parts.me.id || event.version <= detail.version) return false;
    return event.reason === (input.reason ?? null) && (event.note ?? null) === (input.note ?? null);
  }
}

/** The input is JSON text with its own white space, or a text. */
function sameText(output: Json, input: Json | undefined): boolean {
  if (input === undefined) return false;
  const sent = input instanceof RawJson ? parseJson(input.text) : input;
  return printJson(output, 0) === printJson(sent, 0);
}

/** Whether the draft is this output, in any layout. */
function isSameOutput({ text: typed, json }: Draft, output: Json): boolean {
  if (typeof output === 'string' && json !== true) return typed === output;
  try {
    return printJson(parseJson(typed)) === printJson(output);
  } catch {
    return false;
  }
}

type Requests = { [K in Job['kind']]: (job: JobOf<K>) => Promise<Answer> };

export class CommandRequests {
  readonly #parts: Parts & NextItemContext;
  readonly #sender: DecisionSender;
  /** Tells the reducer that a first step had effect. */
  readonly #dispatch: (event: ReviewEvent) => void;
  readonly #recovery = new ClaimRecovery();

  constructor(parts: Parts & NextItemContext, sender: DecisionSender, dispatch: (event: ReviewEvent) => void) {
    this.#parts = parts;
    this.#sender = sender;
    this.#dispatch = dispatch;
  }

  readonly #requests: Requests = {
    open: async ({ id }) => granted(await call(claimItem, { params: { id } })),
    takeOver: async ({ id }) => granted(await call(takeOver, { params: { id } })),
    reopen: async ({ id }) => ({ kind: 'item', detail: await call(reopenItem, { params: { id }, body: {} }) }),
    next: async ({ shown }) => granted(await this.#claim(() => claimAny(shown, this.#parts))),
    advance: async ({ done }) => granted(await this.#claim(() => claimAfter(done, this.#parts))),
    skip: async ({ id, fence }) => {
      await this.#release(id, fence);
      return granted(await this.#claim(() => claimNextRow(id, this.#parts)));
    },
    giveBack: async ({ id, fence }) => {
      await this.#release(id, fence);
      return { kind: 'done' };
    },
    extend: async ({ id, fence }) => granted(await call(renewClaim, { params: { id }, body: { fence } })),
    decide: async ({ decision }) => ({ kind: 'decided', ...(await this.#sender.send(decision.request)) }),
    undo: (job) => this.#undo(job),
  };

  send(job: Job): Promise<Answer> {
    // The table pairs each kind with its own request; the compiler cannot follow the pairing through an index.
    return (this.#requests[job.kind] as (job: Job) => Promise<Answer>)(job);
  }

  #claim(ask: () => Promise<Granted | null>): Promise<Granted | null> {
    return this.#recovery.claim(this.#parts, ask);
  }

  /** Releases a claim; one that is already gone counts as released. */
  async #release(id: string, fence: number): Promise<void> {
    try {
      await call(releaseClaim, { params: { id }, body: { fence } });
    } catch (error) {
      if (!isRefusal(error, ['claim_lost', 'already_decided', 'expired', 'not_found'])) throw error;
    }
    this.#dispatch({ kind: 'released', id });
  }

  /** Undoes a decision and claims its item again; a retry continues at the step that failed. */
  async #undo({ recent, waited, sent, caller }: JobOf<'undo'>): Promise<Answer> {
    const { itemId: id } = recent;
    const state = this.#parts.recentDecisions.of(id)?.state ?? '';
    // The command it waited for has undone it already, or the decision was refused.
    if (!sent && waited && ['undone', 'failed'].includes(state)) return { kind: 'over' };
    // No decision of this page is in flight here, so another page of the tab is sending it: the undo would overtake it.
    if (!sent && state === 'saving' && recent.undoUntil === null) return { kind: 'over' };
    if (!sent) await this.#undoDecision(recent);
    this.#dispatch({ kind: 'undone', caller });
    try {
      return granted(await call(claimItem, { params: { id } }));
    } catch (error) {
      // Someone else claimed it first: the decision is undone all the same.
      if (!isRefusal(error, ['claim_held', 'already_decided', 'expired'])) throw error;
      return { kind: 'taken' };
    }
  }

  async #undoDecision({ itemId, undoUntil, draft, notes: sent }: RecentDecision): Promise<void> {
    const { queue, recentDecisions, drafts, announcer, me } = this.#parts;
    // While it waited for the decision to be saved, its window was not known yet.
    const detail = await sendUndo(itemId, undoUntil ?? recentDecisions.of(itemId)?.undoUntil ?? null);
    queue.put(detail, ownRemoval(me, 'queued'));
    recentDecisions.undone(itemId);
    if (draft !== null && drafts.read(itemId) === null) drafts.save(itemId, draft);
    const { note, own, response } = drafts.notes(itemId);
    const again = { note: note || sent.note, own: own || sent.own, response: response ?? sent.response ?? '' };
    drafts.saveNotes(itemId, again);
    announcer.say(announcementMessages.undone);
  }
}

const granted = (answer: Granted | null): Answer => ({ kind: 'granted', granted: answer });

/** An undo whose answer was lost may have had effect, and is refused the next time: the item then tells. */
async function sendUndo(id: string, undoUntil: number | null): Promise<ItemDetail> {
  // Names the decision: a request that is delayed must not undo a later one.
  const body = undoUntil === null ? {} : { undo_until: new Date(undoUntil).toISOString() };
  try {
    return await call(undoDecision, { params: { id }, body });
  } catch (error) {
    if (!(error instanceof NetworkFailure) && !isRefusal(error, ['undo_window_passed'])) throw error;
    const detail = await call(readQueueItem, { params: { id } });
    if (detail.decision !== null || (detail.status !== 'queued' && detail.status !== 'escalated')) throw error;
    return detail;
  }
}
