// The desk: the one item on show, its claim and what happens to it. Commands go out by HTTP, facts about it come in live.
import { call, NetworkFailure } from '#lib/api.ts';
import { clock } from '#lib/clock.svelte.ts';
import type { Command } from '#lib/keyboard.ts';
import { queueText as text } from '#lib/queue-text.ts';
import { claimItem, releaseClaim, renewClaim, reopenItem, takeOver, undoDecision } from '@countersign/shared/api/queue';
import type { Granted } from '@countersign/shared/api/queue';
import type { ReviewAction } from '@countersign/shared/words';
import { Asking } from './asking.svelte.ts';
import { Decider, ownLeave, type Parts, type Words } from './decider.ts';
import { shouldRenew } from './desk-model.ts';
import { EditSession } from './editor.svelte.ts';
import { isRefusal, takeAfter, takeLineAfter, takeServersChoice } from './next-item.ts';
import { OpenItem } from './open-item.svelte.ts';
import type { Made } from './tray.svelte.ts';

/** `opened` by the reader's own hand, `advanced` because the item before it was done. */
export type How = 'opened' | 'advanced';

export class Desk {
  readonly item: OpenItem;
  /** The change that is on its way to the server. */
  busy: Command | null = $state(null);
  readonly asking = new Asking();
  edit: EditSession | null = $state.raw(null);
  /** Why the last command failed, with the way to try it again. */
  failure: { error: unknown; retry: () => void } | null = $state.raw(null);
  /** Hears that a command changed the item on show: the address and the focus follow. */
  onmoved: (id: string | null, how: How) => void = () => undefined;

