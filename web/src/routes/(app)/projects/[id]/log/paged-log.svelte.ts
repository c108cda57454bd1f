// A paged log: its newest rows automatically, older ones on demand, and the list stays when the server fails.
import { Resource } from '#lib/api/resource.svelte.ts';
import { withNewest, withOlder, type Page, type Shown } from './log-pages.ts';

export interface PageRequest {
  after?: string | undefined;
  signal?: AbortSignal;
}

export abstract class PagedLog<Row extends { id: string }> {
  /** Null until the first answer. */
  shown: Shown<Row> | null = $state.raw(null);
  /** Why older ones failed to load. */
  olderError: unknown = $state.raw(null);
  loadingOlder = $state(false);

  /** Counts how often the log was replaced. */
  #generation = 0;

  readonly #newest = new Resource(async (signal) => {
    const newest = await this.read({ signal });
    // A newer request has its own answer.
    signal.throwIfAborted();
    this.shown = this.joined(withNewest(this.current, newest));
    return newest;
  });

  /** Requests one page: the newest, or the one older than a cursor. */
  protected abstract read(asked: PageRequest): Promise<Page<Row>>;

  /** The rows the newest page is merged with; null when it starts the log over. */
  protected get current(): Shown<Row> | null {
    return this.shown;
  }

  /** Postprocesses the merged rows. */
  protected joined(next: Shown<Row>): Shown<Row> {
    return next;
  }

  /** Why the newest failed to load. */
  get error(): unknown {
    return this.#newest.error;
  }

  get loading(): boolean {
    return this.#newest.loading;
  }

  /** Loads the newest page. Never throws: the cause is in `error`. */
  load(): Promise<void> {
    return this.#newest.load();
  }

  /** Loads the next older page. Never throws: the cause is in `olderError`. */
  async loadOlder(): Promise<void> {
    const after = this.current?.cursor ?? null;
    if (after === null || this.loadingOlder) return;
    const begun = this.#generation;
    this.loadingOlder = true;
    try {
      const older = await this.read({ after });
      if (begun !== this.#generation) return;
      const { current } = this;
      // The list may have started over meanwhile: then this page does not connect to it.
      if (current?.cursor === after) this.shown = this.joined(withOlder(current, older));
      this.olderError = null;
    } catch (error) {
      if (begun !== this.#generation) return;
      this.olderError = error;
    }
    this.loadingOlder = false;
  }

  /** Starts another log: pending older rows do not belong to it, nor does the error of a failed page. */
  protected begin(): void {
    this.#generation += 1;
    this.olderError = null;
    this.loadingOlder = false;
  }

  /** Stops waiting for the newest. */
  cancel(): void {
    this.#newest.cancel();
  }
}
