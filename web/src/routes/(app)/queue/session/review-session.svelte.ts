// The review session: a user's commands on items, one at a time. Commands are sent by HTTP, events arrive live.
import { call, NetworkFailure } from '#lib/api/client.ts';
import { clock } from '#lib/time/clock.svelte.ts';
import { explain } from '#lib/api/explain-error.ts';
import { queueMessages as messages } from '#lib/messages/queue-messages.ts';
import { claimItem, renewClaim, reopenItem, takeOver, undoDecision } from '@countersign/shared/api/queue';
import type { ItemDetail } from '@countersign/shared/item';
import type { ReviewAction } from '@countersign/shared/enums';
import { ownRemoval, withNote, type DecisionRequest, type DecisionInput } from './decision-sender.ts';
import type { Grant } from './review-rules.ts';
import { reviewMessages } from './review-messages.ts';
import { ReviewSessionBase } from './review-session-base.svelte.ts';
import type { EditSession } from '../editor/edit-session.svelte.ts';
import { sameDraft } from '#lib/drafts/drafts.ts';
import { isRefusal, claimNextRow } from './next-item.ts';
import type { RecentDecision } from '../recent/recent-decisions.svelte.ts';

/** An item as it was when its decision was shown, restored when the decision is refused. */
interface DecisionSnapshot {
  readonly request: DecisionRequest<ItemDetail>;
  readonly grant: Grant;
  readonly edit: EditSession | null;
  /** The item shown instead. */
  shown: string;
}

/** The item is somebody else's by now, decided, or no longer accessible to the user. */
const CLAIM_GONE_CODES = ['claim_lost', 'claim_held', 'already_decided', 'not_found', 'forbidden'] as const;

export class ReviewSession extends ReviewSessionBase {
  /** Shows an item without claiming it; work on an item the user already holds continues. */
  async peek(id: string): Promise<void> {
    await this.#peekAt(id);
    const { detail } = this.item;
    if (detail?.id === id && detail.claim?.user_id === this.parts.me.id) await this.claim(id);
  }

  /**
   * Claims an item and shows it. If another user was faster, `onlost` is called. Returns whether it is the user's now. While a
   * next item is being claimed nothing is held: the user then sees the requested item at once, and holds it a moment later.
   */
  claim(id: string, onlost: () => void = () => undefined): Promise<boolean> {
    const waits = this.busy !== null;
    if (waits && this.item.pending && this.item.id !== id) void this.#peekAt(id);
    const take = async () => {
      // The running command may have brought this very item.
      if (waits && this.item.id === id && (this.item.grant?.expiresAt ?? 0) > clock.read()) return true;
      return this.take(await call(claimItem, { params: { id } }), 'opened');
    };
    return this.run('open', take, async (error) => {
      if (!isRefusal(error, ['claim_held', 'already_decided', 'forbidden'])) return false;
      if (error.code === 'claim_held')
        this.parts.announcer.say(messages.announcement.lostRace(error.holder?.name ?? messages.someone));
      if (this.item.id === id || error.code === 'forbidden') await this.show(id);
      onlost();
      return true;
    });
  }

  /** Takes over the open item from its holder, whose page is notified. */
  takeOver(): Promise<boolean> {
    const { id } = this.item;
    if (id === null) return Promise.resolve(false);
    const take = async () => this.take(await call(takeOver, { params: { id } }), 'opened');
    return this.run('takeOver', take, async (error) => {
      if (!isRefusal(error, ['claim_lost', 'already_decided', 'forbidden'])) return false;
      // The user may have moved to another item meanwhile.
      if (this.item.id === id) await this.show(id);
      return true;
    });
  }

  /** Reopens the open item, which routing had rejected; it stays open. */
  reopen(): Promise<boolean> {
    const { id } = this.item;
    if (id === null) return Promise.resolve(false);
    return this.run('reopen', async () => {
      this.item.reopened(await call(reopenItem, { params: { id }, body: {} }));
      return true;
    });
  }

  /** Continues from a completed item to the next one. */
  async continueToNext(): Promise<boolean> {
    const { id } = this.item;
    if (id === null || this.busy !== null) return false;
    this.preview(this.prefetchedAfter(id));
    return this.advance(id);
  }