  readonly #parts: Parts;
  readonly #decider: Decider;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#decider = new Decider(parts);
    this.item = new OpenItem(parts.me.id);
    this.item.ongone = () => this.#putAway();
  }

  /** Shows an item without taking it; one that the reader holds already is theirs to go on with. */
  async look(id: string): Promise<void> {
    this.#putAway();
    this.onmoved(id, 'opened');
    await this.item.show(id);
    const { detail } = this.item;
    if (detail?.id === id && detail.claim?.user_id === this.#parts.me.id) await this.claim(id);
  }

  /** Takes an item and shows it. Loses the race politely. Answers whether it is the reader's now. */
  claim(id: string): Promise<boolean> {
    const take = async () => this.#take(await call(claimItem, { params: { id } }), 'opened');
    return this.#run('open', take, async (error) => {
      if (!isRefusal(error, ['claim_held', 'already_decided', 'forbidden'])) return false;
      if (error.code === 'claim_held')
        this.#parts.announcer.say(text.said.lostRace(error.holder?.name ?? text.someone));
      if (this.item.id === id || error.code === 'forbidden') await this.item.show(id);
      return true;
    });
  }

  /** Takes the item on show out of somebody else's hands; their page is told. */
  takeOver(): Promise<boolean> {
    const { id } = this.item;
    if (id === null) return Promise.resolve(false);
    const take = async () => this.#take(await call(takeOver, { params: { id } }), 'opened');
    return this.#run('takeOver', take, async (error) => {
      if (!isRefusal(error, ['claim_lost', 'already_decided', 'forbidden'])) return false;
      // The reader may have turned to another one meanwhile.
      if (this.item.id === id) await this.item.show(id);
      return true;
    });
  }

  /** Sends the item on show to the queue, which routing had rejected; the reader goes on looking at it. */
  reopen(): Promise<boolean> {
    const { id } = this.item;
    if (id === null) return Promise.resolve(false);
    return this.#run('reopen', async () => {
      this.item.reopened(await call(reopenItem, { params: { id }, body: {} }));
      return true;
    });
  }

  /** Lets the server pick the next item. */
  next(): Promise<boolean> {
    return this.#run('next', async () => {
      const granted = await takeServersChoice(this.#parts);
      if (granted !== null) return this.#take(granted, 'opened');
      this.#parts.announcer.say(text.said.nothingLeft);
      return false;
    });
  }

  /** Turns from an item that is over to the next one. */
  async goOn(): Promise<boolean> {
    const { id } = this.item;
    return id !== null && this.#run('next', () => this.#advance(id));
  }

  /** Decides the item on show. It is painted at once and taken back if the server refuses. */
  async decide(action: ReviewAction, words: Words = {}): Promise<boolean> {
    const { detail, grant } = this.item;
    if (detail === null || grant === null || this.busy !== null) return false;
    const { id } = detail;
    const send = async () => {
      this.edit?.keep();
      this.#decider.paint(detail, action, words);
      const after = await this.#decider.send(id, { fence: grant.fence, action, ...words });
      this.#decider.confirm(after, action);
      this.edit = null;
      this.asking.clear();
      this.item.decided(after);
      return true;
    };
    const done = await this.#run(action, send, (error) => this.#refused(id, error));
    if (done && this.#parts.preferences.flow) return this.#run('next', () => this.#advance(id));
    if (this.failure !== null) this.failure = { ...this.failure, retry: () => void this.decide(action, words) };
    return done;
  }

  /** Gives the item back and takes the next one of the list. */
  async skip(): Promise<boolean> {
    const { id, grant } = this.item;
    if (id === null || grant === null) return false;
    return this.#run('skip', async () => {
      await call(releaseClaim, { params: { id }, body: { fence: grant.fence } });
      this.item.grant = null;
      return this.#turn(id, await takeLineAfter(id, this.#parts));
    });
  }

  /** Takes a decision back and the item with it, and brings back what was typed. */
  undo(made: Made): Promise<boolean> {
    const { queue, tray, drafts, announcer, me } = this.#parts;
    const { itemId } = made;
    return this.#run('undo', async () => {
      const detail = await call(undoDecision, { params: { id: itemId } });
      queue.put(detail, ownLeave(me, 'queued'));
      tray.undone(itemId);
      if (made.draft !== null) drafts.keep(itemId, made.draft);
      announcer.say(text.said.undone);
      try {
        return this.#take(await call(claimItem, { params: { id: itemId } }), 'opened');
      } catch (error) {
        // Someone was faster than our second step: the decision is undone all the same.
        if (!isRefusal(error, ['claim_held', 'already_decided'])) throw error;
        await this.item.show(itemId);
        return true;
      }
    });
  }

  /** Holds the item for another lease; takes it again when the lease has ended. */
  async extend(): Promise<boolean> {
    const { id, grant } = this.item;
    if (id === null) return false;
    if (grant === null || grant.expiresAt <= clock.read()) return this.claim(id);
    return this.#run('extend', async () => {
      this.#renewed(await call(renewClaim, { params: { id }, body: { fence: grant.fence } }));
      this.#parts.announcer.say(text.said.extended);
      return true;
    });
  }

  /** The heartbeat, once a second. Its failures show as a lease that runs down. */
  async beat(presence: { visible: boolean; inputAt: number }): Promise<void> {
    const { id, grant, renewing } = this.item;
    if (id === null || grant === null || renewing || !shouldRenew(grant, { ...presence, now: clock.read() })) return;
    const granted = await this.item.renew(() => call(renewClaim, { params: { id }, body: { fence: grant.fence } }));
    if (granted !== null) this.#renewed(granted);
  }

  #renewed(granted: Granted): void {
    this.item.granted(granted);
    this.#parts.queue.put(granted.item, ownLeave(this.#parts.me, 'taken'), granted.expires_at);
  }

  startEdit(): void {
    const { detail } = this.item;
    if (detail === null) return;
    this.asking.clear();
    this.edit ??= new EditSession(this.#parts.drafts, detail);
  }

  /** Leaves the editor; the draft stays. */
  stopEdit(): void {
    this.edit?.keep();
    this.edit = null;
  }

  /** After an interruption: what could not be reached then can be now. */
  resync(): void {
    if (this.failure?.error instanceof NetworkFailure) this.failure = null;
    this.item.resync();
  }

  /** Leaves the item without giving it back. */
  close(): void {
    this.#putAway();
    this.item.clear();
    this.onmoved(null, 'opened');
  }

  #putAway(): void {
    this.stopEdit();
    this.asking.clear();
    this.failure = null;
  }

  #take(granted: Granted, how: How): true {
    const { queue, drafts, me } = this.#parts;
    this.#giveBack(granted.item.id);
    this.#putAway();
    this.item.take(granted);
    queue.put(granted.item, ownLeave(me, 'taken'), granted.expires_at);
    if (drafts.read(granted.item.id) !== null) this.startEdit();
    this.onmoved(granted.item.id, how);
    return true;
  }

  /** One person works on one item: what is left untouched for another goes back to the queue. */
  #giveBack(next: string): void {
    const { id, grant } = this.item;
    this.edit?.keep();
    if (id === null || grant === null || id === next || this.#parts.drafts.read(id) !== null) return;
    // When this fails the lease runs out by itself.
    void call(releaseClaim, { params: { id }, body: { fence: grant.fence } }).catch(() => undefined);
  }

  async #advance(done: string): Promise<boolean> {
    return this.#turn(done, await takeAfter(done, this.#parts));
  }

  /** Shows what was taken in place of an item that is done; with nothing left the desk is empty. */
  #turn(done: string, granted: Granted | null): true {
    if (granted !== null) return this.#take(granted, 'advanced');
    this.#parts.announcer.say(text.said.nothingLeft);
    if (this.item.id === done) this.close();
    return true;
  }

  /** The painted decision did not stand: everything goes back to where it was, and the page says why. */
  async #refused(id: string, error: unknown): Promise<boolean> {
    this.#decider.unpaint(id);
    if (isRefusal(error, ['unchanged_edit']) && this.edit !== null) {
      this.edit.fault = text.edit.unchanged;
      return true;
    }
    if (!isRefusal(error, ['claim_lost', 'claim_held', 'already_decided', 'not_found'])) return false;
    this.stopEdit();
    this.asking.clear();
    this.item.lose();
    await this.item.show(id);
    return true;
  }

  /** Runs one command at a time. `handled` may deal with an error; otherwise it stands in `failure` with a way to retry. */
  async #run(
    command: Command,
    work: () => Promise<boolean>,
    handled: (error: unknown) => Promise<boolean> = () => Promise.resolve(false),
  ): Promise<boolean> {
    if (this.busy !== null) return false;
    this.busy = command;
    this.failure = null;
    try {
      return await work();
    } catch (error) {
      if (!(await handled(error))) this.failure = { error, retry: () => void this.#run(command, work, handled) };
      return false;
    } finally {
      this.busy = null;
    }
  }
}
