// The delivery log of a project on the page, under one filter: rows follow the live facts, also those heard while a page is on its way.
import { REPLAYABLE } from '@countersign/shared/api/deliveries';
import { listDeliveries, type Delivery } from '@countersign/shared/api/insights';
import type { FactOf } from '@countersign/shared/events';
import { call } from '#lib/api.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { Pacer } from '#lib/live/pacer.ts';
import type { Page } from './log-pages.ts';
import { PagedLog, type Asked } from './paged-log.svelte.ts';

/** Which deliveries the log shows, as its address says. */
export const FILTERS = ['all', 'succeeded', 'pending', 'dead', 'paused'] as const;
export type Filter = (typeof FILTERS)[number];

/** The filter of `?status=…`; all for any other word. */
export const filterOf = (status: string | null): Filter => FILTERS.find((filter) => filter === status) ?? 'all';

const PAGE_ROWS = 20;
/** New deliveries are fetched at most this often. */
const SPACING_MS = 1000;

export class DeliveryLog extends PagedLog<Delivery> {
  readonly #projectId: string;
  readonly #filter: Filter;
  readonly #pacer = new Pacer({ spacing: SPACING_MS, mayReload: () => true, reload: () => super.load() });
  /** How many pages are on their way, and what was heard meanwhile: a page may be older. */
  #reading = 0;
  #heard: FactOf<'delivery.changed'>[] = [];

  constructor(projectId: string, filter: Filter) {
    super();
    this.#projectId = projectId;
    this.#filter = filter;
  }

  override load(): Promise<void> {
    return this.#pacer.now();
  }

  protected override async read({ after, signal }: Asked): Promise<Page<Delivery>> {
    const query = { limit: PAGE_ROWS, after, status: this.#filter === 'all' ? undefined : this.#filter };
    this.#reading += 1;
    try {
      const page = await call(listDeliveries, { params: { id: this.#projectId }, query, signal });
      const heardOf = ({ id }: Delivery) => this.#heard.findLast((fact) => fact.delivery_id === id);
      return { ...page, data: page.data.map((row) => brought(row, heardOf(row))) };
    } finally {
      this.#reading -= 1;
      if (this.#reading === 0) this.#heard = [];
    }
  }

  /** Brings a row up to date, or fetches the new one it tells of. */
  take(fact: FactOf<'delivery.changed'>): void {
    if (this.#reading > 0) this.#heard.push(fact);
    const { shown } = this;
    if (shown?.rows.some(({ id }) => id === fact.delivery_id)) {
      const rows = shown.rows.map((row) => (row.id === fact.delivery_id ? brought(row, fact) : row));
      this.shown = { ...shown, rows };
    } else if (this.#filter === 'all' || fact.status === this.#filter) this.#pacer.want();
  }

  /** Loads the log and follows the project; answers the function that stops it. */
  follow(): () => void {
    void this.load();
    const stops = [
      live.on('delivery.changed', (fact) => fact.project_id === this.#projectId && this.take(fact)),
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
}

/** A row as a fact has it. Whether it can be sent again follows its state; the server has the last word. */
function brought(row: Delivery, fact: FactOf<'delivery.changed'> | undefined): Delivery {
  if (fact === undefined) return row;
  const { status, attempt, http_status, error, next_attempt_at } = fact;
  const replay = REPLAYABLE.some((ended) => ended === status);
  return { ...row, status, attempt, http_status, error, next_attempt_at, abilities: { replay } };
}
