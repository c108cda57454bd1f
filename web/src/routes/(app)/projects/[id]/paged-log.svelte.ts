// A log on the page: its newest rows by themselves, older ones on demand, and what is there stays when the server fails.
import { Resource } from '#lib/resource.svelte.ts';
import { withNewest, withOlder, type Page, type Shown } from './log-pages.ts';

export interface Asked {
  after?: string | undefined;
  signal?: AbortSignal;
}

export abstract class PagedLog<Row extends { id: string }> {
  /** null until the first answer. */
  shown: Shown<Row> | null = $state.raw(null);
  /** Why older ones did not come. */
  olderError: unknown = $state.raw(null);
  loadingOlder = $state(false);

  readonly #newest = new Resource(async (signal) => {
    const newest = await this.read({ signal });
    // What was asked for again meanwhile comes with the newer answer.
    signal.throwIfAborted();
    this.shown = withNewest(this.shown, newest);
    return newest;
  });

  /** Asks for one page: the newest, or what is older than a cursor. */
  protected abstract read(asked: Asked): Promise<Page<Row>>;

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

  /** Fetches the next older page. Never throws: the reason stands in `olderError`. */
  async loadOlder(): Promise<void> {
    const after = this.shown?.cursor ?? null;
    if (after === null || this.loadingOlder) return;
    this.loadingOlder = true;
    try {
      const older = await this.read({ after });
      // The list may have begun anew meanwhile: then these are not what comes next.
      if (this.shown?.cursor === after) this.shown = withOlder(this.shown, older);
      this.olderError = null;
    } catch (error) {
      this.olderError = error;
    }
    this.loadingOlder = false;
  }

  /** Stops waiting for the newest. */
  cancel(): void {
    this.#newest.cancel();
  }
}
