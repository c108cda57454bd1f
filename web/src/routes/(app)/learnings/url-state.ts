// The URL of the learnings page: the selected cluster and the filter, so that it can be shared and Back works.
import type { LearningFilter } from '@countersign/shared/schemas/parts/learning-filter';
import { isOverride } from '@countersign/shared/review-actions';

export const RANGES = ['day', 'week', 'month', 'all'] as const;
export type Range = (typeof RANGES)[number];

export interface UrlState {
  /** Null: all of them. */
  readonly cluster: string | null;
  readonly range: Range;
  readonly filter: Readonly<Omit<LearningFilter, 'since'>>;
  /** The regression runs of the cluster replace its examples; `run` is the open one. */
  readonly runs: boolean;
  readonly run: string | null;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DAYS: Record<Exclude<Range, 'all'>, number> = { day: 1, week: 7, month: 30 };
/** The fields of the filter in the URL, and the longest text of each that the server accepts. */
const TEXTS = { flag: ['flag', 100], model: ['model', 200], source: ['source', 200], text: ['q', 100] } as const;
export type TextField = keyof typeof TEXTS;
const FIELDS = Object.keys(TEXTS) as TextField[];

/** Parses a URL. Unknown values are ignored. */
export function readUrlState({ searchParams }: { searchParams: Pick<URLSearchParams, 'get'> }): UrlState {
  const [action, excluded] = [searchParams.get('action'), searchParams.get('excluded')];
  const filter: Omit<LearningFilter, 'since'> = {};
  if (isOverride(action)) filter.action = action;
  if (excluded === 'only' || excluded === 'none') filter.excluded = excluded;
  for (const field of FIELDS) {
    const [name, longest] = TEXTS[field];
    const text = searchParams.get(name)?.trim() ?? '';
    if (text !== '' && text.length <= longest && !text.includes('\0') && text.isWellFormed()) filter[field] = text;
  }
  const run = idOf(searchParams.get('run'));
  return {
    cluster: idOf(searchParams.get('cluster')),
    range: RANGES.find((range) => range === searchParams.get('range')) ?? 'all',
    filter,
    runs: run !== null || searchParams.get('show') === 'runs',
    run,
  };
}

const idOf = (text: string | null): string | null => (text !== null && ID.test(text) ? text.toLowerCase() : null);

/** The query of a location in a project; defaults are omitted. */
export function queryOf(projectId: string, { cluster, range, filter, runs, run }: UrlState): string {
  const query = new URLSearchParams({ project: projectId });
  if (cluster !== null) query.set('cluster', cluster);
  if (range !== 'all') query.set('range', range);
  if (filter.action !== undefined) query.set('action', filter.action);
  if (filter.excluded !== undefined) query.set('excluded', filter.excluded);
  for (const field of FIELDS) if (filter[field] !== undefined) query.set(TEXTS[field][0], filter[field]);
  if (run !== null) query.set('run', run);
  else if (runs) query.set('show', 'runs');
  return query.toString();
}

/** The filter sent to the server; `now` in ms. */
export function filterOf({ range, filter }: Pick<UrlState, 'range' | 'filter'>, now: number): LearningFilter {
  if (range === 'all') return filter;
  return { ...filter, since: new Date(now - DAYS[range] * 86_400_000).toISOString() };
}

/** Whether two locations show the same clusters. */
export const sameFilter = (a: UrlState, b: UrlState): boolean =>
  a.range === b.range &&
  JSON.stringify(Object.entries(a.filter).sort()) === JSON.stringify(Object.entries(b.filter).sort());

export const isNarrowed = ({ range, filter }: UrlState): boolean => range !== 'all' || Object.keys(filter).length > 0;
