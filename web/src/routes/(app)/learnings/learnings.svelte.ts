// The learnings of one project on the page: its clusters, the newest of what is on show, older ones on demand, new ones behind a line.
import type { LearningFilter } from '@countersign/shared/learning-filter';
import { listClusters, MOST_CLUSTERS, type Cluster } from '@countersign/shared/api/clusters';
import { listLearnings } from '@countersign/shared/api/insights';
import { call } from '#lib/api.ts';
import { clock } from '#lib/clock.svelte.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { Resource } from '#lib/resource.svelte.ts';
import { Pacer } from '#lib/live/pacer.ts';
import { SvelteMap } from 'svelte/reactivity';
import { freshCount, inPlace, withNewest, withOlder, type Newest, type Shown } from './join.ts';
import { filterOf, sameFilter, type Place } from './place.ts';

const PAGE_ROWS = 30;
/** Facts cause at most one request in this many ms. */
const SPACING_MS = 1000;

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
  readonly projectId: string;

  #place: Place;
  /** A range is counted back from when it was chosen: what is on show does not leave by itself. */
  #filter: LearningFilter;
  /** How large each cluster was when it was last looked at. */
  readonly #seen = new SvelteMap<string, number>();
  readonly #newest: Resource<Newest>;
  readonly #all: Resource<Clusters>;
  readonly #pacer: Pacer;

  constructor(projectId: string, place: Place) {
    this.projectId = projectId;
    this.#place = $state.raw(place);
    this.#filter = filterOf(place, clock.read());
    this.#newest = new Resource((signal) => this.#read({ signal }));
    // The smallest of more than these are found by search.
    this.#all = new Resource((signal) => {
      const query = { ...this.#filter, limit: MOST_CLUSTERS };
      return call(listClusters, { params: { id: projectId }, query, signal });
    });
    this.#pacer = new Pacer({
      spacing: SPACING_MS,
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
    return this.clusters.find(({ id }) => id === this.#place.cluster) ?? null;
  }

  /** How many wait behind the line. */
  get fresh(): number {
    const newest = this.#newest.data;
    return this.shown === null || newest === null ? 0 : freshCount(this.shown, newest);
  }

  /** Why the newest did not come. */
  get error() {
    return this.#newest.error ?? this.#all.error;
  }

  get loading() {
    return this.#newest.loading || this.#all.loading;
  }

  /** Whether a cluster grew since it was looked at. */
  hasNew({ id, size }: Cluster): boolean {
    return size > (this.#seen.get(id) ?? size);
  }

  /** The address changed. What is on show stays until the answer is there when only the cluster is another one. */
  turnTo(place: Place): void {
    const [was, same] = [this.#place, sameFilter(this.#place, place)];
    if (same && was.cluster === place.cluster) return;
    this.#place = place;
    this.#filter = filterOf(place, clock.read());
    if (!same) {
      this.clusters = [];
      this.#all.data = null;
      this.#seen.clear();
    }
    this.shown = null;
    this.olderError = null;
    this.#newest.data = null;
    void this.load();
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
    const [after, place] = [this.shown?.cursor, this.#place];
    if (after === null || after === undefined || this.loadingOlder) return;
    this.loadingOlder = true;
    try {
      const older = await this.#read({ after });
      // The list may have begun anew meanwhile: then these are not what comes next.
      if (place === this.#place && this.shown?.cursor === after) this.shown = withOlder(this.shown, older);
      this.olderError = null;
    } catch (error) {
      if (place === this.#place) this.olderError = error;
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
        if (project_id === this.projectId && (action === 'edit' || action === 'reject')) this.#pacer.want();
      }),
      live.on('project.changed', ({ project_id, changed }) => {
        if (project_id === this.projectId && changed.includes('clusters')) void this.#reorder();
      }),
      live.onResync(() => this.load()),
      () => document.removeEventListener('visibilitychange', look),
      () => this.#pacer.stop(),
      () => this.#newest.cancel(),
      () => this.#all.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  /** Clusters were put in order: what belongs to the one on show may be other learnings now. */
  async #reorder(): Promise<void> {
    const before = this.cluster;
    // What was moved is nothing new.
    this.#seen.clear();
    await this.load();
    if (before === null || before.size === this.cluster?.size) return;
    const newest = this.#newest.data;
    if (newest !== null) this.shown = { rows: newest.data, cursor: newest.next_cursor, total: newest.total };
  }

  async #refresh(): Promise<void> {
    const place = this.#place;
    await Promise.all([this.#newest.load(), this.#all.load()]);
    // The address changed meanwhile: these are not for it.
    if (place !== this.#place) return;
    const all = this.#all.data;
    if (all !== null) this.clusters = inPlace(this.clusters, all.data);
    for (const { id, size } of this.clusters) if (!this.#seen.has(id) || id === place.cluster) this.#seen.set(id, size);
    const newest = this.#newest.data;
    if (newest === null) return;
    // Nothing on show can move by the first ones.
    this.shown ??= { rows: newest.data, cursor: newest.next_cursor, total: newest.total };
    if (this.shown.rows.length === 0) this.reveal();
  }

  #read({ after, signal }: { after?: string; signal?: AbortSignal }): Promise<Newest> {
    const { cluster } = this.#place;
    const query = { ...this.#filter, cluster: cluster ?? undefined, limit: PAGE_ROWS, after };
    return call(listLearnings, { params: { id: this.projectId }, query, signal });
  }
}
