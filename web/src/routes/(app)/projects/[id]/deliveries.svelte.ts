// The delivery log of a project on the page, under a filter: rows follow the live facts, also those heard while a page is on its way.
import { REPLAYABLE } from '@countersign/shared/api/deliveries';
import { listDeliveries, type Delivery } from '@countersign/shared/api/insights';
import { answersDelivery, type DeliveryFilter } from '@countersign/shared/delivery-filter';
import type { FactOf } from '@countersign/shared/events';
import { call } from '#lib/api.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { Pacer } from '#lib/live/pacer.ts';
import { untrack } from 'svelte';
import type { Page, Shown } from './log-pages.ts';
import { PagedLog, type Asked } from './paged-log.svelte.ts';

const PAGE_ROWS = 20;
/** As many as a page may hold: so many rows on show are read anew together. */
const MOST_ROWS = 100;
/** New deliveries are fetched at most this often. */
const SPACING_MS = 1000;

export class DeliveryLog extends PagedLog<Delivery> {
  /** The rows on show are those of the filter before: the new ones are on their way. */
  turning = $state(false);

  readonly #projectId: string;
  #filter: DeliveryFilter;
  /** The row that is open: it stays, whatever it has become. */
  #open: string | null = null;
  readonly #pacer = new Pacer({ spacing: SPACING_MS, mayReload: () => true, reload: () => super.load() });
  /** How many pages are on their way, and what was heard meanwhile: a page may be older. */
  #reading = 0;
  #heard: FactOf<'delivery.changed'>[] = [];

  constructor(projectId: string, filter: DeliveryFilter) {
    super();
    this.#projectId = projectId;
    this.#filter = filter;
  }

  override load(): Promise<void> {
    return this.#pacer.now();
  }

  /** Another filter: what is on show stays until its rows are there. */
  choose(filter: DeliveryFilter): Promise<void> | undefined {
    if (isSame(filter, this.#filter)) return undefined;
    this.#filter = filter;
    this.begin();
    this.turning = this.shown !== null;
    return this.load();
  }

  /** Keeps a row on show that is being read; null when none is. */
  hold(id: string | null): void {
    this.#open = id;
  }

  protected override async read({ after, signal }: Asked): Promise<Page<Delivery>> {
    const rows = after === undefined && !this.turning ? (this.shown?.rows.length ?? 0) : 0;
    const query = { limit: Math.min(Math.max(rows, PAGE_ROWS), MOST_ROWS), after, ...this.#filter };
    this.#reading += 1;
    try {
      const page = await call(listDeliveries, { params: { id: this.#projectId }, query, signal });
      const heardOf = ({ id }: Delivery) => this.#heard.filter((fact) => fact.delivery_id === id);
      return { ...page, data: page.data.map((row) => heardOf(row).reduce(brought, row)) };
    } finally {
      this.#reading -= 1;
      if (this.#reading === 0) this.#heard = [];
    }
  }

  protected override get standing(): Shown<Delivery> | null {
    return this.turning ? null : this.shown;
  }

  protected override joined(next: Shown<Delivery>): Shown<Delivery> {
    const open = this.standing?.rows.find(({ id }) => id === this.#open);
    this.turning = false;
    return open === undefined ? next : { ...next, rows: withRow(next.rows, open) };
  }

  /** Brings a row up to date, or fetches the new one it tells of. */
  take(fact: FactOf<'delivery.changed'>): void {
    if (this.#reading > 0) this.#heard.push(fact);
    const { shown } = this;
    const known = shown?.rows.some(({ id }) => id === fact.delivery_id) === true;
    if (known) {
      const rows = shown.rows.map((row) => (row.id === fact.delivery_id ? brought(row, fact) : row));
      this.shown = { ...shown, rows };
    }
    // Of a known row its time is fetched, which no fact tells; that of another event may be the one that is asked for. One that is
    // paused has all that wait paused with it, and no fact tells of those.
    const asked = answersDelivery({ ...this.#filter, event: undefined }, { ...fact, webhook_id: '' });
    if (known || asked || fact.status === 'paused') this.#pacer.want();
  }

  /** Loads the log and follows the project; answers the function that stops it. */
  follow(): () => void {
    // What it reads of the rows on show is no reason to follow anew: each answer would ask for the next.
    untrack(() => void this.load());
    const stops = [
      live.on('delivery.changed', (fact) => fact.project_id === this.#projectId && this.take(fact)),
      // So are those that were paused, once the webhook is resumed.
      live.on('project.changed', (fact) => this.#concerns(fact) && this.#pacer.want()),
      live.onResync(() => {
        // What was missed in between may be newer than what was heard.
        this.#heard = [];
        return this.load();
      }),
      () => this.#pacer.stop(),
      () => this.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  #concerns({ project_id, changed }: FactOf<'project.changed'>): boolean {
    return project_id === this.#projectId && changed.includes('webhook');
  }
}

/**
 * A row as a fact has it. Whether it can be sent again follows its state; the server has the last word. What begins again has
 * its schedule before it (WH1).
 */
function brought(row: Delivery, fact: FactOf<'delivery.changed'>): Delivery {
  const { status, attempt, http_status, error, next_attempt_at } = fact;
  const begun = status === 'pending' && http_status === null && error === null;
  const run = { ...row.run, attempt: begun ? 0 : row.run.attempt + attempt - row.attempt };
  const duration_ms = attempt === row.attempt && row.status !== 'sending' ? row.duration_ms : null;
  const replay = REPLAYABLE.some((ended) => ended === status);
  const abilities = { replay, send_now: status === 'pending' };
  return { ...row, status, attempt, run, http_status, error, duration_ms, next_attempt_at, abilities };
}

/** The rows with one of them in its place, newest first. */
function withRow(rows: readonly Delivery[], row: Delivery): Delivery[] {
  const found = rows.find(({ id }) => id === row.id) ?? row;
  const others = rows.filter(({ id }) => id !== row.id);
  const place = others.findIndex((other) => keyOf(other) < keyOf(found));
  return others.toSpliced(place === -1 ? others.length : place, 0, found);
}

const keyOf = ({ created_at, id }: Delivery): string => `${created_at} ${id}`;

const isSame = (one: DeliveryFilter, other: DeliveryFilter): boolean =>
  one.status === other.status && one.code === other.code && one.event === other.event && one.item === other.item;
