// The learnings of one project on the page: its clusters, the newest of what is on show, older ones on demand, new ones behind a line.
import type { LearningFilter } from '@countersign/shared/filters/learning-filter';
import { listClusters, MAX_CLUSTERS, type Cluster } from '@countersign/shared/api/clusters';
import {
  changeLearning,
  listLearnings,
  listLearningValues,
  type Learning,
  type LearningValues,
} from '@countersign/shared/api/learnings';
import { call } from '#lib/api/client.ts';
import { clock } from '#lib/time/clock.svelte.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { Resource } from '#lib/api/resource.svelte.ts';
import { ReloadThrottle } from '#lib/live/reload-throttle.ts';
import { SvelteMap } from 'svelte/reactivity';
import {
  freshCount,
  inCurrentOrder,
  withExclusion,
  withNewest,
  withOlder,
  refreshRows,
  withoutItem,
  type Newest,
  type Shown,
} from './merge-pages.ts';
import { filterOf, sameFilter, type UrlState } from './url-state.ts';

const PAGE_ROWS = 30;
/** Facts cause at most one request in this many ms. */
const SPACING_MS = 1000;
/** All clusters are counted anew each time: of a hundred thousand learnings that takes a while. */
const EASE = 5;

interface Clusters {
  data: Cluster[];
  total: number;
  next_cursor: string | null;
}

export class LearningsLog {
  /** null until the first answer. */
  shown: Shown | null = $state.raw(null);
  clusters: readonly Cluster[] = $state.raw([]);
  /** Why older ones did not come. */
  olderError: unknown = $state.raw(null);
  loadingOlder = $state(false);
  /** What the learnings of the project can be narrowed to. */
  readonly values: Resource<LearningValues>;
  readonly projectId: string;

  #urlState: UrlState;
  /** A range is counted back from when it was chosen: what is on show does not leave by itself. */
  #filter: LearningFilter;
  /** How new the newest of each cluster was when it was last looked at: sizes fall and rise when learnings are undone and left out. */
  readonly #lastSeen = new SvelteMap<string, string>();
  readonly #newest: Resource<Newest>;
  readonly #all: Resource<Clusters>;
  readonly #throttle: ReloadThrottle;

