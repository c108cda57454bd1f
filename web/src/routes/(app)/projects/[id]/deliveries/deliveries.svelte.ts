// The filtered delivery log of a project: rows follow the live events, including those received while a page loads.
import { REPLAYABLE } from '@countersign/shared/enums';
import { listDeliveries, cancelReplay, listReplays, replayDeliveries } from '@countersign/shared/routes/deliveries';
import type { Delivery, Replay } from '@countersign/shared/schemas/deliveries';
import { answersDelivery } from '@countersign/shared/filters/delivery-filter';
import type { DeliveryFilter } from '@countersign/shared/schemas/parts/delivery-filter';
import type { DomainEventOf } from '@countersign/shared/schemas/parts/events';
import { call } from '#lib/api/client.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { ReloadThrottle } from '#lib/live/reload-throttle.ts';
import { untrack } from 'svelte';
import { Mutation } from '#lib/api/mutation.svelte.ts';
import { Resource } from '#lib/api/resource.svelte.ts';
import type { Page, Shown } from '../log/log-pages.ts';
import { PagedLog, type PageRequest } from '../log/paged-log.svelte.ts';

const PAGE_ROWS = 20;
/** The largest page: up to this many listed rows are read again together. */
const MOST_ROWS = 100;
/** New deliveries are loaded at most this often. */
const SPACING_MS = 1000;

export class DeliveryLog extends PagedLog<Delivery> {
  /** The listed rows belong to the previous filter: the new ones are loading. */
  switching = $state(false);

