// The desk: what a reader can do with items, one command at a time. Commands go out by HTTP, facts come in live.
import { call, NetworkFailure } from '#lib/api.ts';
import { clock } from '#lib/clock.svelte.ts';
import { explain } from '#lib/explain.ts';
import { queueText as text } from '#lib/queue-text.ts';
import { claimItem, renewClaim, reopenItem, takeOver, undoDecision } from '@countersign/shared/api/queue';
import type { ItemDetail } from '@countersign/shared/item';
import type { ReviewAction } from '@countersign/shared/words';
import { ownLeave, withNote, type Order, type Words } from './decider.ts';
import type { Grant } from './desk-model.ts';
import { deskText } from './desk-text.ts';
import { DeskGround } from './desk-ground.svelte.ts';
import type { EditSession } from './editor.svelte.ts';
import { sameDraft } from '#lib/drafts.ts';
import { isRefusal, takeLineAfter } from './next-item.ts';
import type { Made } from './tray.svelte.ts';

/** An item as it was when its decision was painted, to be put back when that does not stand. */
interface Aside {
  readonly order: Order<ItemDetail>;
  readonly grant: Grant;
  readonly edit: EditSession | null;
  /** What is on show instead. */
  shown: string;
}

/** The item is somebody else's by now, decided, or not the reader's to see or decide any more. */
const PASSED_ON = ['claim_lost', 'claim_held', 'already_decided', 'not_found', 'forbidden'] as const;

export class Desk extends DeskGround {
  /** Shows an item without taking it; one that the reader holds already is theirs to go on with. */
  async look(id: string): Promise<void> {
    await this.#lookAt(id);
    const { detail } = this.item;
    if (detail?.id === id && detail.claim?.user_id === this.parts.me.id) await this.claim(id);
  }

  /**
   * Takes an item and shows it. Loses the race politely: `onlost` hears of it. Answers whether it is the reader's now.
   * On the way to a next item nothing is held: the reader then sees at once what they turned to, and has it a moment later.
   */
  claim(id: string, onlost: () => void = () => undefined): Promise<boolean> {
    const waits = this.busy !== null;
    if (waits && this.item.coming && this.item.id !== id) void this.#lookAt(id);
    const take = async () => {
      // What was under way may have brought this very item.
      if (waits && this.item.id === id && (this.item.grant?.expiresAt ?? 0) > clock.read()) return true;
      return this.take(await call(claimItem, { params: { id } }), 'opened');
    };
    return this.run('open', take, async (error) => {
      if (!isRefusal(error, ['claim_held', 'already_decided', 'forbidden'])) return false;
      if (error.code === 'claim_held') this.parts.announcer.say(text.said.lostRace(error.holder?.name ?? text.someone));
      if (this.item.id === id || error.code === 'forbidden') await this.show(id);
      onlost();
      return true;
    });
  }

  /** Takes the item on show out of somebody else's hands; their page is told. */
  takeOver(): Promise<boolean> {
    const { id } = this.item;
    if (id === null) return Promise.resolve(false);
    const take = async () => this.take(await call(takeOver, { params: { id } }), 'opened');
    return this.run('takeOver', take, async (error) => {
      if (!isRefusal(error, ['claim_lost', 'already_decided', 'forbidden'])) return false;
      // The reader may have turned to another one meanwhile.
      if (this.item.id === id) await this.show(id);
      return true;
    });
  }

  /** Sends the item on show to the queue, which routing had rejected; the reader goes on looking at it. */
  reopen(): Promise<boolean> {
    const { id } = this.item;
    if (id === null) return Promise.resolve(false);
    return this.run('reopen', async () => {
      this.item.reopened(await call(reopenItem, { params: { id }, body: {} }));
      return true;
    });
  }

  /** Turns from an item that is over to the next one. */
  async goOn(): Promise<boolean> {
    const { id } = this.item;
    if (id === null || this.busy !== null) return false;
    this.preview(this.readyAfter(id));
    return this.advance(id);
  }

