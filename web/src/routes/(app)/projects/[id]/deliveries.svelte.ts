// The delivery log of a project on the page: its newest page, older ones on demand, and rows that follow the live facts.
import { listDeliveries, type Delivery } from '@countersign/shared/api/insights';
import type { FactOf } from '@countersign/shared/events';
import { call } from '#lib/api.ts';

/** Which deliveries the log shows, as its address says. */
export const FILTERS = ['all', 'succeeded', 'pending', 'dead', 'paused'] as const;
export type Filter = (typeof FILTERS)[number];

/** The filter of `?status=…`; all for any other word. */
export const filterOf = (status: string | null): Filter => FILTERS.find((filter) => filter === status) ?? 'all';

const PAGE_ROWS = 20;
/** New deliveries are fetched at most this often. */
const SPACING_MS = 1000;

export class DeliveryLog {
  /** Newest first; null until the first answer. */
  rows: Delivery[] | null = $state.raw(null);
  error: unknown = $state.raw(null);
  loading = $state(false);
  /** There are older ones. */
  more = $state(false);
  loadingMore = $state(false);

  readonly #projectId: string;
  #filter: Filter = 'all';
  #cursor: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(projectId: string) {
    this.#projectId = projectId;
  }

  /** Shows the deliveries of one filter, from the newest on. */
  show(filter: Filter): void {
    this.#filter = filter;
    this.rows = null;
    void this.load();
  }

  /** Fetches the newest page; rows already on show stay below it. */
  async load(): Promise<void> {
    await this.#fetch(undefined, (page, rows) => {
      const fresh = page.map(({ id }) => id);
      return [...page, ...rows.filter(({ id }) => !fresh.includes(id))];
    });
  }

  /** Fetches the next older page. */
  async loadMore(): Promise<void> {
    if (this.#cursor === null || this.loadingMore) return;
    this.loadingMore = true;
    await this.#fetch(this.#cursor, (page, rows) => [...rows, ...page]);
    this.loadingMore = false;
  }

  /** Brings a row up to date, or fetches the new one it tells of. */
  take(fact: FactOf<'delivery.changed'>): void {
    const { status, attempt, http_status, error, next_attempt_at } = fact;
    const known = this.rows?.some(({ id }) => id === fact.delivery_id);
    if (known !== true) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        void this.load();
      }, SPACING_MS);
      return;
    }
    // Whether it can be sent again follows its state; the server has the last word.
    const abilities = { replay: status === 'succeeded' || status === 'dead' };
    const change = { status, attempt, http_status, error, next_attempt_at, abilities };
    this.rows = this.rows?.map((row) => (row.id === fact.delivery_id ? { ...row, ...change } : row)) ?? null;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  async #fetch(after: string | undefined, join: (page: Delivery[], rows: Delivery[]) => Delivery[]): Promise<void> {
    this.loading = true;
    const first = this.rows === null;
    const filter = this.#filter;
    try {
      const query = { limit: PAGE_ROWS, after, ...(filter === 'all' ? {} : { status: filter }) };
      const { data, next_cursor } = await call(listDeliveries, { params: { id: this.#projectId }, query });
      if (filter !== this.#filter) return;
      this.rows = join(data, this.rows ?? []);
      this.error = null;
      if (first || after !== undefined) {
        this.#cursor = next_cursor;
        this.more = next_cursor !== null;
      }
    } catch (error) {
      this.error = error;
    }
    this.loading = false;
  }
}
