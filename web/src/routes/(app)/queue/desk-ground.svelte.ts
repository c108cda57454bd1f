// What every command of the desk stands on: the item on show, one command at a time, taking an item and turning to the next.
import { call, NetworkFailure } from '#lib/api.ts';
import { clock } from '#lib/clock.svelte.ts';
import type { Command } from '#lib/keyboard.ts';
import { queueText as text } from '#lib/queue-text.ts';
import { releaseClaim, renewClaim, type Granted } from '@countersign/shared/api/queue';
import type { ItemDetail } from '@countersign/shared/item';
import { Ahead } from './ahead.svelte.ts';
import { Asking } from './asking.svelte.ts';
import { Decider, ownLeave, type Parts } from './decider.ts';
import { shouldRenew, type Grant } from './desk-model.ts';
import { EditSession } from './editor.svelte.ts';
import { heldIn, isRefusal, predict, takeAfter, takeAny, takeUnheard, type At } from './next-item.ts';
import { OpenItem } from './open-item.svelte.ts';
import { Wish } from './wish.ts';

/** `opened` by the reader's own hand, `advanced` because the item before it was done. */
export type How = 'opened' | 'advanced';

/** Wait for a command that is under way: they name their item, so that they reach no other one. Every other one is dead meanwhile (QU2). */
const WAITING: ReadonlySet<Command> = new Set<Command>(['open', 'undo']);

export class DeskGround {
  readonly item: OpenItem;
  /** The change that is on its way to the server. */
  busy: Command | null = $state(null);
  readonly asking = new Asking();
  readonly ahead = new Ahead();
  edit: EditSession | null = $state.raw(null);
  /** Rises when another tab wrote or sent a draft of the item on show. */
  heard = $state(0);
  /** Why the last command failed, with the way to try it again where there is one. */
  failure: { error: unknown; retry?: () => void } | null = $state.raw(null);
  /** Hears that a command changed the item on show: the address and the focus follow. */
  onmoved: (id: string | null, how: How) => void = () => undefined;

  protected readonly parts: Parts & At;
  protected readonly decider: Decider;
  protected readonly wish = new Wish();
  /** What the reader held before they asked for an item and no answer came; null when the last answer did. */
  #unheard: ReadonlySet<string> | null = null;

