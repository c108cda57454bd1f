// The learnings of a project: its clusters, and pages of the selected ones with new ones behind a line.
import type { LearningFilter } from '@countersign/shared/schemas/parts/learning-filter';
import { listClusters } from '@countersign/shared/routes/clusters';
import { MAX_CLUSTERS } from '@countersign/shared/limits';
import type { Cluster } from '@countersign/shared/schemas/clusters';
import { changeLearning, listLearnings, listLearningValues } from '@countersign/shared/routes/learnings';
import type { Learning, LearningValues } from '@countersign/shared/schemas/learnings';
import { call } from '#lib/api/client.ts';
import { clock } from '#lib/time/clock.svelte.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { Resource } from '#lib/api/resource.svelte.ts';
import { ReloadThrottle } from '#lib/live/reload-throttle.ts';
import { SvelteMap } from 'svelte/reactivity';
import { filterOf, sameFilter, type UrlState } from './url-state.ts';
import {
  freshCount,
  withoutItem,
  refreshRows,
  withNewest,
  withOlder,
  withExclusion,
  inCurrentOrder,
  type Newest,
  type Shown,
} from './merge-pages.ts';
import { isOverride } from '@countersign/shared/review-actions';

const PAGE_ROWS = 30;
/** Events cause at most one request in this many ms. */
const SPACING_MS = 1000;
/** All learnings are read to count the values of the filters, which change little: events cause at most one request in this many ms. */
const VALUES_SPACING_MS = 10_000;
/** All clusters are counted again each time: for a hundred thousand learnings that takes a while. */
const EASE = 5;

interface Clusters {
  data: Cluster[];
  total: number;
  without_reason: number;
  next_cursor: string | null;
}

export class LearningsLog {
  /** Null until the first answer. */
  shown: Shown | null = $state.raw(null);
  clusters: readonly Cluster[] = $state.raw([]);
  /** Why older ones failed to load. */
  olderError: unknown = $state.raw(null);
  loadingOlder = $state(false);
  /** The values that the project's learnings can be filtered by. */
  readonly values: Resource<LearningValues>;
  readonly projectId: string;

  #urlState: UrlState;
  /** A range counts back from when it was selected: shown learnings do not leave it automatically. */
  #filter: LearningFilter;
  /**
   * The time of each cluster's newest learning when it was last viewed: sizes fall and rise as learnings are undone and excluded.
   */
  readonly #lastSeen = new SvelteMap<string, string>();
  readonly #newest: Resource<Newest>;
  readonly #all: Resource<Clusters>;
  readonly #throttle: ReloadThrottle;
  readonly #valuesThrottle: ReloadThrottle;