  /**
   * Decides the item on show. It is painted at once, and the next one, if it was read ahead, is on the screen; its claim is
   * asked for when the decision is in. What does not stand comes back as it was.
   */
  async decide(action: ReviewAction, words: Words = {}): Promise<boolean> {
    const { grant } = this.item;
    const order = this.busy === null ? this.#orderOf(action, words) : null;
    if (order === null || grant === null) return false;
    const { id } = order.detail;
    const { flow } = this.parts.preferences;
    const aside: Aside = { order, grant, edit: this.edit, shown: id };
    const send = async () => {
      this.#paint(aside, flow);
      const { after, order: stood } = await this.decider.send(order);
      this.decider.confirm(after, stood);
      // Who turned back to it meanwhile stays with it.
      this.item.decided(after, !flow || this.item.id !== aside.shown);
      return true;
    };
    const done = await this.run(action, send, (error) => this.#refused(aside, error));
    if (done && flow && this.item.id === aside.shown) return this.advance(id);
    const again = () => this.#again(aside, words);
    if (this.failure !== null) {
      const { error } = this.failure;
      this.failure = isRefusal(error, ['forbidden']) ? { error } : { error, retry: again };
    }
    return done;
  }

  /** Gives the item back and takes the next one of the list. A reader who turned to another meanwhile stays with that. */
  async skip(): Promise<boolean> {
    const { id, grant } = this.item;
    if (id === null || grant === null) return false;
    return this.run('skip', async () => {
      await this.release(id, grant);
      const granted = await this.given(() => takeLineAfter(id, this.parts));
      return this.came(granted, id, () => this.turn(id, granted));
    });
  }

  /** Gives the item back and returns to the list. What was typed for it is kept. */
  async giveBack(): Promise<boolean> {
    const { id, grant } = this.item;
    if (id === null || grant === null) return false;
    return this.run('giveBack', async () => {
      this.edit?.keep();
      await this.release(id, grant);
      this.parts.announcer.say(deskText.said.givenBack);
      if (this.item.id === id) this.empty();
      return true;
    });
  }

  /** Takes a decision back and the item with it, and brings back what was typed. */
  undo(made: Made): Promise<boolean> {
    const { tray, announcer } = this.parts;
    const waits = this.busy !== null;
    /** What it waited for took it back already, or it did not even stand. */
    const over = () => waits && ['undone', 'failed'].includes(tray.of(made.itemId)?.state ?? '');
    let takenBack = false;
    const work = async () => {
      if (!takenBack && over()) return false;
      // A retry goes on where it failed.
      if (!takenBack) await this.#takeBack(made);
      takenBack = true;
      return this.#takeAgain(made.itemId);
    };
    return this.run('undo', work, (error) => {
      const late = isRefusal(error, ['undo_window_passed']);
      if (late) {
        tray.final(made.itemId);
        announcer.say(deskText.failed.final);
      }
      return late;
    });
  }

  /** Takes back the decision on show, whether this tab made it or another one. */
  async undoShown(): Promise<boolean> {
    const { detail } = this.item;
    const decision = detail?.decision;
    if (!detail || !decision || decision.action === 'auto_approve') return false;
    const { id: itemId, preview } = detail;
    const { action, reason } = decision;
    const elsewhere = { itemId, preview, action, reason, draft: null, words: { note: '', own: '' } } as const;
    return this.undo(this.parts.tray.of(itemId) ?? { ...elsewhere, state: 'made', undoUntil: null, windowMs: 0 });
  }

  /** Holds the item for another lease; takes it again when the lease has ended. */
  async extend(): Promise<boolean> {
    const { id, grant } = this.item;
    if (id === null) return false;
    if (grant === null || grant.expiresAt <= clock.read()) return this.claim(id);
    return this.run('extend', async () => {
      const granted = await call(renewClaim, { params: { id }, body: { fence: grant.fence } });
      if (!this.item.holds(granted)) return false;
      this.renewed(granted);
      this.parts.announcer.say(text.said.extended);
      return true;
    });
  }

  /** What goes out, with everything typed so far; null when nothing can. */
  #orderOf(action: ReviewAction, words: Words): Order<ItemDetail> | null {
    const { detail, grant, coming } = this.item;
    if (detail === null || grant === null || coming) return null;
    this.edit?.keep();
    const { written } = this.asking;
    const draft = this.parts.drafts.read(detail.id);
    return { detail, fence: grant.fence, action, words: withNote(words, written.note), draft, written };
  }

