// The learnings of one project on the page: the newest page, older ones on demand, new ones behind a line until asked for.
import { listLearnings } from '@countersign/shared/api/insights';
import { call } from '#lib/api.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { Resource } from '#lib/resource.svelte.ts';
import { Pacer } from '#lib/live/pacer.ts';
import { freshCount, inPlace, withNewest, withOlder, type Newest, type Reason, type Shown } from './join.ts';

const PAGE_ROWS = 30;
/** Facts cause at most one request in this many ms. */
const SPACING_MS = 1000;

interface LearningsPage extends Newest {
  reasons: Reason[];
}

export class LearningsLog {
  /** null until the first answer. */
  shown: Shown | null = $state.raw(null);
  reasons: readonly Reason[] = $state.raw([]);
  /** Why older ones did not come. */
  olderError: unknown = $state.raw(null);
  loadingOlder = $state(false);

  readonly #projectId: string;
  readonly #newest: Resource<LearningsPage>;
  readonly #pacer: Pacer;

  constructor(projectId: string) {
    this.#projectId = projectId;
    this.#newest = new Resource((signal) => read(projectId, { signal }));
    this.#pacer = new Pacer({
      spacing: SPACING_MS,
      mayReload: () => document.visibilityState === 'visible',
      reload: () => this.#refresh(),
    });
  }

  /** How many there are in all. */
  get total(): number | null {
    return this.#newest.data?.total ?? null;
  }

  /** How many wait behind the line. */
  get fresh(): number {
    const newest = this.#newest.data;
    return this.shown === null || newest === null ? 0 : freshCount(this.shown, newest);
  }

  /** Why the newest did not come. */
  get error() {
    return this.#newest.error;
  }

  get loading() {
    return this.#newest.loading;
  }

  /** Fetches the newest. Never throws: the reason stands in `error`. */
  load(): Promise<void> {
    return this.#pacer.now();
  }

  /** Puts those behind the line on top. */
  reveal(): void {
    const newest = this.#newest.data;
    if (this.shown !== null && newest !== null) this.shown = withNewest(this.shown, newest);
  }

  /** Fetches the next older page. Never throws: the reason stands in `olderError`. */
  async loadOlder(): Promise<void> {
    const after = this.shown?.cursor;
    if (after === null || after === undefined || this.loadingOlder) return;
    this.loadingOlder = true;
    try {
      const older = await read(this.#projectId, { after });
      // The list may have begun anew meanwhile: then these are not what comes next.
      if (this.shown?.cursor === after) this.shown = withOlder(this.shown, older);
      this.olderError = null;
    } catch (error) {
      this.olderError = error;
    }
    this.loadingOlder = false;
  }

  /** Stays true by the live facts until the answered function is called. */
  follow(): () => void {
    void this.load();
    const look = () => this.#pacer.look();
    document.addEventListener('visibilitychange', look);
    const stops = [
      live.on('item.finalized', ({ project_id, action }) => {
        if (project_id === this.#projectId && (action === 'edit' || action === 'reject')) this.#pacer.want();
      }),
      live.onResync(() => this.load()),
      () => document.removeEventListener('visibilitychange', look),
      () => this.#pacer.stop(),
      () => this.#newest.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  async #refresh(): Promise<void> {
    await this.#newest.load();
    const newest = this.#newest.data;
    if (newest === null) return;
    this.reasons = inPlace(this.reasons, newest.reasons);
    // Nothing on show can move by the first ones.
    this.shown ??= { rows: newest.data, cursor: newest.next_cursor, total: newest.total };
    if (this.shown.rows.length === 0) this.reveal();
  }
}

function read(projectId: string, { after, signal }: { after?: string; signal?: AbortSignal }): Promise<LearningsPage> {
  return call(listLearnings, { params: { id: projectId }, query: { limit: PAGE_ROWS, after }, signal });
}
