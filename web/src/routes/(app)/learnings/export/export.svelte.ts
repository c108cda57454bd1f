// The export form: its filter, its preview, and earlier exports.
import { exportLearnings, listExports, previewExport } from '@countersign/shared/routes/exports';
import type { ExportFilter, ExportPreview, LearningExport } from '@countersign/shared/schemas/exports';
import type { ExportFormat } from '@countersign/shared/enums';
import { listClusters } from '@countersign/shared/routes/clusters';
import { MAX_CLUSTERS } from '@countersign/shared/limits';
import { addressOf, call } from '#lib/api/client.ts';
import { Resource } from '#lib/api/resource.svelte.ts';
import type { UrlState } from '../url-state.ts';
import type { OverrideAction } from '@countersign/shared/review-actions';

const LISTED = 20;
const MOST_LISTED = 100;

/** The content of the form; '' means all. */
export interface ExportRequest {
  format: ExportFormat;
  action: '' | OverrideAction;
  reason: string;
  /** '' means all clusters. */
  cluster: string;
  split: '' | 'train' | 'test';
  /** As they were submitted; '' means all. */
  flag: string;
  model: string;
  source: string;
}

const ALL: ExportRequest = {
  format: 'raw',
  action: '',
  reason: '',
  cluster: '',
  split: '',
  flag: '',
  model: '',
  source: '',
};

/** The filters of the page's list that an export supports too. */
export const exportRequestFor = ({ cluster, filter }: Pick<UrlState, 'cluster' | 'filter'>): ExportRequest => ({
  ...ALL,
  action: filter.action ?? '',
  flag: filter.flag ?? '',
  model: filter.model ?? '',
  source: filter.source ?? '',
  cluster: cluster ?? '',
});

/** An export has no range and no search text, and never contains excluded learnings: the list may be narrower. */
export const exportIsWider = ({ range, filter }: UrlState): boolean =>
  range !== 'all' || filter.text !== undefined || filter.excluded === 'only';

const filterOf = ({
  format,
  action,
  reason,
  cluster,
  split,
  ...exact
}: ExportRequest): Partial<ExportFilter> & { format: ExportFormat } => ({
  format,
  // The other formats consist of edits only (LX1).
  ...(action !== '' && (format === 'raw' || format === 'eval') && { action }),
  // A selected cluster takes precedence over a reason variant.
  ...(reason !== '' && cluster === '' && { reason }),
  ...(cluster !== '' && { cluster }),
  ...(split !== '' && { split }),
  ...Object.fromEntries(Object.entries(exact).filter(([, value]) => value !== '')),
});

export class ExportForm {
  request: ExportRequest = $state(ALL);
  readonly preview: Resource<ExportPreview>;
  readonly earlier: Resource<{ rows: LearningExport[]; next: string | null }>;
  /** All reasons given, the most frequent of each cluster first. */
  readonly reasons: Resource<string[]>;
  readonly #params: { id: string };
  /** How many earlier exports are shown. */
  #listed = LISTED;

  constructor(projectId: string, urlState: UrlState) {
    this.#params = { id: projectId };
    this.request = exportRequestFor(urlState);
    this.preview = new Resource((signal) =>
      call(previewExport, { params: this.#params, query: filterOf(this.request), signal }),
    );
    this.earlier = new Resource(async (signal) => {
      const query = { limit: this.#listed };
      const { data, next_cursor: next } = await call(listExports, { params: this.#params, query, signal });
      return { rows: data, next };
    });
    this.reasons = new Resource(async (signal) => {
      const { data } = await call(listClusters, { params: this.#params, query: { limit: MAX_CLUSTERS }, signal });
      return data.flatMap(({ reasons }) => reasons.map(({ reason }) => reason));
    });
  }

  /** The most that are shown at once: users who look further back use the API. */
  get mayShowMore(): boolean {
    return (this.earlier.data?.next ?? null) !== null && this.#listed < MOST_LISTED;
  }

  showMore(): void {
    this.#listed = MOST_LISTED;
    void this.earlier.load();
  }

  /** The URL of an earlier export's download: the same lines again (LX2). */
  again({ filter }: LearningExport): string {
    return addressOf(exportLearnings.path, { params: this.#params, query: filter });
  }

  /** The URL of the previewed file, even if more has arrived since; null before. */
  get href(): string | null {
    const through = this.preview.data?.through;
    if (through === undefined) return null;
    return addressOf(exportLearnings.path, { params: this.#params, query: { ...filterOf(this.request), through } });
  }
}
