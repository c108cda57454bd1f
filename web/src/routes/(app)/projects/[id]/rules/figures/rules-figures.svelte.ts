// The live figures beside the rules: the sample of arrivals and decisions, and how often each reason was given.
import { call } from '#lib/api/client.ts';
import { eventsOf, LiveResource } from '#lib/live/live-resource.ts';
import type { Resource } from '#lib/api/resource.svelte.ts';
import { listReasonCounts } from '@countersign/shared/routes/learnings';
import { readThresholds } from '@countersign/shared/routes/thresholds';
import type { ReasonCounts } from '@countersign/shared/schemas/learnings';
import type { ThresholdSample } from '@countersign/shared/schemas/thresholds';

/** A month hardly changes in this many ms. */
const SPACING_MS = 10_000;
const IDLE_MS = 300_000;

export class RulesFigures {
  readonly sample: Resource<ThresholdSample>;
  readonly reasons: Resource<ReasonCounts>;
  readonly #feeds: readonly Pick<LiveResource<unknown>, 'follow'>[];

  constructor(projectId: string) {
    const params = { id: projectId };
    const pace = { changes: eventsOf(projectId), spacing: SPACING_MS, idle: IDLE_MS };
    const sample = new LiveResource({ ...pace, request: (signal) => call(readThresholds, { params, signal }) });
    const reasons = new LiveResource({ ...pace, request: (signal) => call(listReasonCounts, { params, signal }) });
    this.sample = sample.resource;
    this.reasons = reasons.resource;
    this.#feeds = [sample, reasons];
  }

  /** Loads both (again). Never throws: the causes are in the resources. */
  async load(): Promise<void> {
    await Promise.all([this.sample.load(), this.reasons.load()]);
  }

  /** Loads both and follows the project until the returned function is called. */
  follow(): () => void {
    const stops = this.#feeds.map((feed) => feed.follow());
    return () => stops.forEach((stop) => stop());
  }
}
