// A log on the page: its newest rows by themselves, older ones on demand, and what is there stays when the server fails.
import { Resource } from '#lib/api/resource.svelte.ts';
import { withNewest, withOlder, type Page, type Shown } from './log-pages.ts';

export interface PageRequest {
  after?: string | undefined;
  signal?: AbortSignal;
}

export abstract class PagedLog<Row extends { id: string }> {
  /** null until the first answer. */
  shown: Shown<Row> | null = $state.raw(null);
  /** Why older ones did not come. */
  olderError: unknown = $state.raw(null);
  loadingOlder = $state(false);

  /** How often another log began. */
  #generation = 0;

  readonly #newest = new Resource(async (signal) => {
    const newest = await this.read({ signal });
    // What was asked for again meanwhile comes with the newer answer.
    signal.throwIfAborted();
    this.shown = this.joined(withNewest(this.current, newest));
    return newest;
  });

  /** Asks for one page: the newest, or what is older than a cursor. */
  protected abstract read(asked: PageRequest): Promise<Page<Row>>;

  /** What the newest page joins; null when it begins the log anew. */
  protected get current(): Shown<Row> | null {
    return this.shown;
  }

  /** A last look at what will be on show. */
  protected joined(next: Shown<Row>): Shown<Row> {
    return next;
  }

  /** Why the newest did not come. */
  get error(): unknown {
    return this.#newest.error;
  }

  get loading(): boolean {
    return this.#newest.loading;
  }

  /** Fetches the newest page. Never throws: the reason stands in `error`. */
  load(): Promise<void> {
    return this.#newest.load();
  }

  /** Fetches the next older page of what stands. Never throws: the reason stands in `olderError`. */
  async loadOlder(): Promise<void> {
    const after = this.current?.cursor ?? null;
    if (after === null || this.loadingOlder) return;
    const begun = this.#generation;
    this.loadingOlder = true;
    try {
      const older = await this.read({ after });
      if (begun !== this.#generation) return;
      const { current } = this;
      // The list may have begun anew meanwhile: then these are not what comes next.
      if (current?.cursor === after) this.shown = this.joined(withOlder(current, older));
      this.olderError = null;
    } catch (error) {
      if (begun !== this.#generation) return;
      this.olderError = error;
    }
    this.loadingOlder = false;
  }

  /** Another log begins: older rows that are on their way are none of it, nor is the reason why some did not come. */
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
