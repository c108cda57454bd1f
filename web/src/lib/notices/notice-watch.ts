// Shows browser notices while they are switched on: one tab of a person follows the queue and shows them for all (NO7).
import { projects } from '../api/projects-store.svelte.ts';
import { live } from '../live/connection.svelte.ts';
import { LiveQueue } from '../live/queue/live-queue.svelte.ts';
import { json, persisted } from '../storage/persisted.ts';
import { clock } from '../time/clock.svelte.ts';
import { noticeMessages } from './notice-messages.ts';
import { decideNotices, NO_MEMORY, type Notice, type NoticeMemory } from './notice-rules.ts';
import { noticeSettings } from './notice-settings.svelte.ts';
import { isQuiet } from './quiet-hours.ts';
import { presentPermission, showNotice } from './show-notice.ts';
import { browserLocks, leadOneTab, watchTabs, type TabsWatch } from './tabs.ts';
import { Arrivals } from './waiting-items.ts';

/** Deadlines come near without an event. A browser runs the timers of hidden tabs less often, at least once a minute. */
const CHECK_MS = 5000;
/** After an event: its row has reached the queue by then, and the lock of a tab that was hidden is free. */
const SETTLE_MS = 1500;

/** Opens a page of this site in this tab. */
type Open = (address: string) => void;

/** Starts the notices of a person. Returns the function that stops them. */
export function startNotices(user: string, open: Open): () => void {
  const locks = browserLocks();
  let check = (): void => undefined;
  const tabs = watchTabs(user, locks, () => check());
  const stop = leadOneTab(
    `countersign.notices.${user}`,
    () => {
      const leader = new Leader(user, tabs, open);
      check = () => leader.checkSoon();
      return leader.follow();
    },
    locks,
  );
  return () => {
    stop();
    tabs.stop();
  };
}

/** Follows the queue of all projects, and shows what the rules say. */
class Leader {
  readonly #user: string;
  readonly #tabs: TabsWatch;
  readonly #open: Open;
  readonly #queue: LiveQueue;
  readonly #arrivals = new Arrivals();
  readonly #memory: ReturnType<typeof memoryOf>;
  #checking = false;
  #stopped = false;
  #soon: ReturnType<typeof setTimeout> | undefined;

  constructor(user: string, tabs: TabsWatch, open: Open) {
    this.#user = user;
    this.#tabs = tabs;
    this.#open = open;
    this.#queue = new LiveQueue(user, { view: 'available', projectId: null });
    this.#memory = memoryOf(user);
  }

  follow(): () => void {
    const timer = setInterval(() => void this.#check(), CHECK_MS);
    const stops = [
      this.#queue.follow(),
      live.on('*', (event) => {
        this.#arrivals.receive(event);
        this.checkSoon();
      }),
      live.onResync(() => this.#arrivals.forgetRows()),
      live.on('project.changed', ({ changed }) => changed.includes('archived') && this.#arrivals.forgetRows()),
    ];
    this.checkSoon();
    return () => {
      this.#stopped = true;
      clearInterval(timer);
      clearTimeout(this.#soon);
      for (const stop of stops) stop();
    };
  }

  /** Any number of reasons are one check. */
  checkSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      void this.#check();
    }, SETTLE_MS);
  }

  async #check(): Promise<void> {
    if (this.#checking || presentPermission() !== 'granted') return;
    this.#checking = true;
    try {
      const sight = await this.#tabs.read();
      if (!this.#stopped && noticeSettings.on) this.#decide(sight);
    } finally {
      this.#checking = false;
    }
  }

  #decide(sight: { visible: boolean; focused: boolean }): void {
    const list = projects.list ?? [];
    const supervised = new Set(list.filter(({ role }) => role !== 'reviewer').map(({ id }) => id));
    this.#queue.dispatch({ kind: 'supervised_projects', projects: supervised });
    if (!this.#queue.state.loaded || this.#queue.more === 'coming') return;
    const nameOf = (id: string) => list.find((project) => project.id === id)?.name ?? '';
    const before = this.#memory.read();
    const { memory, notices } = decideNotices(before, {
      ...sight,
      now: clock.read(),
      quiet: isQuiet(noticeSettings.quietHours, Date.now()),
      items: this.#arrivals.waiting(this.#queue.state, nameOf),
    });
    // A write is an event in every other tab.
    if (JSON.stringify(memory) !== JSON.stringify(before)) this.#memory.write(memory);
    for (const notice of notices) this.#show(notice);
  }

  #show(notice: Notice): void {
    showNotice({
      title: noticeMessages.title(notice),
      body: noticeMessages.body(notice),
      tag: `countersign.${notice.kind}.${this.#user}`,
      onclick: () => this.#open(addressOf(notice)),
    });
  }
}

const addressOf = (notice: Notice): string =>
  notice.kind === 'due' && notice.item !== null ? `/queue?item=${notice.item}` : '/queue';

/** What was shown, for the tab that leads next. */
const memoryOf = (user: string) => persisted(`countersign.notices.shown.${user}`, json(parseMemory));

function parseMemory(stored: unknown): NoticeMemory {
  if (typeof stored !== 'object' || stored === null) return NO_MEMORY;
  const { told, awaySince, arrivalsAt }: Partial<Record<keyof NoticeMemory, unknown>> = stored;
  const time = (value: unknown) => (typeof value === 'number' ? value : null);
  const deadlines = Object.entries(typeof told === 'object' && told !== null ? told : {}).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  return { told: Object.fromEntries(deadlines), awaySince: time(awaySince), arrivalsAt: time(arrivalsAt) };
}
