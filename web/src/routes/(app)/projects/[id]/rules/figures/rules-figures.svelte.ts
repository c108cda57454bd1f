// The figures beside the rules: the sample of arrivals and decisions, and how often each reason was given.
import { call } from '#lib/api/client.ts';
import { Resource } from '#lib/api/resource.svelte.ts';
import { listReasonCounts } from '@countersign/shared/routes/learnings';
import { readThresholds } from '@countersign/shared/routes/thresholds';
import type { ReasonCounts } from '@countersign/shared/schemas/learnings';
import type { ThresholdSample } from '@countersign/shared/schemas/thresholds';

export class RulesFigures {
  readonly sample: Resource<ThresholdSample>;
  readonly reasons: Resource<ReasonCounts>;

  constructor(projectId: string) {
    const params = { id: projectId };
    this.sample = new Resource((signal) => call(readThresholds, { params, signal }));
    this.reasons = new Resource((signal) => call(listReasonCounts, { params, signal }));
  }

  /** Loads both (again). Never throws: the causes are in the resources. */
  async load(): Promise<void> {
    await Promise.all([this.sample.load(), this.reasons.load()]);
  }

  cancel(): void {
    this.sample.cancel();
    this.reasons.cancel();
  }
}