  constructor(parts: Parts) {
    this.decider = new Decider(parts);
    this.parts = { ...parts, passed: this.decider.passed };
    parts.drafts.onOver(() => this.#lookAround(this.item.detail?.id ?? null));
    this.item = new OpenItem(parts.me.id);
    this.item.ongone = () => this.putAway();
    this.item.onread = (detail) => this.decider.forgetSent(detail);
    this.item.onchanged = (detail) => this.#changed(detail);
    this.asking.mayNote = () => this.item.grant !== null && this.edit === null;
  }

  /** The heartbeat, once a second; it waits while a command is under way. Its failures show as a lease that runs down. */
  async beat(presence: { visible: boolean; inputAt: number }): Promise<void> {
    const { id, grant, renewing } = this.item;
    if (id === null || grant === null || renewing || this.#underWay) return;
    if (!shouldRenew(grant, { ...presence, now: clock.read() })) return;
    const granted = await this.item.renew(() => call(renewClaim, { params: { id }, body: { fence: grant.fence } }));
    // What a command has painted meanwhile stays painted: the next beat comes soon.
    if (granted !== null && !this.#underWay) this.renewed(granted);
  }

  /** Reads one item ahead. To be called whenever the queue or the item changes; `awake`: the page is seen and connected. */
  lookAhead(awake: boolean): void {
    const { id, coming } = this.item;
    if (coming) return;
    const wanted = awake && this.parts.preferences.flow && id !== null;
    this.ahead.want(wanted ? predict(id, this.parts) : null);
  }

  /** The content of what comes after an item, if it was read and still holds. */
  readyAfter(id: string): ItemDetail | null {
    return this.ahead.of(predict(id, this.parts));
  }

  startEdit(): void {
    const { detail } = this.item;
    if (detail === null) return;
    const { note } = this.asking.written;
    this.asking.clear();
    this.edit ??= new EditSession(this.parts.drafts, detail);
    if (note === '' || this.edit.note !== '') return;
    // The editor has a note of its own: what was written before goes on there.
    this.edit.note = note;
    this.edit.changed();
    this.edit.keep();
    this.asking.note = '';
    this.asking.clear();
  }

  /** Leaves the editor; the draft stays. Where no answer was typed, the note goes out with whatever is decided instead. */
  stopEdit(): void {
    const { edit } = this;
    this.putEditAway();
    if (edit === null || edit.text !== edit.original || edit.note === '') return;
    this.asking.note = [this.asking.written.note, edit.note].filter(Boolean).join('\n');
    this.asking.clear();
    edit.note = '';
    edit.changed();
    if (edit.reason === null) edit.reset();
    else edit.keep();
  }

  protected putEditAway(): void {
    this.edit?.keep();
    this.edit = null;
  }

  /** Another tab of this browser wrote or sent a draft. What stands here stays (QU19). */
  heardStorage(event: StorageEvent): void {
    this.#lookAround(this.parts.drafts.heard(event));
  }

  /** After an interruption: what could not be reached then can be now. */
  resync(): void {
    const { error } = this.failure ?? {};
    if (error instanceof NetworkFailure || isRefusal(error, ['session_missing'])) this.failure = null;
    this.item.resync();
  }

  /** Leaves the item without giving it back, by the reader's own hand: what they wished for before is forgotten. */
  close(): void {
    this.wish.drop();
    this.empty();
  }

  /** Nothing is on show any more because a command has ended; what was wished for meanwhile comes next. */
  protected empty(): void {
    this.putAway();
    this.item.clear();
    this.onmoved(null, 'opened');
  }

  protected putAway(): void {
    this.putEditAway();
    this.asking.clear();
    this.failure = null;
  }

  /** What was written for an item is at hand with it. */
  protected turnTo(id: string): void {
    const { drafts, tray } = this.parts;
    // What was not saved has been found again.
    if (tray.of(id)?.state === 'failed') tray.drop(id);
    this.asking.turnTo(drafts.openWords(id), (words) => drafts.keepWords(id, words));
  }

  protected show(id: string): Promise<void> {
    this.turnTo(id);
    return this.item.show(id);
  }

  /** Shows what was read ahead; its claim is asked for next. Null leaves everything as it is. */
  protected preview(next: ItemDetail | null): void {
    if (next === null) return;
    this.putAway();
    this.turnTo(next.id);
    this.item.preview(next);
    this.onmoved(next.id, 'advanced');
  }

  protected take(granted: Granted, how: How): true {
    const { queue, drafts, me } = this.parts;
    const { id } = granted.item;
    const seen = this.item.coming && this.item.id === id;
    this.#handBack(id);
    this.putAway();
    this.turnTo(id);
    this.item.take(granted);
    queue.put(granted.item, ownLeave(me, 'taken'), granted.expires_at);
    if (drafts.read(id) !== null) this.startEdit();
    if (!seen) this.onmoved(id, how);
    return true;
  }

  /**
   * Asks the server for an item. One that it gave before, and whose answer never came, is the reader's without their knowing:
   * nobody else gets it, so it comes first.
   */
  protected async given(ask: () => Promise<Granted | null>): Promise<Granted | null> {
    const held = this.#unheard ?? heldIn(this.parts);
    try {
      const granted = (this.#unheard && (await takeUnheard(held, this.parts))) ?? (await ask());
      this.#unheard = null;
      return granted;
    } catch (error) {
      if (error instanceof NetworkFailure) this.#unheard = held;
      throw error;
    }
  }

  /** Lets the server pick the next item. A reader who turned to another meanwhile stays with that. */
  next(): Promise<boolean> {
    return this.run('next', async () => {
      const { id } = this.item;
      const granted = await this.given(() => takeAny(id, this.parts));
      return this.came(granted, id, () => {
        if (granted !== null) return this.take(granted, 'opened');
        this.parts.announcer.say(text.said.nothingLeft);
        return false;
      });
    });
  }

  /** Takes what comes after an item that is done. A reader who turned to another meanwhile stays with that. */
  protected advance(done: string): Promise<boolean> {
    const { id: shown } = this.item;
    if (this.busy !== null) {
      // Something else was wished for meanwhile: what is on show can be read, and is not claimed.
      this.item.coming = false;
      return Promise.resolve(true);
    }
    const take = async () => {
      const granted = await this.given(() => takeAfter(done, this.parts));
      return this.came(granted, shown, () => this.turn(shown ?? done, granted));
    };
    return this.run('next', take, () => {
      const stayed = this.item.id === shown;
      if (stayed) this.item.coming = false;
      // Who turned away has no use for what failed.
      return !stayed;
    });
  }

  /**
   * What was asked for while `shown` was on show has come, or nothing has: `turn` goes there. When something else is on show
   * by now that stays, and what came goes back.
   */
  protected came(granted: Granted | null, shown: string | null, turn: () => boolean): boolean {
    if (this.item.id === shown) return turn();
    if (granted === null) return true;
    if (this.item.id === granted.item.id) return this.take(granted, 'opened');
    this.#letGo(granted.item.id, granted.fence);
    return true;
  }

  /** Shows what was taken in place of an item that is done; with nothing left the desk is empty. */
  protected turn(done: string, granted: Granted | null): true {
    if (granted !== null) return this.take(granted, 'advanced');
    this.parts.announcer.say(text.said.nothingLeft);
    if (this.item.id === done) this.empty();
    return true;
  }

  protected renewed(granted: Granted): void {
    this.item.granted(granted);
    this.parts.queue.put(granted.item, ownLeave(this.parts.me, 'taken'), granted.expires_at);
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
    work: () => Promise<boolean>,
    handled: (error: unknown) => boolean | Promise<boolean> = () => false,
  ): Promise<boolean> {
    if (this.busy !== null) return WAITING.has(command) && this.wish.wait(() => this.run(command, work, handled));
    this.busy = command;
    this.failure = null;
    try {
      return await work();
    } catch (error) {
      if (!(await handled(error))) this.failure = { error, retry: () => void this.run(command, work, handled) };
      return false;
    } finally {
      this.busy = null;
      this.wish.grant();
    }
  }

  /** What was picked or typed here stays. */
  #lookAround(itemId: string | null): void {
    if (itemId === null || this.item.detail?.id !== itemId) return;
    this.heard += 1;
    this.edit?.lookAround();
    this.asking.follow(this.parts.drafts.openWords(itemId));
  }

  get #underWay(): boolean {
    return this.busy !== null || this.item.coming;
  }

  /** A fact about the item on show came in, or it was read again. */
  #changed(detail: ItemDetail): void {
    this.edit?.keep();
    const order = this.decider.late(detail);
    if (order !== null) {
      this.decider.paint(order);
      this.decider.confirm(detail, order);
      this.failure = null;
    }
    const open = detail.status === 'queued' || detail.status === 'escalated';
    const theirs = detail.claim !== null && detail.claim.user_id !== this.parts.me.id;
    if (open && !theirs) return;
    // Nothing can be typed into what is somebody else's by now.
    this.putEditAway();
    this.asking.clear();
  }

  /** One person works on one item: what is left untouched for another goes back to the queue. */
  #handBack(next: string): void {
    const { id, grant } = this.item;
    const { drafts } = this.parts;
    this.edit?.keep();
    if (id === null || grant === null || id === next || drafts.read(id) !== null) return;
    const { note, own } = drafts.words(id);
    if (note === '' && own === '') this.#letGo(id, grant.fence);
  }

  /** When this fails the lease runs out by itself. */
  #letGo(id: string, fence: number): void {
    void call(releaseClaim, { params: { id }, body: { fence } }).catch(() => undefined);
  }
}
