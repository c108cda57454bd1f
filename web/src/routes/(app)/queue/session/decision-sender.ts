// Sends one decision: shown before the server has answered, then confirmed or rolled back completely.
import { ApiProblem, call, NetworkFailure } from '#lib/api/client.ts';
import { clock } from '#lib/time/clock.svelte.ts';
import type { Draft, Drafts, Notes } from '#lib/drafts/drafts.ts';
import type { RowRemoval } from '#lib/live/queue/queue-model.ts';
import type { LiveQueue } from '#lib/live/queue/live-queue.svelte.ts';
import { parseJson, printJson } from '#lib/values/json/lossless.ts';
import { queueMessages as messages } from '#lib/messages/queue-messages.ts';
import { decideItem, readHistory, readQueueItem } from '@countersign/shared/api/queue';
import type { User } from '@countersign/shared/api/session';
import type { DomainEvent } from '@countersign/shared/events';
import type { ItemDetail, ItemRow } from '@countersign/shared/item';
import type { Json } from '@countersign/shared/json/json';
import { ACTIONS, isMove, pastTextsOf, type ReviewAction } from '@countersign/shared/review-actions';
import type { Announcer } from '../announcements/announcer.svelte.ts';
import { isoOf } from './review-rules.ts';
import type { Preferences } from '../preferences.svelte.ts';
import type { RecentDecisions } from '../recent/recent-decisions.svelte.ts';

/** The dependencies of the review session. */
export interface Parts {
  readonly me: User;
  readonly queue: LiveQueue;
  readonly drafts: Drafts;
  readonly recentDecisions: RecentDecisions;
  readonly announcer: Announcer;
  readonly preferences: Preferences;
}

/** The input of a decision besides its action. */
export interface DecisionInput {
  output?: Json;
  reason?: string;
  note?: string;
}

/** A decision request, with the draft it was made from. Its item may be known by its row alone. */
export interface DecisionRequest<About extends ItemRow = ItemRow> {
  readonly detail: About;
  readonly fence: number;
  readonly action: ReviewAction;
  readonly input: DecisionInput;
  readonly draft: Draft | null;
  readonly notes: Notes;
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
    const { id: itemId, preview } = detail;
    const { reason = null } = input;
    queue.dispatch({ kind: 'saving', id: itemId, removal: ownRemoval(me, ACTIONS[action].to) });
    recentDecisions.add({
      itemId,
      preview,
      action,
      reason,
      state: 'saving',
      undoUntil: null,
      windowMs: 0,
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
    });
    queue.put(detail, { ...ownRemoval(me, ACTIONS[action].to), undoUntil: detail.undo_until });
    recentDecisions.confirm(detail.id, detail);
    announcer.say(pastTextsOf(action).announcement);
    if (isMove(action)) this.forwarded.set(detail.id, detail.version);
  }

  /**
   * Called when an item was read that this user decided, possibly on a page that closed before the answer arrived: the text sent
   * with the decision is no longer a draft.
   */
  forgetSent({ id, decision }: ItemDetail): void {
    const { drafts, me } = this.#parts;
    if (decision?.reviewer_id !== me.id) return;
    const draft = drafts.read(id);
    const { note, own } = drafts.notes(id);
    drafts.sent(id, {
      draft: draft !== null && isSameOutput(draft.text, decision.output) ? draft : null,
      note: note.trim() === (decision.note ?? '') ? note : '',
      own: own.trim() === (decision.reason ?? '') ? own : '',
    });
  }

  /**
   * The server has refused it: the row is restored, and the recent decision is removed, unless the item must be reachable from
   * there.
   */
  rollBack(id: string, onShow: boolean): void {
    const { queue, recentDecisions } = this.#parts;
    queue.dispatch({ kind: 'settled', id });
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
    return action !== 'edit' || sameText(decision.output, input.output);
  }

  #matchesEvent(event: DomainEvent, { action, input, detail }: DecisionRequest): boolean {
    if (event.type !== (ACTIONS[action].to === 'escalated' ? 'item.escalated' : 'item.queued')) return false;
    if (event.actor.id !== this.#parts.me.id || event.version <= detail.version) return false;
    return event.reason === (input.reason ?? null) && (event.note ?? null) === (input.note ?? null);
  }
}

const sameText = (a: Json, b: Json | undefined): boolean => b !== undefined && printJson(a, 0) === printJson(b, 0);

/** The note is appended to the editor's own note, for any decision. */
export function withNote(input: DecisionInput, note: string): DecisionInput {
  const extra = note.trim();
  return extra === '' ? input : { ...input, note: [input.note, extra].filter(Boolean).join('\n') };
}

/** Whether the editor's text equals this output, in any layout. */
function isSameOutput(typed: string, output: Json): boolean {
  if (typeof output === 'string') return typed === output;
  try {
    return printJson(parseJson(typed)) === printJson(output);
  } catch {
    return false;
  }
}
