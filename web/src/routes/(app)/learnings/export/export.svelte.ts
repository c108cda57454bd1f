// An export in the making: what is asked for, what would come, and who took what before.
import {
  exportLearnings,
  listExports,
  previewExport,
  type ExportFilter,
  type ExportFormat,
  type ExportPreview,
  type LearningExport,
} from '@countersign/shared/api/exports';
import { listClusters, MAX_CLUSTERS } from '@countersign/shared/api/clusters';
import { addressOf, call } from '#lib/api/client.ts';
import { Resource } from '#lib/api/resource.svelte.ts';
import type { UrlState } from '../url-state.ts';

const LISTED = 20;
const MOST_LISTED = 100;

/** What the form holds; '' stands for all. */
export interface ExportRequest {
  format: ExportFormat;
  action: '' | 'edit' | 'reject';
  reason: string;
  /** '' stands for all clusters. */
  cluster: string;
  split: '' | 'train' | 'test';
  /** As they were submitted; '' stands for all. */
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

/** What the list on the page is narrowed to and an export can be, too. */
export const exportRequestFor = ({ cluster, filter }: Pick<UrlState, 'cluster' | 'filter'>): ExportRequest => ({
  ...ALL,
  action: filter.action ?? '',
  flag: filter.flag ?? '',
  model: filter.model ?? '',
  source: filter.source ?? '',
  cluster: cluster ?? '',
});

/** An export is of all times and all words, and never has what was left out: the list may be narrower. */
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
  // The other formats are made of edits alone (LX1).
  ...(action !== '' && (format === 'raw' || format === 'eval') && { action }),
  // A cluster that was chosen goes before a wording.
  ...(reason !== '' && cluster === '' && { reason }),
  ...(cluster !== '' && { cluster }),
  ...(split !== '' && { split }),
  ...Object.fromEntries(Object.entries(exact).filter(([, value]) => value !== '')),
});

export class ExportForm {
  request: ExportRequest = $state(ALL);
  readonly preview: Resource<ExportPreview>;
  readonly earlier: Resource<{ rows: LearningExport[]; next: string | null }>;
  /** Every reason that was given, the commonest of each cluster first. */
  readonly reasons: Resource<string[]>;
  readonly #params: { id: string };
  /** How many earlier exports are on show. */
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

  /** Asks for all anew. Never throws: each says itself why it failed. */
  async load(): Promise<void> {
    await Promise.all([this.preview.load(), this.earlier.load(), this.reasons.load()]);
  }

  /** The most that are shown at once: whoever looks further back asks the API. */
  get mayShowMore(): boolean {
    return (this.earlier.data?.next ?? null) !== null && this.#listed < MOST_LISTED;
  }

  showMore(): void {
    this.#listed = MOST_LISTED;
    void this.earlier.load();
  }

  /** Where the browser fetches an earlier export once more: the same lines again (LX2). */
  again({ filter }: LearningExport): string {
    return addressOf(exportLearnings.path, { params: this.#params, query: filter });
  }

  /** Where the browser fetches the file that was looked at, even if more has come since; null before. */
  get href(): string | null {
    const through = this.preview.data?.through;
    if (through === undefined) return null;
    return addressOf(exportLearnings.path, { params: this.#params, query: { ...filterOf(this.request), through } });
  }
}
