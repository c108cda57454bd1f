// What every command of the desk stands on: the item on show, one command at a time, taking an item and turning to the next.
import { call, NetworkFailure } from '#lib/api/client.ts';
import { clock } from '#lib/time/clock.svelte.ts';
import type { Command } from '#lib/keyboard.ts';
import { queueMessages as text } from '#lib/messages/queue-messages.ts';
import { releaseClaim, renewClaim, type Granted } from '@countersign/shared/api/queue';
import type { ItemDetail } from '@countersign/shared/item';
import { Prefetch } from './prefetch.svelte.ts';
import { ReasonPrompt } from './reason-prompt.svelte.ts';
import { DecisionSender, ownRemoval, type Parts } from './decision-sender.ts';
import { shouldRenew, type Grant } from './review-rules.ts';
import { EditSession } from '../editor/edit-session.svelte.ts';
import {
  heldItemIds,
  isRefusal,
  predict,
  claimAfter,
  claimAny,
  claimUnacknowledged,
  type NextItemContext,
} from './next-item.ts';
import { OpenItem } from './open-item.svelte.ts';
import { PendingCommand } from './pending-command.ts';

/** `opened` by the reader's own hand, `advanced` because the item before it was done. */
export type Transition = 'opened' | 'advanced';

/** Wait for a command that is under way: they name their item, so that they reach no other one. Every other one is dead meanwhile (QU2). */
const DEFERRABLE_COMMANDS: ReadonlySet<Command> = new Set<Command>(['open', 'undo']);

export class ReviewSessionBase {
  readonly item: OpenItem;
  /** The change that is on its way to the server. */
  busy: Command | null = $state(null);
  readonly reasonPrompt = new ReasonPrompt();
  readonly prefetch = new Prefetch();
  edit: EditSession | null = $state.raw(null);
  /** Rises when another tab wrote or sent a draft of the item on show. */
  draftsRevision = $state(0);
  /** Why the last command failed, with the way to try it again where there is one. */
  failure: { error: unknown; retry?: () => void } | null = $state.raw(null);
  /** Hears that a command changed the item on show: the address and the focus follow. */
  onItemChange: (id: string | null, how: Transition) => void = () => undefined;

  protected readonly parts: Parts & NextItemContext;
  protected readonly decisionSender: DecisionSender;
  protected readonly pendingCommand = new PendingCommand();
  /** What the reader held before they asked for an item and no answer came; null when the last answer did. */
  #heldBeforeLostAnswer: ReadonlySet<string> | null = null;