  /**
   * Decides the open item. The decision is shown at once, and the prefetched next item with it; its claim is requested when the
   * decision is confirmed. A refused decision is rolled back.
   */
  async decide(action: ReviewAction, words: DecisionInput = {}): Promise<boolean> {
    const { grant } = this.item;
    const request = this.busy === null ? this.#buildRequest(action, words) : null;
    if (request === null || grant === null) return false;
    const { id } = request.detail;
    const { flow } = this.parts.preferences;
    const snapshot: DecisionSnapshot = { request, grant, edit: this.edit, shown: id };
    const send = async () => {
      this.#applyOptimistic(snapshot, flow);
      const { after, request: accepted } = await this.decisionSender.send(request);
      this.decisionSender.confirm(after, accepted);
      // A user who returned to it meanwhile stays there.
      this.item.decided(after, !flow || this.item.id !== snapshot.shown);
      return true;
    };
    const done = await this.run(action, send, (error) => this.#handleRefusal(snapshot, error));
    if (done && flow && this.item.id === snapshot.shown) return this.advance(id);
    const retryDecision = () => this.#retryDecision(snapshot, words);
    if (this.failure !== null) {
      const { error } = this.failure;
      this.failure = isRefusal(error, ['forbidden']) ? { error } : { error, retry: retryDecision };
    }
    return done;
  }

  /** Releases the item and claims the next one of the list. A user who moved to another item meanwhile stays there. */
  async skip(): Promise<boolean> {
    const { id, grant } = this.item;
    if (id === null || grant === null) return false;
    return this.run('skip', async () => {
      await this.release(id, grant);
      const granted = await this.claimWithRecovery(() => claimNextRow(id, this.parts));
      return this.handleGranted(granted, id, () => this.showNext(id, granted));
    });
  }

  /** Releases the item and returns to the list. Its draft is retained. */
  async giveBack(): Promise<boolean> {
    const { id, grant } = this.item;
    if (id === null || grant === null) return false;
    return this.run('giveBack', async () => {
      this.edit?.save();
      await this.release(id, grant);
      this.parts.announcer.say(reviewMessages.announcement.givenBack);
      if (this.item.id === id) this.empty();
      return true;
    });
  }

  /** Undoes a decision, claims its item again, and restores the draft. */
  undo(recent: RecentDecision): Promise<boolean> {
    const { recentDecisions, announcer } = this.parts;
    const waits = this.busy !== null;
    /** The command it waited for has undone it already, or the decision was refused. */
    const over = () => waits && ['undone', 'failed'].includes(recentDecisions.of(recent.itemId)?.state ?? '');
    let undoSent = false;
    const task = async () => {
      if (!undoSent && over()) return false;
      // A retry continues at the step that failed.
      if (!undoSent) await this.#undoDecision(recent);
      undoSent = true;
      return this.#reclaim(recent.itemId);
    };
    return this.run('undo', task, (error) => {
      const late = isRefusal(error, ['undo_window_passed']);
      if (late) {
        recentDecisions.final(recent.itemId);
        announcer.say(reviewMessages.failed.final);
      }
      return late;
    });
  }

  /** Undoes the decision of the open item, whether this tab made it or another one. */
  async undoShown(): Promise<boolean> {
    const { detail } = this.item;
    const decision = detail?.decision;
    if (!detail || !decision || decision.action === 'auto_approve') return false;
    const { id: itemId, preview } = detail;
    const { action, reason } = decision;
    const elsewhere = { itemId, preview, action, reason, draft: null, words: { note: '', own: '' } } as const;
    return this.undo(
      this.parts.recentDecisions.of(itemId) ?? { ...elsewhere, state: 'saved', undoUntil: null, windowMs: 0 },
    );
  }

  /** Renews the lease; claims the item again when the lease has ended. */
  async extend(): Promise<boolean> {
    const { id, grant } = this.item;
    if (id === null) return false;
    if (grant === null || grant.expiresAt <= clock.read()) return this.claim(id);
    return this.run('extend', async () => {
      const granted = await call(renewClaim, { params: { id }, body: { fence: grant.fence } });
      if (!this.item.isCurrentLease(granted)) return false;
      this.renewed(granted);
      this.parts.announcer.say(messages.announcement.extended);
      return true;
    });
  }

  /** The request with everything typed so far; null when something blocks it. */
  #buildRequest(action: ReviewAction, words: DecisionInput): DecisionRequest<ItemDetail> | null {
    const { detail, grant, pending } = this.item;
    if (detail === null || grant === null || pending) return null;
    this.edit?.save();
    const { written } = this.reasonPrompt;
    const draft = this.parts.drafts.read(detail.id);
    return { detail, fence: grant.fence, action, words: withNote(words, written.note), draft, written };
  }

