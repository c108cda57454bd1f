// Puts the queue page together: the desk and its parts, the keys, the heartbeat, and what is said aloud.
import { clock } from '#lib/clock.svelte.ts';
import { browserStorage, Drafts } from '#lib/drafts.ts';
import { listenToKeys, type Command, type KeyScope } from '#lib/keyboard.ts';
import { keysText } from '#lib/keys/keys-text.ts';
import { liveKeyOf } from '#lib/keys/own-keys.svelte.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { unheard } from '#lib/live/unheard.ts';
import { LiveQueue } from '#lib/live/queue.svelte.ts';
import { queueText as text } from '#lib/queue-text.ts';
import type { User } from '@countersign/shared/api/session';
import type { Fact } from '@countersign/shared/events';
import { goto } from '$app/navigation';
import { resolve } from '$app/paths';
import type { QueueView } from '@countersign/shared/api/queue';
import { tick, untrack } from 'svelte';
import { addressOf, type Place } from './address.ts';
import { Announcer } from './announcer.svelte.ts';
import type { Ui } from './acts.ts';
import { commandsOf, type Commands } from './commands.ts';
import { stageOf, type Stage } from './desk-model.ts';
import { Desk } from './desk.svelte.ts';
import { dropDoublePresses } from './double-press.ts';
import { pane } from './item-pane.svelte.ts';
import { preferences } from './preferences.svelte.ts';
import { otherPages, PAGE, TAB } from '#lib/open-pages.ts';
import { QueueSummary } from './queue-summary.ts';
import { Reading } from './reading.svelte.ts';
import { Seen } from './seen.svelte.ts';
import { Selection } from './selection.svelte.ts';
import { Tray } from './tray.svelte.ts';
import type { Work } from './work.ts';

/** A fired key presses its button for this many ms. */
const FIRED_MS = 160;

class QueuePage implements Ui {
  readonly work: Work;
  readonly commands: Commands;
  box: HTMLElement | null = $state(null);
  fired: Command | null = $state(null);
  #cursor: string | null = $state(null);
  readonly #seen = new Seen();
  readonly #summary: QueueSummary;
  #inputAt = clock.read();
  #wasOffline = false;
  #saysPolling = true;

  readonly #place: Place;

  constructor(me: User, place: Place) {
    this.#place = place;
    const drafts = new Drafts(me.id, browserStorage(), {
      now: () => clock.read(),
      page: PAGE,
      tab: TAB,
      pages: otherPages,
    });
    drafts.tidy(clock.read());
    const { item: _, ...scope } = place;
    const parts = {
      me,
      drafts,
      queue: new LiveQueue(me.id, scope),
      tray: new Tray(),
      announcer: new Announcer(),
      preferences,
    };
    const desk = new Desk(parts);
    const ready = () => this.armed && desk.busy === null;
    this.work = { ...parts, desk, reading: new Reading(), selection: new Selection(), ready };
    this.#summary = new QueueSummary(me.id, (sentence) => parts.announcer.say(sentence, 'summary'));
    this.commands = commandsOf(this.work, this);
  }

  get stage(): Stage | null {
    const { desk, queue, me } = this.work;
    const { detail, grant, coming } = desk.item;
    if (detail === null) return null;
    const supervises = queue.state.supervised.has(detail.project_id);
    return stageOf({ detail, grant, coming, me: me.id, supervises, now: clock.now });
  }

  get cursor(): string | null {
    return this.#cursor;
  }

  set cursor(id: string | null) {
    this.#cursor = id;
    void tick().then(() => {
      const line = this.box?.querySelector<HTMLElement>(`[data-line="${CSS.escape(id ?? '')}"]`);
      line?.focus({ preventScroll: true });
      line?.scrollIntoView({ block: 'nearest' });
    });
  }

  get inList(): boolean {
    const focused = document.activeElement;
    return focused === null || focused === document.body || this.box?.contains(focused) === true;
  }

  /** Whether the verbs' keys count: the item on show has been seen. */
  get armed(): boolean {
    return this.#seen.has(this.work.desk.item.id);
  }

  /** A button was pressed. */
  press(command: Command): void {
    this.commands.run(command, null);
  }

  turnTo(view: QueueView): void {
    void goto(resolve(addressOf({ ...this.work.queue.state.scope, view, item: null })), { reset: false });
  }

  /** The desk turned to another item: the cursor goes with it, the focus to its heading, and it can be decided once it was seen. */
  async follow(id: string | null, advanced: boolean): Promise<void> {
    this.#seen.turn(id, advanced);
    if (id === null) {
      this.cursor = this.#cursor;
      return;
    }
    this.#cursor = id;
    await pane.fetch();
    await tick();
    // The parts may have been long in coming.
    if (id !== this.work.desk.item.id) return;
    this.box?.querySelector(`[data-line="${CSS.escape(id)}"]`)?.scrollIntoView({ block: 'nearest' });
    if (this.work.desk.edit === null) document.getElementById('item-heading')?.focus({ preventScroll: true });
    await this.#seen.watch(this.#shown);
  }

