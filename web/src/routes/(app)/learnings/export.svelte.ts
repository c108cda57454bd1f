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
import { listClusters, MOST_CLUSTERS } from '@countersign/shared/api/clusters';
import { addressOf, call } from '#lib/api.ts';
import { Resource } from '#lib/resource.svelte.ts';

/** What the form holds; '' stands for all. */
export interface Asked {
  format: ExportFormat;
  action: '' | 'edit' | 'reject';
  reason: string;
  split: '' | 'train' | 'test';
}

const filterOf = ({ format, action, reason, split }: Asked): Partial<ExportFilter> & { format: ExportFormat } => ({
  format,
  // The other formats are made of edits alone (LX1).
  ...(action !== '' && (format === 'raw' || format === 'eval') && { action }),
  ...(reason !== '' && { reason }),
  ...(split !== '' && { split }),
});

export class ExportForm {
  asked: Asked = $state({ format: 'raw', action: '', reason: '', split: '' });
  readonly preview: Resource<ExportPreview>;
  readonly earlier: Resource<LearningExport[]>;
  /** Every reason that was given, the commonest of each cluster first. */
  readonly reasons: Resource<string[]>;
  readonly #params: { id: string };

  constructor(projectId: string) {
    this.#params = { id: projectId };
    this.preview = new Resource((signal) =>
      call(previewExport, { params: this.#params, query: filterOf(this.asked), signal }),
    );
    this.earlier = new Resource(async (signal) => (await call(listExports, { params: this.#params, signal })).data);
    this.reasons = new Resource(async (signal) => {
      const { data } = await call(listClusters, { params: this.#params, query: { limit: MOST_CLUSTERS }, signal });
      return data.flatMap(({ reasons }) => reasons.map(({ reason }) => reason));
    });
  }

  /** Asks for all anew. Never throws: each says itself why it failed. */
  async load(): Promise<void> {
    await Promise.all([this.preview.load(), this.earlier.load(), this.reasons.load()]);
  }

  /** Where the browser fetches the file that was looked at, even if more has come since; null before. */
  get href(): string | null {
    const through = this.preview.data?.through;
    if (through === undefined) return null;
    return addressOf(exportLearnings.path, { params: this.#params, query: { ...filterOf(this.asked), through } });
  }
}