  /** Line, tray and pane go on before the server has answered. */
  #paint(aside: Aside, flow: boolean): void {
    const { detail, action } = aside.order;
    this.decider.paint(aside.order);
    this.edit = null;
    this.asking.clear();
    const next = flow ? this.readyAfter(detail.id) : null;
    if (next === null) this.item.send(action);
    else this.preview(next);
    aside.shown = this.item.id ?? detail.id;
  }

  /** Retry sends what was sent, to the same item; what was typed since is not sent behind the reader's back. */
  #again({ order, edit }: Aside, words: Words): void {
    const { id } = order.detail;
    if (this.item.id !== id) return;
    this.edit?.keep();
    if (edit === null || sameDraft(this.parts.drafts.read(id), order.draft))
      return void this.decide(order.action, words);
    this.failure = null;
    edit.fault = deskText.failed.changed;
  }

  /** The painted decision did not stand: everything goes back to where it was, and the page says why. */
  async #refused(aside: Aside, error: unknown): Promise<boolean> {
    const { order, grant, edit, shown } = aside;
    const { id } = order.detail;
    const onShow = this.item.id === shown;
    this.decider.unpaint(id, onShow);
    if (!onShow) {
      // The reader works on something else by now: the tray has it, and nothing moves.
      this.parts.announcer.say(deskText.failed.said(explain(error).title), 'assertive');
      return true;
    }
    // What was wished for meanwhile was meant for after a decision that stood.
    this.wish.drop();
    this.turnTo(id);
    this.item.restore({ detail: order.detail, grant });
    this.edit = edit;
    const { reason = null } = order.words;
    this.asking.picked = edit === null && reason !== order.written.own ? reason : null;
    if (shown !== id) this.onmoved(id, 'advanced');
    if (isRefusal(error, ['unchanged_edit']) && edit !== null) {
      edit.fault = text.edit.unchanged;
      return true;
    }
    if (!isRefusal(error, PASSED_ON)) return false;
    this.putEditAway();
    this.asking.clear();
    this.item.lose();
    await this.show(id);
    return error.code !== 'forbidden';
  }

  async #lookAt(id: string): Promise<void> {
    this.wish.drop();
    this.putAway();
    this.onmoved(id, 'opened');
    await this.show(id);
  }

  async #takeBack(made: Made): Promise<void> {
    const { queue, tray, drafts, announcer, me } = this.parts;
    const { itemId, draft, words } = made;
    const detail = await this.#undecide(itemId);
    queue.put(detail, ownLeave(me, 'queued'));
    tray.undone(itemId);
    if (draft !== null && drafts.read(itemId) === null) drafts.keep(itemId, draft);
    const { note, own } = drafts.words(itemId);
    drafts.keepWords(itemId, { note: note || words.note, own: own || words.own });
    announcer.say(text.said.undone);
  }

  /** An undo whose answer never came may have had effect, and is refused the next time: then the item itself says so. */
  async #undecide(id: string): Promise<ItemDetail> {
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
  async #takeAgain(id: string): Promise<boolean> {
    try {
      return this.take(await call(claimItem, { params: { id } }), 'opened');
    } catch (error) {
      // Someone was faster than our second step: the decision is undone all the same.
      if (!isRefusal(error, ['claim_held', 'already_decided'])) throw error;
      await this.show(id);
      return true;
    }
  }
}
