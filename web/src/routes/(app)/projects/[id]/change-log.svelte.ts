// The change log of a project on the page: the newest lines by themselves, older ones on demand.
import { listChanges, type ChangeKind } from '@countersign/shared/api/changes';
import { call } from '#lib/api.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { Resource } from '#lib/resource.svelte.ts';
import { withNewest, withOlder, type Page, type Shown } from './change-pages.ts';

const PAGE_ROWS = 50;

export class ChangeLog {
  /** null until the first answer. */
  shown: Shown | null = $state.raw(null);
  /** Why older ones did not come. */
  olderError: unknown = $state.raw(null);
  loadingOlder = $state(false);

  readonly #projectId: string;
  readonly #read: (options: { after?: string; signal?: AbortSignal }) => Promise<Page>;
  readonly #newest: Resource<Page>;

  /** @param kind one kind of change alone; null for all. */
  constructor(projectId: string, kind: ChangeKind | null) {
    this.#projectId = projectId;
    this.#read = ({ after, signal }) => {
      const query = { limit: PAGE_ROWS, after, kind: kind ?? undefined };
      return call(listChanges, { params: { id: projectId }, query, signal });
    };
    this.#newest = new Resource((signal) => this.#read({ signal }));
  }

  /** Why the newest did not come. */
  get error() {
    return this.#newest.error;
  }

  get loading() {
    return this.#newest.loading;
  }

  /** Fetches the newest page. Never throws: the reason stands in `error`. */
  async load(): Promise<void> {
    await this.#newest.load();
    const newest = this.#newest.data;
    if (newest !== null) this.shown = withNewest(this.shown, newest);
  }

  /** Fetches the next older page. Never throws: the reason stands in `olderError`. */
  async loadOlder(): Promise<void> {
    const after = this.shown?.cursor ?? null;
    if (after === null || this.loadingOlder) return;
    this.loadingOlder = true;
    try {
      const older = await this.#read({ after });
      // The list may have begun anew meanwhile: then these are not what comes next.
      if (this.shown !== null && this.shown.cursor === after) this.shown = withOlder(this.shown, older);
      this.olderError = null;
    } catch (error) {
      this.olderError = error;
    }
    this.loadingOlder = false;
  }

  /** Loads the log and follows the project; answers the function that stops it. */
  follow(): () => void {
    void this.load();
    const stops = [
      live.on('project.changed', (fact) => fact.project_id === this.#projectId && void this.load()),
      live.onResync(() => this.load()),
      () => this.#newest.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }
}