  readonly #projectId: string;
  #filter: DeliveryFilter;
  /** The open row: it stays, in any state. */
  #open: string | null = null;
  readonly #throttle = new ReloadThrottle({
    spacing: SPACING_MS,
    mayReload: () => true,
    reload: () => super.load(),
    error: () => this.error,
  });
  /** How many pages are loading, and the events received meanwhile: a page may be older. */
  #reading = 0;
  #pendingEvents: DomainEventOf<'delivery.changed'>[] = [];

  constructor(projectId: string, filter: DeliveryFilter) {
    super();
    this.#projectId = projectId;
    this.#filter = filter;
  }

  override load(): Promise<void> {
    return this.#throttle.now();
  }

  /** Applies another filter: the list stays until its rows have loaded. */
  choose(filter: DeliveryFilter): Promise<void> | undefined {
    if (isSame(filter, this.#filter)) return undefined;
    this.#filter = filter;
    this.begin();
    this.switching = this.shown !== null;
    return this.load();
  }

  /** Keeps the open row in the list; null when none is open. */
  keepOpen(id: string | null): void {
    this.#open = id;
  }

  protected override async read({ after, signal }: PageRequest): Promise<Page<Delivery>> {
    const rows = after === undefined && !this.switching ? (this.shown?.rows.length ?? 0) : 0;
    const query = { limit: Math.min(Math.max(rows, PAGE_ROWS), MOST_ROWS), after, ...this.#filter };
    this.#reading += 1;
    try {
      const page = await call(listDeliveries, { params: { id: this.#projectId }, query, signal });
      const eventsFor = ({ id }: Delivery) =>
        this.#pendingEvents.filter((domainEvent) => domainEvent.delivery_id === id);
      return { ...page, data: page.data.map((row) => eventsFor(row).reduce(applyEvent, row)) };
    } finally {
      this.#reading -= 1;
      if (this.#reading === 0) this.#pendingEvents = [];
    }
  }

  protected override get current(): Shown<Delivery> | null {
    return this.switching ? null : this.shown;
  }

  protected override joined(next: Shown<Delivery>): Shown<Delivery> {
    const open = this.current?.rows.find(({ id }) => id === this.#open);
    this.switching = false;
    return open === undefined ? next : { ...next, rows: withRow(next.rows, open) };
  }

  /** Updates a row, or loads the new one of an event. */
  take(domainEvent: DomainEventOf<'delivery.changed'>): void {
    if (this.#reading > 0) this.#pendingEvents.push(domainEvent);
    const { shown } = this;
    const known = shown?.rows.some(({ id }) => id === domainEvent.delivery_id) === true;
    if (known) {
      const rows = shown.rows.map((row) => (row.id === domainEvent.delivery_id ? applyEvent(row, domainEvent) : row));
      this.shown = { ...shown, rows };
    }
    // For a known row its time is loaded, which no event contains; a row of another event or endpoint may match now. A paused one
    // pauses all waiting ones too, without events of their own.
    const filter = { ...this.#filter, event: undefined, endpoint: undefined };
    const asked = answersDelivery(filter, { ...domainEvent, webhook_id: '', endpoint: { id: '' } });
    if (known || asked || domainEvent.status === 'paused') this.#throttle.schedule();
  }

  /** Loads the log and follows the project; returns the function that stops it. */
  follow(): () => void {
    // The listed rows it reads must not rerun the effect: each answer would cause the next request.
    untrack(() => void this.load());
    const stops = [
      live.on(
        'delivery.changed',
        (domainEvent) => domainEvent.project_id === this.#projectId && this.take(domainEvent),
      ),
      // The same applies to paused ones, once the webhook is resumed.
      live.on('project.changed', (domainEvent) => this.#concerns(domainEvent) && this.#throttle.schedule()),
      live.onResync(() => {
        // Missed events may be newer than the received ones.
        this.#pendingEvents = [];
        return this.load();
      }),
      () => this.#throttle.stop(),
      () => this.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  #concerns({ project_id, changed }: DomainEventOf<'project.changed'>): boolean {
    return project_id === this.#projectId && changed.includes('webhook');
  }
}

/**
 * A row after an event. Whether it can be sent again follows from its state; the server decides. A restarted one has its schedule
 * before it (WH1).
 */
function applyEvent(row: Delivery, domainEvent: DomainEventOf<'delivery.changed'>): Delivery {
  const { status, attempt, http_status, error, next_attempt_at } = domainEvent;
  const begun = status === 'pending' && http_status === null && error === null;
  const run = { ...row.run, attempt: begun ? 0 : row.run.attempt + attempt - row.attempt };
  const duration_ms = attempt === row.attempt && row.status !== 'sending' ? row.duration_ms : null;
  const replay = REPLAYABLE.some((ended) => ended === status);
  const abilities = { replay, send_now: status === 'pending' };
  return { ...row, status, attempt, run, http_status, error, duration_ms, next_attempt_at, abilities };
}

/** The rows with one of them replaced or added, newest first. */
function withRow(rows: readonly Delivery[], row: Delivery): Delivery[] {
  const found = rows.find(({ id }) => id === row.id) ?? row;
  const others = rows.filter(({ id }) => id !== row.id);
  const place = others.findIndex((other) => keyOf(other) < keyOf(found));
  return others.toSpliced(place === -1 ? others.length : place, 0, found);
}

const keyOf = ({ created_at, id }: Delivery): string => `${created_at} ${id}`;

const isSame = (one: DeliveryFilter, other: DeliveryFilter): boolean =>
  one.status === other.status &&
  one.code === other.code &&
  one.event === other.event &&
  one.item === other.item &&
  one.endpoint === other.endpoint;

/** Between two reads of the progress, in ms. */
const PROGRESS_SPACING_MS = 500;

/** The deliveries to replay: of one status, created since a time (ISO; null: all), to one endpoint or all. */
interface Wanted {
  status: Replay['status'];
  from: string | null;
  /** To this endpoint only. */
  endpoint?: string | undefined;
}

export class Replays {
  readonly starting = new Mutation();
  readonly stopping = new Mutation();

  readonly #projectId: string;
  readonly #list: Resource<{ data: Replay[] }>;
  readonly #throttle: ReloadThrottle;
  /** A replay started on this page is shown to its end, an older one only while it runs. */
  #own: string | null = $state(null);

  constructor(projectId: string) {
    this.#projectId = projectId;
    this.#list = new Resource((signal) => call(listReplays, { params: { id: projectId }, signal }));
    this.#throttle = new ReloadThrottle({
      spacing: PROGRESS_SPACING_MS,
      mayReload: () => true,
      reload: () => this.#list.load(),
      error: () => this.#list.error,
    });
  }

  /** The replay to show; null when there is none. */
  get shown(): Replay | null {
    const all = this.#list.data?.data ?? [];
    return all.find(({ state, id }) => state === 'running' || id === this.#own) ?? null;
  }

  /** Why the last read failed. */
  get error(): unknown {
    return this.#list.error;
  }

  /** Each batch that becomes due emits an event: the progress has changed. */
  follow(): () => void {
    void this.#throttle.now();
    const stops = [
      live.on('delivery.changed', ({ project_id, status, actor }) => {
        // A member's replay that starts with it may not be known here yet.
        const begun = status === 'pending' && actor.kind === 'member';
        if (project_id === this.#projectId && (begun || this.shown?.state === 'running')) this.#throttle.schedule();
      }),
      live.onResync(() => this.#throttle.now()),
      () => this.#throttle.stop(),
      () => this.#list.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  /** Returns whether it was started; the cause of a failure is in `starting`. */
  start({ status, from, endpoint }: Wanted): Promise<boolean> {
    return this.starting.run(async () => {
      const of = endpoint === undefined ? {} : { endpoint_id: endpoint };
      const body = { status, ...of, ...(from === null ? {} : { from }) };
      const { id } = await call(replayDeliveries, { params: { id: this.#projectId }, body });
      this.#own = id;
      await this.#throttle.now();
    });
  }

  /** Deliveries in flight continue. */
  stop({ id }: Replay): Promise<boolean> {
    return this.stopping.run(async () => {
      await call(cancelReplay, { params: { id } });
      this.#own = id;
      await this.#throttle.now();
    });
  }
}