  constructor(projectId: string, urlState: UrlState) {
    this.projectId = projectId;
    this.#urlState = $state.raw(urlState);
    this.#filter = filterOf(urlState, clock.read());
    this.values = new Resource((signal) => call(listLearningValues, { params: { id: projectId }, signal }));
    this.#newest = new Resource((signal) => this.#read({ signal }));
    // Beyond this number the smallest are found by search.
    this.#all = new Resource((signal) => {
      const query = { ...this.#filter, limit: MAX_CLUSTERS };
      return call(listClusters, { params: { id: projectId }, query, signal });
    });
    const common = { backoffFactor: EASE, mayReload: () => document.visibilityState === 'visible' };
    this.#throttle = new ReloadThrottle({
      ...common,
      spacing: SPACING_MS,
      reload: () => this.#refresh(),
      error: () => this.error,
    });
    this.#valuesThrottle = new ReloadThrottle({
      ...common,
      spacing: VALUES_SPACING_MS,
      reload: () => this.values.load(),
      error: () => this.values.error,
    });
  }

  /** How many match the filter, in all clusters and in none. */
  get total(): number | null {
    return this.#all.data?.total ?? null;
  }

  /** How many of them are in none, because they have no reason. */
  get withoutReason(): number {
    return this.#all.data?.without_reason ?? 0;
  }

  /** There are more clusters than are listed. */
  get more(): boolean {
    return (this.#all.data?.next_cursor ?? null) !== null;
  }

  /** The selected cluster, if it is listed. */
  get cluster(): Cluster | null {
    return this.clusters.find(({ id }) => id === this.#urlState.cluster) ?? null;
  }

  /** How many wait behind the line. */
  get fresh(): number {
    const newest = this.#newest.data;
    return this.shown === null || newest === null ? 0 : freshCount(this.shown, newest);
  }

  /** How many of the listed and older ones are included in an export, and how many are excluded; null before they have loaded. */
  get marks(): { within: number; without: number } | null {
    const newest = this.shown && this.#newest.data;
    return newest && { within: newest.total - newest.excluded, without: newest.excluded };
  }

  /** Whether all matching clusters are known. */
  get isKnown(): boolean {
    return this.#all.data !== null;
  }

  /** Why the newest failed to load. */
  get error() {
    return this.#newest.error ?? this.#all.error;
  }

  get loading() {
    return this.#newest.loading || this.#all.loading;
  }

  /** Whether a cluster has new learnings since it was viewed. */
  hasNew({ id, last_seen }: Cluster): boolean {
    return last_seen > (this.#lastSeen.get(id) ?? last_seen);
  }

  /** The URL changed. When only the cluster differs, the present list stays until the answer arrives. */
  switchTo(urlState: UrlState): void {
    const [was, same] = [this.#urlState, sameFilter(this.#urlState, urlState)];
    if (same && was.cluster === urlState.cluster) return;
    this.#urlState = urlState;
    this.#filter = filterOf(urlState, clock.read());
    if (!same) {
      this.clusters = [];
      this.#all.data = null;
      this.#lastSeen.clear();
    }
    this.shown = null;
    this.olderError = null;
    this.#newest.data = null;
    void this.load();
  }

  /** Loads the newest. Never throws: the cause is in `error`. */
  load(): Promise<void> {
    return this.#throttle.now();
  }

  /**
   * Excludes a learning, or includes it again; shown at once, and rolled back when the server refuses. Errors: those of {@link
   * call}.
   */
  async mark({ id, excluded }: Learning): Promise<void> {
    const show = (now: boolean) => {
      if (this.shown !== null) this.shown = withExclusion(this.shown, { id, excluded: now });
    };
    show(!excluded);
    try {
      await call(changeLearning, {
        params: { id: this.projectId, learning_id: id },
        body: { excluded: !excluded },
      });
    } catch (error) {
      show(excluded);
      throw error;
    }
  }

  /** Moves those behind the line to the top of the list. */
  reveal(): void {
    const newest = this.#newest.data;
    if (this.shown !== null && newest !== null) this.shown = withNewest(this.shown, newest);
  }

  /** Loads the next older page. Never throws: the cause is in `olderError`. */
  async loadOlder(): Promise<void> {
    const [after, urlState] = [this.shown?.cursor, this.#urlState];
    if (after === null || after === undefined || this.loadingOlder) return;
    this.loadingOlder = true;
    try {
      const older = await this.#read({ after });
      // The list may have started over meanwhile: then this page does not connect to it.
      if (urlState === this.#urlState && this.shown?.cursor === after) this.shown = withOlder(this.shown, older);
      this.olderError = null;
    } catch (error) {
      if (urlState === this.#urlState) this.olderError = error;
    }
    this.loadingOlder = false;
  }

  /** Follows the live events until the returned function is called. */
  follow(): () => void {
    void this.#loadAll();
    const resume = () => {
      this.#throttle.resume();
      this.#valuesThrottle.resume();
    };
    document.addEventListener('visibilitychange', resume);
    const stops = [
      live.on('item.finalized', ({ project_id, action }) => {
        if (project_id === this.projectId && isOverride(action)) this.#schedule();
      }),
      live.on('item.undone', (event) => this.#learningGone(event)),
      // The revision may be a learning itself (RV5).
      live.on('decision.revised', (event) => this.#learningGone(event)),
      live.on('project.changed', ({ project_id, changed, learning, placed_from }) => {
        if (project_id !== this.projectId) return;
        // A new reason was assigned to its cluster (CT4): no listed learning has moved.
        if (placed_from !== undefined) this.#throttle.schedule();
        else if (changed.includes('clusters')) void this.#reorder();
        if (learning !== undefined) this.#exclusionChanged(learning);
      }),
      live.onResync(() => this.#loadAll()),
      () => this.values.cancel(),
      () => document.removeEventListener('visibilitychange', resume),
      () => this.#throttle.stop(),
      () => this.#valuesThrottle.stop(),
      () => this.#newest.cancel(),
      () => this.#all.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  async #loadAll(): Promise<void> {
    await Promise.all([this.load(), this.#valuesThrottle.now()]);
  }

  /** There are other learnings now: loads the list and the values of the filters soon. */
  #schedule(): void {
    this.#throttle.schedule();
    this.#valuesThrottle.schedule();
  }

  /** The decision on an item was undone or revised: its learning counts no longer. */
  #learningGone({ project_id, item_id }: { project_id: string; item_id: string }): void {
    if (project_id !== this.projectId) return;
    if (this.shown !== null) this.shown = withoutItem(this.shown, item_id);
    this.#schedule();
  }

  /** Clusters were changed: the selected one may contain other learnings now. */
  async #reorder(): Promise<void> {
    const before = this.cluster;
    // A moved learning is not a new one.
    this.#lastSeen.clear();
    await this.load();
    if (before !== null && before.size !== this.cluster?.size) this.#begin();
  }

  /** Somebody excluded a learning, or included it again. */
  #exclusionChanged(learning: Pick<Learning, 'id' | 'excluded'>): void {
    if (this.shown !== null) this.shown = withExclusion(this.shown, learning);
    // Where only one of both kinds is listed, the list has changed.
    if (this.#filter.excluded === undefined) this.#throttle.schedule();
    else void this.#restart();
  }

  async #restart(): Promise<void> {
    await this.load();
    this.#begin();
  }

  /** Starts the list at the newest learning. */
  #begin(): void {
    const newest = this.#newest.data;
    if (newest !== null) this.shown = { rows: newest.data, cursor: newest.next_cursor, total: newest.total };
  }

  async #refresh(): Promise<void> {
    const urlState = this.#urlState;
    await Promise.all([this.#newest.load(), this.#all.load()]);
    // The URL changed meanwhile: this answer does not belong to it.
    if (urlState !== this.#urlState) return;
    const all = this.#all.data;
    if (all !== null) this.clusters = inCurrentOrder(this.clusters, all.data);
    for (const { id, last_seen } of this.clusters)
      if (!this.#lastSeen.has(id) || id === urlState.cluster) this.#lastSeen.set(id, last_seen);
    const newest = this.#newest.data;
    if (newest === null) return;
    // The first answer cannot move anything.
    this.shown ??= { rows: newest.data, cursor: newest.next_cursor, total: newest.total };
    this.shown = refreshRows(this.shown, newest);
    if (this.shown.rows.length === 0) this.reveal();
  }

  #read({ after, signal }: { after?: string; signal?: AbortSignal }): Promise<Newest> {
    const { cluster } = this.#urlState;
    const query = { ...this.#filter, cluster: cluster ?? undefined, limit: PAGE_ROWS, after };
    return call(listLearnings, { params: { id: this.projectId }, query, signal });
  }
}
