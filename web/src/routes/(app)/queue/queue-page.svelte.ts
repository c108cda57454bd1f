// Assembles the queue page: the review session and its parts, keys, heartbeat and announcements.
import { clock } from '#lib/time/clock.svelte.ts';
import { Drafts } from '#lib/drafts/drafts.ts';
import { browserStorage } from '#lib/storage/persisted.ts';
import { listenToKeys } from '#lib/keys/key-listener.svelte.ts';
import type { Command, KeyScope } from '#lib/keys/command.ts';
import { keysMessages } from '#lib/keys/keys-messages.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { connectionMessage } from '#lib/live/connection-message.ts';
import { importOnInteraction } from '#lib/shell/preload-on-interaction.ts';
import { LiveQueue } from '#lib/live/queue/live-queue.svelte.ts';
import type { User } from '@countersign/shared/schemas/session';
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import type { QueueView } from '@countersign/shared/enums';
import { tick, untrack } from 'svelte';
import { otherPages, PAGE, TAB } from '#lib/drafts/open-pages.ts';
import { goto } from '$app/navigation';
import { resolve } from '$app/paths';
import { queueUrlOf, type QueueLocation } from './queue-url.ts';
import { Announcer } from './announcements/announcer.svelte.ts';
import type { QueueSummary } from './announcements/queue-summary.ts';
import type { Ui } from './commands/command-handler.ts';
import { commandsOf, type Commands } from './commands/commands.ts';
import type { HeldPresses } from './commands/held-presses.ts';
import type { ItemCommands } from './commands/item-commands.ts';
import { stageOf, type Stage } from './session/review-state.ts';
import { ReviewSession } from './session/review-session.svelte.ts';
import { dropDoublePresses } from './commands/double-press.ts';
import { itemParts } from './item/item-parts-loader.svelte.ts';
import { preferences } from './preferences.svelte.ts';
import { newReading } from './item/reading.svelte.ts';
import { InputGuard } from './commands/input-guard.svelte.ts';
import { Selection } from './bulk/selection.svelte.ts';
import { recentDecisionsOf } from './recent/recent-decisions.svelte.ts';
import type { QueueContext } from './queue-context.ts';

/** An action's key shows its button as pressed for this many ms. */
const FIRED_MS = 160;

class QueuePage implements Ui {
  readonly context: QueueContext;
  readonly commands: Commands;
  box: HTMLElement | null = $state(null);
  fired: Command | null = $state(null);
  #cursor: string | null = $state(null);
  readonly #inputGuard = new InputGuard();
  /** Loaded with the first interaction: nobody listens to the list before. */
  #summary: QueueSummary | null = null;
  #inputAt = clock.read();
  #wasOffline = false;
  #saysPolling = true;

  readonly #queueLocation: QueueLocation;

  constructor(me: User, queueLocation: QueueLocation) {
    this.#queueLocation = queueLocation;
    const drafts = new Drafts(me.id, browserStorage(), {
      now: () => clock.read(),
      page: PAGE,
      tab: TAB,
      pages: otherPages,
    });
    drafts.removeOld(clock.read());
    const { item: _, ...scope } = queueLocation;
    const parts = {
      me,
      drafts,
      queue: new LiveQueue(me.id, scope),
      recentDecisions: recentDecisionsOf(me.id),
      announcer: new Announcer(),
      preferences,
    };
    const reviewSession = new ReviewSession(parts, itemParts);
    const ready = () => this.actionsEnabled && reviewSession.busy === null;
    this.context = { ...parts, reviewSession, reading: newReading(), selection: new Selection(), ready };
    void importOnInteraction(() => import('./announcements/queue-summary.ts')).then((loaded) => {
      this.#summary = new loaded.QueueSummary(me.id, (sentence) => parts.announcer.say(sentence, 'summary'));
    });
    this.commands = commandsOf(this.context, this, () => this.#loadedCommands());
  }

  #itemCommands: ItemCommands | null = null;

  #loadedCommands(): ItemCommands | null {
    this.#itemCommands ??= itemParts.loaded?.itemCommandsOf(this.context, this) ?? null;
    return this.#itemCommands;
  }

  #held: HeldPresses | null = null;

