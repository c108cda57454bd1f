// The regression runs of a cluster, and the cases of the open one; updated by the live events.
import { beginRegression, listRegressionCases, listRegressions } from '@countersign/shared/routes/regressions';
import type { CaseState } from '@countersign/shared/enums';
import type { Regression, RegressionCase } from '@countersign/shared/schemas/regressions';
import { newIdempotencyKey } from '@countersign/shared/idempotency-key';
import type { LearningFilter } from '@countersign/shared/schemas/parts/learning-filter';
import { call } from '#lib/api/client.ts';
import { clock } from '#lib/time/clock.svelte.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { ReloadThrottle } from '#lib/live/reload-throttle.ts';
import { Resource } from '#lib/api/resource.svelte.ts';
import { filterOf, type UrlState } from '../url-state.ts';

/** Events cause at most one request in this many ms. */
const SPACING_MS = 500;
/** The server needs a while to count a run of thousands of cases, and every open page asks for it. */
const EASE = 5;
const CASES = 20;

/** The first pages of a list; `limit` is their number of rows. */
interface Pages<Row> {
  rows: readonly Row[];
  next: string | null;
}

export class RunsLog {
  readonly list: Resource<Pages<Regression>>;
  readonly cases: Resource<Pages<RegressionCase> & { run: Regression }>;
  /** The filter of the open run's cases. */
  state: CaseState | '' = $state('');
  readonly #projectId: string;
  readonly #cluster: string | undefined;
  readonly #throttle: ReloadThrottle;
  #run: string | null = null;
  /** The run being started: a range counts back from when it was first requested. */
  #pendingRun: {
    title: string;
    urlState: UrlState;
    filter: Omit<LearningFilter, 'excluded'>;
    idempotencyKey: string;
  } | null = null;
  /** How many pages are shown. */
  #pages = { list: 1, cases: 1 };

  constructor(projectId: string, cluster: string | null) {
    this.#projectId = projectId;
    this.#cluster = cluster ?? undefined;
    this.list = new Resource(async (signal) => {
      const query = { cluster: this.#cluster };
      return pagesOf(this.#pages.list, (after) => {
        const asked = { params: { id: projectId }, query: { ...query, after }, signal };
        return call(listRegressions, asked);
      });
    });
    this.cases = new Resource(async (signal) => this.#readCases(signal));
    this.#throttle = new ReloadThrottle({
      spacing: SPACING_MS,
      backoffFactor: EASE,
      mayReload: () => document.visibilityState === 'visible',
      reload: () => this.#current.load(),
      error: () => this.#current.error,
    });
  }

  /** Switches to another run, or none. */
  switchTo(run: string | null): void {
    if (run === this.#run) return;
    this.#run = run;
    this.#pages.cases = 1;
    this.state = '';
    this.cases.data = this.cases.error = null;
    void (run === null ? this.list : this.cases).load();
  }

  /** Filters the cases of the run. */
  choose(state: CaseState | ''): void {
    this.state = state;
    this.#pages.cases = 1;
    void this.cases.load();
  }

  moreCases(): void {
    this.#pages.cases += 1;
    void this.cases.load();
  }

  moreRuns(): void {
    this.#pages.list += 1;
    void this.list.load();
  }

  /** Starts a run over the present filter. Repeated after a failure, it is the same run. Errors: those of {@link call}. */
  async begin(title: string, urlState: UrlState): Promise<Regression> {
    if (this.#pendingRun?.title !== title || this.#pendingRun.urlState !== urlState) {
      const { excluded: _, ...filter } = filterOf(urlState, clock.read());
      this.#pendingRun = { title, urlState, filter, idempotencyKey: newIdempotencyKey() };
    }
    const { filter, idempotencyKey } = this.#pendingRun;
    const body = { ...filter, ...(title !== '' && { title }), cluster_id: this.#cluster };
    const run = await call(beginRegression, { params: { id: this.#projectId }, body, idempotencyKey });
    this.#pendingRun = null;
    void this.list.load();
    return run;
  }

  /** Stays up to date until the returned function is called. */
  follow(): () => void {
    void this.#throttle.now();
    const resume = () => this.#throttle.resume();
    document.addEventListener('visibilitychange', resume);
    const stops = [
      live.on('project.changed', ({ project_id, changed }) => {
        if (project_id === this.#projectId && changed.includes('regressions')) this.#throttle.schedule();
      }),
      live.onResync(() => this.#throttle.now()),
      () => document.removeEventListener('visibilitychange', resume),
      () => this.#throttle.stop(),
      () => this.list.cancel(),
      () => this.cases.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  /** What is shown: the runs, or the cases of the open one. */
  get #current(): Resource<unknown> {
    return this.#run === null ? this.list : this.cases;
  }

  async #readCases(signal: AbortSignal): Promise<Pages<RegressionCase> & { run: Regression }> {
    const params = { id: this.#projectId, regression_id: this.#run ?? '' };
    const state = this.state === '' ? undefined : this.state;
    let run: Regression | null = null;
    const pages = await pagesOf(this.#pages.cases, async (after) => {
      const page = await call(listRegressionCases, { params, query: { state, after, limit: CASES }, signal });
      run = page.run;
      return page;
    });
    if (run === null) throw new Error('There is always a first page.');
    return { ...pages, run };
  }
}

/** That many first pages, one after the other. */
async function pagesOf<Row>(
  count: number,
  read: (after: string | undefined) => Promise<{ data: Row[]; next_cursor: string | null }>,
): Promise<Pages<Row>> {
  const rows: Row[] = [];
  let next: string | null = null;
  for (let page = 0; page < count && (page === 0 || next !== null); page += 1) {
    const { data, next_cursor } = await read(next ?? undefined);
    rows.push(...data);
    next = next_cursor;
  }
  return { rows, next };
}