  constructor(projectId: string, urlState: UrlState) {
    this.projectId = projectId;
    this.#urlState = $state.raw(urlState);
    this.#filter = filterOf(urlState, clock.read());
    this.values = new Resource((signal) => call(listLearningValues, { params: { id: projectId }, signal }));
    this.#newest = new Resource((signal) => this.#read({ signal }));
    // The smallest of more than these are found by search.
    this.#all = new Resource((signal) => {
      const query = { ...this.#filter, limit: MAX_CLUSTERS };
      return call(listClusters, { params: { id: projectId }, query, signal });
    });
    this.#throttle = new ReloadThrottle({
      spacing: SPACING_MS,
      backoffFactor: EASE,
      mayReload: () => document.visibilityState === 'visible',
      reload: () => this.#refresh(),
    });
  }

  /** How many answer the filter, in all clusters. */
  get total(): number | null {
    return this.#all.data?.total ?? null;
  }

  /** There are more clusters than are listed. */
  get more(): boolean {
    return (this.#all.data?.next_cursor ?? null) !== null;
  }

  /** The cluster on show, if it is one that is listed. */
  get cluster(): Cluster | null {
    return this.clusters.find(({ id }) => id === this.#urlState.cluster) ?? null;
  }

  /** How many wait behind the line. */
  get fresh(): number {
    const newest = this.#newest.data;
    return this.shown === null || newest === null ? 0 : freshCount(this.shown, newest);
  }

  /** How many of those on show here, and those older, go into an export, and how many are left out; null before they are on show. */
  get marks(): { within: number; without: number } | null {
    const newest = this.shown && this.#newest.data;
    return newest && { within: newest.total - newest.excluded, without: newest.excluded };
  }

  /** Whether the clusters that answer are all known. */
  get isKnown(): boolean {
    return this.#all.data !== null;
  }

  /** Why the newest did not come. */
  get error() {
    return this.#newest.error ?? this.#all.error;
  }

  get loading() {
    return this.#newest.loading || this.#all.loading;
  }

  /** Whether a cluster has learned something since it was looked at. */
  hasNew({ id, last_seen }: Cluster): boolean {
    return last_seen > (this.#lastSeen.get(id) ?? last_seen);
  }

  /** The address changed. What is on show stays until the answer is there when only the cluster is another one. */
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

  /** Fetches the newest. Never throws: the reason stands in `error`. */
  load(): Promise<void> {
    return this.#throttle.now();
  }

  /** Leaves a learning out, or puts it in again; shown at once, and taken back when the server says no. Errors: those of {@link call}. */
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

  /** Puts those behind the line on top. */
  reveal(): void {
    const newest = this.#newest.data;
    if (this.shown !== null && newest !== null) this.shown = withNewest(this.shown, newest);
  }

  /** Fetches the next older page. Never throws: the reason stands in `olderError`. */
  async loadOlder(): Promise<void> {
    const [after, urlState] = [this.shown?.cursor, this.#urlState];
    if (after === null || after === undefined || this.loadingOlder) return;
    this.loadingOlder = true;
    try {
      const older = await this.#read({ after });
      // The list may have begun anew meanwhile: then these are not what comes next.
      if (urlState === this.#urlState && this.shown?.cursor === after) this.shown = withOlder(this.shown, older);
      this.olderError = null;
    } catch (error) {
      if (urlState === this.#urlState) this.olderError = error;
    }
    this.loadingOlder = false;
  }

  /** Stays true by the live facts until the answered function is called. */
  follow(): () => void {
    void this.load();
    void this.values.load();
    const resume = () => this.#throttle.resume();
    document.addEventListener('visibilitychange', resume);
    const stops = [
      live.on('item.finalized', ({ project_id, action }) => {
        if (project_id === this.projectId && (action === 'edit' || action === 'reject')) this.#throttle.schedule();
      }),
      live.on('item.undone', ({ project_id, item_id }) => {
        if (project_id !== this.projectId) return;
        if (this.shown !== null) this.shown = withoutItem(this.shown, item_id);
        this.#throttle.schedule();
      }),
      live.on('project.changed', ({ project_id, changed, learning, placed_from }) => {
        if (project_id !== this.projectId) return;
        // A new reason found its cluster (CT4): nothing that was on show is elsewhere now.
        if (placed_from !== undefined) this.#throttle.schedule();
        else if (changed.includes('clusters')) void this.#reorder();
        if (learning !== undefined) this.#exclusionChanged(learning);
      }),
      live.onResync(() => this.load()),
      () => this.values.cancel(),
      () => document.removeEventListener('visibilitychange', resume),
      () => this.#throttle.stop(),
      () => this.#newest.cancel(),
      () => this.#all.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  /** Clusters were put in order: what belongs to the one on show may be other learnings now. */
  async #reorder(): Promise<void> {
    const before = this.cluster;
    // What was moved is nothing new.
    this.#lastSeen.clear();
    await this.load();
    if (before !== null && before.size !== this.cluster?.size) this.#begin();
  }

  /** Somebody left a learning out, or put it in again. */
  #exclusionChanged(learning: Pick<Learning, 'id' | 'excluded'>): void {
    if (this.shown !== null) this.shown = withExclusion(this.shown, learning);
    // Where only the one kind is listed, the list is another one now.
    if (this.#filter.excluded === undefined) this.#throttle.schedule();
    else void this.#restart();
  }

  async #restart(): Promise<void> {
    await this.load();
    this.#begin();
  }

  /** The list begins with the newest of all. */
  #begin(): void {
    const newest = this.#newest.data;
    if (newest !== null) this.shown = { rows: newest.data, cursor: newest.next_cursor, total: newest.total };
  }

  async #refresh(): Promise<void> {
    const urlState = this.#urlState;
    await Promise.all([this.#newest.load(), this.#all.load()]);
    // The address changed meanwhile: these are not for it.
    if (urlState !== this.#urlState) return;
    const all = this.#all.data;
    if (all !== null) this.clusters = inCurrentOrder(this.clusters, all.data);
    for (const { id, last_seen } of this.clusters)
      if (!this.#lastSeen.has(id) || id === urlState.cluster) this.#lastSeen.set(id, last_seen);
    const newest = this.#newest.data;
    if (newest === null) return;
    // Nothing on show can move by the first ones.
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
