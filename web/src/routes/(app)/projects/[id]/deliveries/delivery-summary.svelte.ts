// The figures of a project's delivery log, read again while deliveries change.
import { summarizeDeliveries } from '@countersign/shared/routes/deliveries';
import type { DeliverySummary } from '@countersign/shared/schemas/deliveries';
import { call } from '#lib/api/client.ts';
import { Resource } from '#lib/api/resource.svelte.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { ReloadThrottle } from '#lib/live/reload-throttle.ts';
import { untrack } from 'svelte';

/** Between two reads, in ms: the figures are of the whole log, so a busy one is not counted for each event. */
const SPACING_MS = 2000;

export class Summary {
  readonly #projectId: string;
  readonly #resource: Resource<DeliverySummary>;
  readonly #throttle: ReloadThrottle;

  constructor(projectId: string) {
    this.#projectId = projectId;
    this.#resource = new Resource((signal) => call(summarizeDeliveries, { params: { id: projectId }, signal }));
    this.#throttle = new ReloadThrottle({
      spacing: SPACING_MS,
      backoffFactor: 10,
      mayReload: () => true,
      reload: () => this.#resource.load(),
      error: () => this.#resource.error,
    });
  }

  /** Null until the first answer. */
  get shown(): DeliverySummary | null {
    return this.#resource.data;
  }

  /** Why the last read failed. */
  get error(): unknown {
    return this.#resource.error;
  }

  /** Loads the figures and follows the project; returns the function that stops it. */
  follow(): () => void {
    untrack(() => void this.#throttle.now());
    const stops = [
      live.on('delivery.changed', ({ project_id }) => project_id === this.#projectId && this.#throttle.schedule()),
      // The URL was changed, or the endpoint resumed: other deliveries can be sent now.
      live.on(
        'project.changed',
        ({ project_id, changed }) =>
          project_id === this.#projectId && changed.includes('webhook') && this.#throttle.schedule(),
      ),
      live.onResync(() => this.#throttle.now()),
      () => this.#throttle.stop(),
      () => this.#resource.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }
}