  #hold(event: KeyboardEvent, command: Command | null): boolean {
    this.#inputGuard.noteTask();
    const { loaded } = itemParts;
    this.#held ??= loaded && new loaded.HeldPresses(this.context, () => this.#inputGuard.decidableFrom);
    return this.#held?.hold(event, command) === true;
  }

  get stage(): Stage | null {
    const { reviewSession, queue, me } = this.context;
    const { detail, grant, pending } = reviewSession.item;
    if (detail === null) return null;
    const supervises = queue.state.supervised.has(detail.project_id);
    return stageOf({ detail, grant, pending, me: me.id, supervises, now: clock.now });
  }

  get cursor(): string | null {
    return this.#cursor;
  }

  set cursor(id: string | null) {
    this.#cursor = id;
    void tick().then(() => {
      const row = this.box?.querySelector<HTMLElement>(`[data-line="${CSS.escape(id ?? '')}"]`);
      row?.focus({ preventScroll: true });
      row?.scrollIntoView({ block: 'nearest' });
    });
  }

  get inList(): boolean {
    const focused = document.activeElement;
    return focused === null || focused === document.body || this.box?.contains(focused) === true;
  }

  /** Whether the action keys are enabled: the open item has been seen. */
  get actionsEnabled(): boolean {
    return this.#inputGuard.has(this.context.reviewSession.item.id);
  }

  /** A button was pressed. */
  press(command: Command): void {
    this.commands.run(command, null);
  }

  switchTo(view: QueueView): void {
    const { queue, reviewSession } = this.context;
    void goto(resolve(queueUrlOf({ ...queue.state.scope, view, item: reviewSession.wantedId })), { reset: false });
  }

  /**
   * The review session switched to another item: the cursor follows, its heading gets the focus, and actions are enabled once it
   * was seen.
   */
  async follow(id: string | null, advanced: boolean): Promise<void> {
    this.#inputGuard.setItem(id, advanced);
    if (id === null) {
      this.cursor = this.#cursor;
      return;
    }
    this.#cursor = id;
    await tick();
    // The open item may have changed meanwhile.
    if (id !== this.context.reviewSession.item.id) return;
    this.box?.querySelector(`[data-line="${CSS.escape(id)}"]`)?.scrollIntoView({ block: 'nearest' });
    if (this.context.reviewSession.edit === null)
      document.getElementById('item-heading')?.focus({ preventScroll: true });
    this.#inputGuard.observe(this.#shown);
  }

  /** Starts everything that lives as long as the page; returns the function that stops it. */
  start = (): (() => void) => {
    const { queue, reviewSession, announcer } = this.context;
    if (this.#queueLocation.item !== null) void reviewSession.peek(this.#queueLocation.item);
    const used = () => (this.#inputAt = clock.read());
    const inputs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;
    for (const input of inputs) window.addEventListener(input, used, { passive: true });
    const stops = [
      queue.follow(),
      live.on('*', (domainEvent) => this.#receive(domainEvent)),
      live.onResync(() => reviewSession.resync()),
      preferences.follow(),
      dropDoublePresses(),
      listenToKeys({
        situation: () => this.#situation(),
        can: (command) => this.commands.can(command),
        run: (command, event) => this.#key(command, event),
        hold: (event, command) => this.#hold(event, command),
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
    const { reviewSession, preferences } = this.context;
    const { item, edit, reasonPrompt } = reviewSession;
    const scopes: KeyScope[] = ['anywhere', 'list'];
    if (item.id !== null) scopes.push('item');
    const asks = reasonPrompt.action !== null || reasonPrompt.note !== null || edit !== null;
    if (asks || (item.id !== null && preferences.digitRejects)) scopes.push('reasons');
    if (edit !== null) scopes.push('editor');
    if (this.stage === 'decided') scopes.push('conflict');
    return { scopes, pending: reviewSession.busy !== null, actionsEnabled: this.actionsEnabled };
  }

  /** What is visible of the requested item. */
  get #shown() {
    const { id, detail, error } = this.context.reviewSession.item;
    return { id, loaded: detail?.id === id || error !== null };
  }

  #key(command: Command, event: KeyboardEvent | null): boolean {
    if (!this.commands.run(command, event)) return false;
    this.fired = command;
    setTimeout(() => (this.fired = null), FIRED_MS);
    return true;
  }

  #receive(domainEvent: DomainEvent): void {
    const { reviewSession, recentDecisions } = this.context;
    reviewSession.item.receive(domainEvent);
    this.#summary?.receive(domainEvent);
    if (domainEvent.type === 'item.finalized') recentDecisions.final(domainEvent.item_id);
    if (domainEvent.type === 'item.undone') recentDecisions.undone(domainEvent.item_id);
  }

  #watch(): void {
    const { queue, reviewSession } = this.context;
    $effect(() => {
      void clock.now;
      void reviewSession.sendHeartbeat({ visible: document.visibilityState === 'visible', inputAt: this.#inputAt });
    });
    $effect(() => {
      const listening = this.box?.contains(document.activeElement) === true;
      const quiet = this.context.announcer.isQuiet;
      const seen = { listening, quiet, waiting: queue.counts.all, now: clock.now };
      this.#summary?.tick(seen);
    });
    $effect(() => {
      const shown = this.#shown;
      untrack(() => this.#inputGuard.observe(shown));
    });
    $effect(() => {
      if (this.context.ready()) untrack(() => void this.#held?.release());
    });
    $effect(() => this.#sayNetwork());
    $effect(() => (live.presence.show(reviewSession.item.detail), () => live.presence.show(null)));
    // An item opens only once these parts have loaded.
    $effect(() => itemParts.loaded?.announceClaim(this.context, () => this.stage));
  }

  /** Screen reader users cannot see the connection state. */
  #sayNetwork(): void {
    const { announcer } = this.context;
    const { offline, online } = keysMessages.announcement;
    if (live.state === 'offline') {
      announcer.say(offline, 'assertive');
      this.#wasOffline = true;
    } else if (live.state === 'polling') {
      if (this.#saysPolling) announcer.say(connectionMessage(live, offline) ?? '', 'assertive');
      this.#saysPolling = false;
      this.#wasOffline = true;
    } else if (this.#wasOffline && live.state === 'live') {
      announcer.say(online);
      this.#wasOffline = false;
      this.#saysPolling = true;
    }
  }
}

export const createQueuePage = (me: User, queueLocation: QueueLocation): QueuePage => new QueuePage(me, queueLocation);