  /** Row, recent decisions and pane change before the server has answered. */
  #applyOptimistic(snapshot: DecisionSnapshot, flow: boolean): void {
    const { detail, action } = snapshot.request;
    this.decisionSender.applyOptimistic(snapshot.request);
    this.edit = null;
    this.reasonPrompt.clear();
    const next = flow ? this.prefetchedAfter(detail.id) : null;
    if (next === null) this.item.send(action);
    else this.preview(next);
    snapshot.shown = this.item.id ?? detail.id;
  }

  /** Retry sends the same request for the same item; text typed since is not sent without the user seeing it. */
  #retryDecision({ request, edit }: DecisionSnapshot, words: DecisionInput): void {
    const { id } = request.detail;
    if (this.item.id !== id) return;
    this.edit?.save();
    if (edit === null || sameDraft(this.parts.drafts.read(id), request.draft))
      return void this.decide(request.action, words);
    this.failure = null;
    edit.fault = reviewMessages.failed.changed;
  }

  /** The decision was refused: everything is rolled back, and the page shows the cause. */
  async #handleRefusal(snapshot: DecisionSnapshot, error: unknown): Promise<boolean> {
    const { request, grant, edit, shown } = snapshot;
    const { id } = request.detail;
    const onShow = this.item.id === shown;
    this.decisionSender.rollBack(id, onShow);
    if (!onShow) {
      // The user works on another item by now: only the recent decisions show the failure.
      this.parts.announcer.say(reviewMessages.failed.announcement(explain(error).title), 'assertive');
      return true;
    }
    // The pending command assumed that the decision is accepted.
    this.pendingCommand.drop();
    this.switchTo(id);
    this.item.restore({ detail: request.detail, grant });
    this.edit = edit;
    const { reason = null } = request.words;
    this.reasonPrompt.picked = edit === null && reason !== request.written.own ? reason : null;
    if (shown !== id) this.onItemChange(id, 'advanced');
    if (isRefusal(error, ['unchanged_edit']) && edit !== null) {
      edit.fault = messages.edit.unchanged;
      return true;
    }
    if (!isRefusal(error, CLAIM_GONE_CODES)) return false;
    this.closeEditor();
    this.reasonPrompt.clear();
    this.item.loseClaim();
    await this.show(id);
    return error.code !== 'forbidden';
  }

  async #peekAt(id: string): Promise<void> {
    this.pendingCommand.drop();
    this.closeInputs();
    this.onItemChange(id, 'opened');
    await this.show(id);
  }

  async #undoDecision(recent: RecentDecision): Promise<void> {
    const { queue, recentDecisions, drafts, announcer, me } = this.parts;
    const { itemId, draft, words } = recent;
    const detail = await this.#sendUndo(itemId);
    queue.put(detail, ownRemoval(me, 'queued'));
    recentDecisions.undone(itemId);
    if (draft !== null && drafts.read(itemId) === null) drafts.save(itemId, draft);
    const { note, own } = drafts.notes(itemId);
    drafts.saveNotes(itemId, { note: note || words.note, own: own || words.own });
    announcer.say(messages.announcement.undone);
  }

  /** An undo whose answer was lost may have had effect, and is refused the next time: the item then tells. */
  async #sendUndo(id: string): Promise<ItemDetail> {
    try {
      return await call(undoDecision, { params: { id } });
    } catch (error) {
      if (!(error instanceof NetworkFailure) && !isRefusal(error, ['undo_window_passed'])) throw error;
      const detail = await this.item.read(id);
      if (detail.decision !== null || (detail.status !== 'queued' && detail.status !== 'escalated')) throw error;
      return detail;
    }
  }

  /** The second step of an undo. */
  async #reclaim(id: string): Promise<boolean> {
    try {
      return this.take(await call(claimItem, { params: { id } }), 'opened');
    } catch (error) {
      // Someone else claimed it first: the decision is undone all the same.
      if (!isRefusal(error, ['claim_held', 'already_decided'])) throw error;
      await this.show(id);
      return true;
    }
  }
}
