// Puts the queue page together: the desk and its parts, the keys, the heartbeat, and what is said aloud.
import { clock } from '#lib/clock.svelte.ts';
import { browserStorage, Drafts } from '#lib/drafts.ts';
import { listenToKeys, type Command, type KeyScope } from '#lib/keyboard.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { LiveQueue } from '#lib/live/queue.svelte.ts';
import { queueText as text } from '#lib/queue-text.ts';
import type { User } from '@countersign/shared/api/session';
import type { Fact } from '@countersign/shared/events';
import { tick, untrack } from 'svelte';
import type { Place } from './address.ts';
import { Announcer } from './announcer.svelte.ts';
import { commandsOf, type Commands, type Ui } from './commands.ts';
import { stageOf, type Stage } from './desk-model.ts';
import { Desk } from './desk.svelte.ts';
import { Preferences } from './preferences.svelte.ts';
import { Tray } from './tray.svelte.ts';
import type { Work } from './work.ts';

/** A fired key presses its button for this many ms. */
const FIRED_MS = 160;
/** A verb counts only when its item has been on the screen; one that came by itself has to be seen first. */
const SEEN_MS = 200;

class QueuePage implements Ui {
  readonly work: Work;
  readonly commands: Commands;
  box: HTMLElement | null = $state(null);
  help = $state(false);
  fired: Command | null = $state(null);
  #cursor: string | null = $state(null);
  #armed: string | null = null;
  #inputAt = clock.read();

  readonly #place: Place;

  constructor(me: User, place: Place) {
    this.#place = place;
    const drafts = new Drafts(me.id, browserStorage());
    drafts.tidy(clock.read());
    const { view, projectId } = place;
    const parts = {
      me,
      drafts,
      queue: new LiveQueue(me.id, { view, projectId }),
      tray: new Tray(),
      announcer: new Announcer(),
      preferences: new Preferences(),
    };
    this.work = { ...parts, desk: new Desk(parts) };
    this.commands = commandsOf(this.work, this);
  }

  get stage(): Stage | null {
    const { desk, queue, me } = this.work;
    const { detail, grant } = desk.item;
    if (detail === null) return null;
    const supervises = queue.state.supervised.has(detail.project_id);
    return stageOf({ detail, grant, me: me.id, supervises, now: clock.now });
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

  /** A button was pressed. */
  press(command: Command): void {
    this.commands.run[command](null);
  }

  /** The desk turned to another item: the cursor goes with it, the focus to its heading, and it can be decided once it was seen. */
  async follow(id: string | null, advanced: boolean): Promise<void> {
    this.#armed = null;
    if (id === null) {
      this.cursor = this.#cursor;
      return;
    }
    this.#cursor = id;
    await tick();
    this.box?.querySelector(`[data-line="${CSS.escape(id)}"]`)?.scrollIntoView({ block: 'nearest' });
    if (this.work.desk.edit === null) document.getElementById('item-heading')?.focus({ preventScroll: true });
    await painted();
    setTimeout(() => (this.#armed = id), advanced ? SEEN_MS : 0);
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
      listenToKeys({ situation: () => this.#situation(), run: (command, event) => this.#key(command, event) }),
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
    const { desk, preferences } = this.work;
    const { item, edit, asking } = desk;
    const scopes: KeyScope[] = ['anywhere', 'list'];
    if (item.id !== null) scopes.push('item');
    if (asking.verb !== null || edit !== null) scopes.push('reasons');
    if (edit !== null) scopes.push('editor');
    if (this.stage === 'decided') scopes.push('conflict');
    return {
      enabled: preferences.keys,
      scopes,
      dialogOpen: document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null,
      pending: desk.busy !== null,
      armed: item.id === null || this.#armed === item.id,
    };
  }

  #key(command: Command, event: KeyboardEvent): boolean {
    if (!this.commands.run[command](event)) return false;
    this.fired = command;
    setTimeout(() => (this.fired = null), FIRED_MS);
    return true;
  }

  #hear(fact: Fact): void {
    const { desk, tray } = this.work;
    desk.item.hear(fact);
    if (fact.type === 'item.finalized') tray.final(fact.item_id);
    if (fact.type === 'item.undone') tray.undone(fact.item_id);
  }

  #sayTakenOver(): void {
    const { desk, drafts, announcer } = this.work;
    const { detail } = desk.item;
    announcer.say(text.said.takenOver(detail?.claim?.name ?? text.someone));
    desk.edit?.keep();
    if (detail !== null && drafts.read(detail.id) !== null) announcer.say(text.said.kept);
  }

  #watch(): void {
    const { desk, announcer } = this.work;
    $effect(() => {
      void clock.now;
      void desk.beat({ visible: document.visibilityState === 'visible', inputAt: this.#inputAt });
    });
    let before: { id: string | null; stage: Stage | null; ends: boolean } = { id: null, stage: null, ends: false };
    $effect(() => {
      const now = { id: desk.item.id, stage: this.stage, ends: this.stage === 'mine' && desk.item.leaseEnds };
      const same = now.id === before.id;
      if (now.ends && !(same && before.ends)) announcer.say(text.said.leaseEnds);
      if (same && before.stage === 'mine' && now.stage === 'ended') announcer.say(text.said.leaseEnded);
      if (same && desk.item.lost && now.stage === 'decided' && before.stage !== 'decided') {
        announcer.say(text.said.decidedFirst(desk.item.detail?.decided_by ?? text.someone));
      }
      if (same && before.stage === 'mine' && now.stage === 'held') untrack(() => this.#sayTakenOver());
      before = now;
    });
  }
}

/** Resolves when what was just changed is on the screen: right after the next frame was drawn. */
const painted = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

export const setUpDesk = (me: User, place: Place): QueuePage => new QueuePage(me, place);