  /** Starts everything that lives as long as the page; answers the function that stops it. */
  start = (): (() => void) => {
    const { queue, desk, announcer } = this.work;
    if (this.#place.item !== null) void desk.look(this.#place.item);
    const used = () => (this.#inputAt = clock.read());
    const inputs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;
    for (const input of inputs) window.addEventListener(input, used, { passive: true });
    const stops = [
      queue.follow(),
      live.on('*', (fact) => this.#hear(fact)),
      live.onResync(() => desk.resync()),
      preferences.follow(),
      dropDoublePresses(),
      listenToKeys({
        situation: () => this.#situation(),
        can: (command) => this.commands.can(command),
        run: (command, event) => this.#key(command, event),
      }),
      $effect.root(() => this.#watch()),
      () => announcer.stop(),
    ];
    return () => {
      for (const input of inputs) window.removeEventListener(input, used);
      for (const stop of stops) stop();
      live.paused = false;
    };
  };

  #situation() {
    const { desk } = this.work;
    const { item, edit, asking } = desk;
    const scopes: KeyScope[] = ['anywhere', 'list'];
    if (item.id !== null) scopes.push('item');
    if (asking.verb !== null || asking.note !== null || edit !== null) scopes.push('reasons');
    if (edit !== null) scopes.push('editor');
    if (this.stage === 'decided') scopes.push('conflict');
    return { scopes, pending: desk.busy !== null, armed: this.armed };
  }

  /** What the reader can see of the item that was asked for. */
  get #shown() {
    const { id, detail, error } = this.work.desk.item;
    return { id, there: pane.there !== null && (detail?.id === id || error !== null) };
  }

  #key(command: Command, event: KeyboardEvent | null): boolean {
    if (!this.commands.run(command, event)) return false;
    this.fired = command;
    setTimeout(() => (this.fired = null), FIRED_MS);
    return true;
  }

  #hear(fact: Fact): void {
    const { desk, tray } = this.work;
    desk.item.hear(fact);
    this.#summary.hear(fact);
    if (fact.type === 'item.finalized') tray.final(fact.item_id);
    if (fact.type === 'item.undone') tray.undone(fact.item_id);
  }

  #sayTakenOver(): void {
    const { desk, drafts, announcer } = this.work;
    const { detail } = desk.item;
    announcer.say(text.said.takenOver(detail?.claim?.name ?? text.someone), 'assertive');
    desk.edit?.keep();
    if (detail !== null && drafts.read(detail.id) !== null) announcer.say(text.said.kept, 'assertive');
  }

  #watch(): void {
    const { queue, desk } = this.work;
    $effect(() => {
      void clock.now;
      void desk.beat({ visible: document.visibilityState === 'visible', inputAt: this.#inputAt });
    });
    $effect(() => {
      const listening = this.box?.contains(document.activeElement) === true;
      const quiet = this.work.announcer.isQuiet;
      this.#summary.tick({ listening, quiet, waiting: queue.counts.all, now: clock.now });
    });
    $effect(() => {
      const shown = this.#shown;
      void untrack(() => this.#seen.watch(shown));
    });
    $effect(() => this.#sayNetwork());
    $effect(() => (live.presence.show(desk.item.detail), () => live.presence.show(null)));
    this.#watchLease();
  }

  /** Whoever works by ear cannot see the pill. */
  #sayNetwork(): void {
    const { announcer } = this.work;
    const { offline, online } = keysText.said;
    if (live.state === 'offline') {
      announcer.say(offline, 'assertive');
      this.#wasOffline = true;
    } else if (live.state === 'polling') {
      if (this.#saysPolling) announcer.say(unheard(live, offline) ?? '', 'assertive');
      this.#saysPolling = false;
      this.#wasOffline = true;
    } else if (this.#wasOffline && live.state === 'live') {
      announcer.say(online);
      this.#wasOffline = false;
      this.#saysPolling = true;
    }
  }

  #watchLease(): void {
    const { desk, announcer } = this.work;
    let before: { id: string | null; stage: Stage | null; ends: boolean } = { id: null, stage: null, ends: false };
    $effect(() => {
      const now = { id: desk.item.id, stage: this.stage, ends: this.stage === 'mine' && desk.item.leaseEnds };
      const same = now.id === before.id;
      if (now.ends && !(same && before.ends)) {
        announcer.say(
          untrack(() => keysText.said.leaseEnds(liveKeyOf('extend'))),
          'assertive',
        );
      }
      if (same && before.stage === 'mine' && now.stage === 'ended') announcer.say(text.said.leaseEnded, 'assertive');
      if (same && desk.item.lost && now.stage === 'decided' && before.stage !== 'decided') {
        announcer.say(text.said.decidedFirst(desk.item.detail?.decided_by ?? text.someone), 'assertive');
      }
      if (same && before.stage === 'mine' && now.stage === 'held') untrack(() => this.#sayTakenOver());
      before = now;
    });
  }
}

export const setUpDesk = (me: User, place: Place): QueuePage => new QueuePage(me, place);