  constructor(parts: Parts) {
    this.decisionSender = new DecisionSender(parts);
    this.parts = { ...parts, forwarded: this.decisionSender.forwarded };
    parts.drafts.onPageClosed(() => this.#refreshDrafts(this.item.detail?.id ?? null));
    this.item = new OpenItem(parts.me.id);
    this.item.onAccessLost = () => this.closeInputs();
    this.item.onread = (detail) => this.decisionSender.forgetSent(detail);
    this.item.onchanged = (detail) => this.#changed(detail);
    this.reasonPrompt.noteAllowed = () => this.item.grant !== null && this.edit === null;
  }

  /** The heartbeat, once a second; it waits while a command is under way. Its failures show as a lease that runs down. */
  async sendHeartbeat(presence: { visible: boolean; inputAt: number }): Promise<void> {
    const { id, grant, renewing } = this.item;
    if (id === null || grant === null || renewing || this.#commandRunning) return;
    if (!shouldRenew(grant, { ...presence, now: clock.read() })) return;
    const granted = await this.item.renew(() => call(renewClaim, { params: { id }, body: { fence: grant.fence } }));
    // What a command has painted meanwhile stays painted: the next beat comes soon.
    if (granted !== null && !this.#commandRunning) this.renewed(granted);
  }

  /** Reads one item ahead. To be called whenever the queue or the item changes; `awake`: the page is seen and connected. */
  prefetchNext(awake: boolean): void {
    const { id, pending } = this.item;
    if (pending) return;
    const wanted = awake && this.parts.preferences.flow && id !== null;
    this.prefetch.want(wanted ? predict(id, this.parts) : null);
  }

  /** The content of what comes after an item, if it was read and still holds. */
  prefetchedAfter(id: string): ItemDetail | null {
    return this.prefetch.of(predict(id, this.parts));
  }

  startEdit(): void {
    const { detail } = this.item;
    if (detail === null) return;
    const { note } = this.reasonPrompt.written;
    this.reasonPrompt.clear();
    this.edit ??= new EditSession(this.parts.drafts, detail);
    if (note === '' || this.edit.note !== '') return;
    // The editor has a note of its own: what was written before goes on there.
    this.edit.note = note;
    this.edit.changed();
    this.edit.save();
    this.reasonPrompt.note = '';
    this.reasonPrompt.clear();
  }

  /** Leaves the editor; the draft stays. Where no answer was typed, the note goes out with whatever is decided instead. */
  stopEdit(): void {
    const { edit } = this;
    this.closeEditor();
    if (edit === null || edit.text !== edit.original || edit.note === '') return;
    this.reasonPrompt.note = [this.reasonPrompt.written.note, edit.note].filter(Boolean).join('\n');
    this.reasonPrompt.clear();
    edit.note = '';
    edit.changed();
    if (edit.reason === null) edit.reset();
    else edit.save();
  }

  protected closeEditor(): void {
    this.edit?.save();
    this.edit = null;
  }

  /** Another tab of this browser wrote or sent a draft. What stands here stays (QU19). */
  handleStorageEvent(event: StorageEvent): void {
    this.#refreshDrafts(this.parts.drafts.onStorage(event));
  }

  /** After an interruption: what could not be reached then can be now. */
  resync(): void {
    const { error } = this.failure ?? {};
    if (error instanceof NetworkFailure || isRefusal(error, ['session_missing'])) this.failure = null;
    this.item.resync();
  }

  /** Leaves the item without giving it back, by the reader's own hand: what they wished for before is forgotten. */
  close(): void {
    this.pendingCommand.drop();
    this.empty();
  }

  /** Nothing is on show any more because a command has ended; what was wished for meanwhile comes next. */
  protected empty(): void {
    this.closeInputs();
    this.item.clear();
    this.onItemChange(null, 'opened');
  }

  protected closeInputs(): void {
    this.closeEditor();
    this.reasonPrompt.clear();
    this.failure = null;
  }

  /** What was written for an item is at hand with it. */
  protected switchTo(id: string): void {
    const { drafts, recentDecisions } = this.parts;
    // What was not saved has been found again.
    if (recentDecisions.of(id)?.state === 'failed') recentDecisions.drop(id);
    this.reasonPrompt.switchTo(drafts.openNotes(id), (words) => drafts.saveNotes(id, words));
  }

  protected show(id: string): Promise<void> {
    this.switchTo(id);
    return this.item.show(id);
  }

  /** Shows what was read ahead; its claim is asked for next. Null leaves everything as it is. */
  protected preview(next: ItemDetail | null): void {
    if (next === null) return;
    this.closeInputs();
    this.switchTo(next.id);
    this.item.preview(next);
    this.onItemChange(next.id, 'advanced');
  }

  protected take(granted: Granted, how: Transition): true {
    const { queue, drafts, me } = this.parts;
    const { id } = granted.item;
    const alreadyShown = this.item.pending && this.item.id === id;
    this.#releasePrevious(id);
    this.closeInputs();
    this.switchTo(id);
    this.item.take(granted);
    queue.put(granted.item, ownRemoval(me, 'taken'), granted.expires_at);
    if (drafts.read(id) !== null) this.startEdit();
    if (!alreadyShown) this.onItemChange(id, how);
    return true;
  }

  /**
   * Asks the server for an item. One that it gave before, and whose answer never came, is the reader's without their knowing:
   * nobody else gets it, so it comes first.
   */
  protected async claimWithRecovery(ask: () => Promise<Granted | null>): Promise<Granted | null> {
    const held = this.#heldBeforeLostAnswer ?? heldItemIds(this.parts);
    try {
      const granted = (this.#heldBeforeLostAnswer && (await claimUnacknowledged(held, this.parts))) ?? (await ask());
      this.#heldBeforeLostAnswer = null;
      return granted;
    } catch (error) {
      if (error instanceof NetworkFailure) this.#heldBeforeLostAnswer = held;
      throw error;
    }
  }

  /** Lets the server pick the next item. A reader who turned to another meanwhile stays with that. */
  next(): Promise<boolean> {
    return this.run('next', async () => {
      const { id } = this.item;
      const granted = await this.claimWithRecovery(() => claimAny(id, this.parts));
      return this.handleGranted(granted, id, () => {
        if (granted !== null) return this.take(granted, 'opened');
        this.parts.announcer.say(text.announcement.nothingLeft);
        return false;
      });
    });
  }

  /** Takes what comes after an item that is done. A reader who turned to another meanwhile stays with that. */
  protected advance(done: string): Promise<boolean> {
    const { id: shown } = this.item;
    if (this.busy !== null) {
      // Something else was wished for meanwhile: what is on show can be read, and is not claimed.
      this.item.pending = false;
      return Promise.resolve(true);
    }
    const take = async () => {
      const granted = await this.claimWithRecovery(() => claimAfter(done, this.parts));
      return this.handleGranted(granted, shown, () => this.showNext(shown ?? done, granted));
    };
    return this.run('next', take, () => {
      const stayed = this.item.id === shown;
      if (stayed) this.item.pending = false;
      // Who turned away has no use for what failed.
      return !stayed;
    });
  }

  /**
   * What was asked for while `shown` was on show has come, or nothing has: `turn` goes there. When something else is on show
   * by now that stays, and what came goes back.
   */
  protected handleGranted(granted: Granted | null, shown: string | null, showNext: () => boolean): boolean {
    if (this.item.id === shown) return showNext();
    if (granted === null) return true;
    if (this.item.id === granted.item.id) return this.take(granted, 'opened');
    this.#releaseInBackground(granted.item.id, granted.fence);
    return true;
  }

  /** Shows what was taken in place of an item that is done; with nothing left the desk is empty. */
  protected showNext(done: string, granted: Granted | null): true {
    if (granted !== null) return this.take(granted, 'advanced');
    this.parts.announcer.say(text.announcement.nothingLeft);
    if (this.item.id === done) this.empty();
    return true;
  }

  protected renewed(granted: Granted): void {
    this.item.granted(granted);
    this.parts.queue.put(granted.item, ownRemoval(this.parts.me, 'taken'), granted.expires_at);
  }

  /** Gives a claim back; one that is gone already needs no giving back. */
  protected async release(id: string, { fence }: Grant): Promise<void> {
    try {
      await call(releaseClaim, { params: { id }, body: { fence } });
    } catch (error) {
      if (!isRefusal(error, ['claim_lost', 'already_decided', 'not_found'])) throw error;
    }
    if (this.item.id === id) this.item.grant = null;
  }

  /**
   * Runs one command at a time; see {@link WAITING} for those that wait. `handled` may deal with an error; otherwise it
   * stands in `failure` with a way to retry.
   */
  protected async run(
    command: Command,
    task: () => Promise<boolean>,
    handled: (error: unknown) => boolean | Promise<boolean> = () => false,
  ): Promise<boolean> {
    if (this.busy !== null)
      return DEFERRABLE_COMMANDS.has(command) && this.pendingCommand.wait(() => this.run(command, task, handled));
    this.busy = command;
    this.failure = null;
    try {
      return await task();
    } catch (error) {
      if (!(await handled(error))) this.failure = { error, retry: () => void this.run(command, task, handled) };
      return false;
    } finally {
      this.busy = null;
      this.pendingCommand.grant();
    }
  }

  /** What was picked or typed here stays. */
  #refreshDrafts(itemId: string | null): void {
    if (itemId === null || this.item.detail?.id !== itemId) return;
    this.draftsRevision += 1;
    this.edit?.refreshOtherDrafts();
    this.reasonPrompt.follow(this.parts.drafts.openNotes(itemId));
  }

  get #commandRunning(): boolean {
    return this.busy !== null || this.item.pending;
  }

  /** A fact about the item on show came in, or it was read again. */
  #changed(detail: ItemDetail): void {
    this.edit?.save();
    const request = this.decisionSender.takeLateConfirmation(detail);
    if (request !== null) {
      this.decisionSender.applyOptimistic(request);
      this.decisionSender.confirm(detail, request);
      this.failure = null;
    }
    const open = detail.status === 'queued' || detail.status === 'escalated';
    const theirs = detail.claim !== null && detail.claim.user_id !== this.parts.me.id;
    if (open && !theirs) return;
    // Nothing can be typed into what is somebody else's by now.
    this.closeEditor();
    this.reasonPrompt.clear();
  }

  /** One person works on one item: what is left untouched for another goes back to the queue. */
  #releasePrevious(next: string): void {
    const { id, grant } = this.item;
    const { drafts } = this.parts;
    this.edit?.save();
    if (id === null || grant === null || id === next || drafts.read(id) !== null) return;
    const { note, own } = drafts.notes(id);
    if (note === '' && own === '') this.#releaseInBackground(id, grant.fence);
  }

  /** When this fails the lease runs out by itself. */
  #releaseInBackground(id: string, fence: number): void {
    void call(releaseClaim, { params: { id }, body: { fence } }).catch(() => undefined);
  }
}
