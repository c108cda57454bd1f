// The base of the review session's commands: the open item, one command at a time, claiming and switching items.
import { call, NetworkFailure } from '#lib/api/client.ts';
import { clock } from '#lib/time/clock.svelte.ts';
import type { Command } from '#lib/keys/command.ts';
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

/** `opened` by the user, `advanced` automatically after the previous item. */
export type Transition = 'opened' | 'advanced';

/**
 * These wait for a running command: they name their item, so that they reach no other one. Every other command is disabled
 * meanwhile (QU2).
 */
const DEFERRABLE_COMMANDS: ReadonlySet<Command> = new Set<Command>(['open', 'undo']);

export class ReviewSessionBase {
  readonly item: OpenItem;
  /** The command whose change is in flight. */
  busy: Command | null = $state(null);
  readonly reasonPrompt = new ReasonPrompt();
  readonly prefetch = new Prefetch();
  edit: EditSession | null = $state.raw(null);
  /** Incremented when another tab wrote or sent a draft of the open item. */
  draftsRevision = $state(0);
  /** Why the last command failed, with the way to try it again where there is one. */
  failure: { error: unknown; retry?: () => void } | null = $state.raw(null);
  /** Called when a command changed the open item: the URL and the focus follow. */
  onItemChange: (id: string | null, how: Transition) => void = () => undefined;

  protected readonly parts: Parts & NextItemContext;
  protected readonly decisionSender: DecisionSender;
  protected readonly pendingCommand = new PendingCommand();
  /** The items the user held before a claim request whose answer was lost; null when the last one was answered. */
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

  /** The heartbeat, once a second; it pauses while a command runs. Its failures show as a lease that runs down. */
  async sendHeartbeat(presence: { visible: boolean; inputAt: number }): Promise<void> {
    const { id, grant, renewing } = this.item;
    if (id === null || grant === null || renewing || this.#commandRunning) return;
    if (!shouldRenew(grant, { ...presence, now: clock.read() })) return;
    const granted = await this.item.renew(() => call(renewClaim, { params: { id }, body: { fence: grant.fence } }));
    // The state shown by a command since then stays: the next heartbeat follows soon.
    if (granted !== null && !this.#commandRunning) this.renewed(granted);
  }

  /** Prefetches one item. Call it whenever the queue or the item changes; `awake`: the page is visible and connected. */
  prefetchNext(awake: boolean): void {
    const { id, pending } = this.item;
    if (pending) return;
    const wanted = awake && this.parts.preferences.flow && id !== null;
    this.prefetch.want(wanted ? predict(id, this.parts) : null);
  }

  /** The prefetched content of the item after this one, if it is still valid. */
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
    // The editor has its own note: the text typed before moves there.
    this.edit.note = note;
    this.edit.changed();
    this.edit.save();
    this.reasonPrompt.note = '';
    this.reasonPrompt.clear();
  }

  /** Closes the editor; the draft stays. Where no answer was typed, the note is sent with any decision. */
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

  /** Another tab of this browser wrote or sent a draft. The text in this tab stays (QU19). */
  handleStorageEvent(event: StorageEvent): void {
    this.#refreshDrafts(this.parts.drafts.onStorage(event));
  }

  /** After an interruption: what was unreachable may be reachable now. */
  resync(): void {
    const { error } = this.failure ?? {};
    if (error instanceof NetworkFailure || isRefusal(error, ['session_missing'])) this.failure = null;
    this.item.resync();
  }

  /** Leaves the item without releasing it, at the user's request: the pending command is dropped. */
  close(): void {
    this.pendingCommand.drop();
    this.empty();
  }

  /** No item is open because a command has ended; the pending command runs next. */
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

  /** Restores the texts saved for an item together with it. */
  protected switchTo(id: string): void {
    const { drafts, recentDecisions } = this.parts;
    // The decision that was not saved has been opened again.
    if (recentDecisions.of(id)?.state === 'failed') recentDecisions.drop(id);
    this.reasonPrompt.switchTo(drafts.openNotes(id), (words) => drafts.saveNotes(id, words));
  }

  protected show(id: string): Promise<void> {
    this.switchTo(id);
    return this.item.show(id);
  }

  /** Shows the prefetched item; its claim is requested next. Null changes nothing. */
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
   * Asks the server for an item. One that it assigned before, and whose answer was lost, is the user's without this page knowing:
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

  /** Lets the server pick the next item. A user who moved to another item meanwhile stays there. */
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

  /** Claims the item after a completed one. A user who moved to another item meanwhile stays there. */
  protected advance(done: string): Promise<boolean> {
    const { id: shown } = this.item;
    if (this.busy !== null) {
      // Another command is pending: the shown item can be read, and is not claimed.
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
      // The failure does not concern a user who moved on.
      return !stayed;
    });
  }

  /**
   * The item requested while `shown` was open has been granted, or none was: `showNext` switches there. If another item is open by
   * now, that stays, and the granted one is released.
   */
  protected handleGranted(granted: Granted | null, shown: string | null, showNext: () => boolean): boolean {
    if (this.item.id === shown) return showNext();
    if (granted === null) return true;
    if (this.item.id === granted.item.id) return this.take(granted, 'opened');
    this.#releaseInBackground(granted.item.id, granted.fence);
    return true;
  }

  /** Shows the claimed item in place of a completed one; with nothing left no item is open. */
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

  /** Releases a claim; one that is already gone counts as released. */
  protected async release(id: string, { fence }: Grant): Promise<void> {
    try {
      await call(releaseClaim, { params: { id }, body: { fence } });
    } catch (error) {
      if (!isRefusal(error, ['claim_lost', 'already_decided', 'not_found'])) throw error;
    }
    if (this.item.id === id) this.item.grant = null;
  }

  /**
   * Runs one command at a time; see {@link DEFERRABLE_COMMANDS} for those that wait. `handled` may deal with an error; otherwise
   * it is in `failure` with a way to retry.
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

  /** Selections and texts of this tab stay. */
  #refreshDrafts(itemId: string | null): void {
    if (itemId === null || this.item.detail?.id !== itemId) return;
    this.draftsRevision += 1;
    this.edit?.refreshOtherDrafts();
    this.reasonPrompt.follow(this.parts.drafts.openNotes(itemId));
  }

  get #commandRunning(): boolean {
    return this.busy !== null || this.item.pending;
  }

  /** An event of the open item arrived, or it was read again. */
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
    // Somebody else holds the item by now, so it cannot be edited.
    this.closeEditor();
    this.reasonPrompt.clear();
  }

  /** One user works on one item: an untouched item is released when another one opens. */
  #releasePrevious(next: string): void {
    const { id, grant } = this.item;
    const { drafts } = this.parts;
    this.edit?.save();
    if (id === null || grant === null || id === next || drafts.read(id) !== null) return;
    const { note, own } = drafts.notes(id);
    if (note === '' && own === '') this.#releaseInBackground(id, grant.fence);
  }

  /** If this fails, the lease expires automatically. */
  #releaseInBackground(id: string, fence: number): void {
    void call(releaseClaim, { params: { id }, body: { fence } }).catch(() => undefined);
  }
}
