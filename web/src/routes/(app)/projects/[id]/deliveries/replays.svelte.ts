// Background replays of deliveries: the last request, and the progress of the newest one.
import { cancelReplay, listReplays, replayDeliveries, type Replay } from '@countersign/shared/api/deliveries';
import { Mutation } from '#lib/api/mutation.svelte.ts';
import { call } from '#lib/api/client.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { Resource } from '#lib/api/resource.svelte.ts';
import { ReloadThrottle } from '#lib/live/reload-throttle.ts';

/** Between two reads of the progress, in ms. */
const SPACING_MS = 500;

/** The deliveries to replay: of one status, created since a time (ISO; null: all). */
export interface Wanted {
  status: Replay['status'];
  from: string | null;
}

export class Replays {
  readonly starting = new Mutation();
  readonly stopping = new Mutation();

  readonly #projectId: string;
  readonly #list: Resource<{ data: Replay[] }>;
  readonly #throttle: ReloadThrottle;
  /** A replay started on this page is shown to its end, an older one only while it runs. */
  #own: string | null = $state(null);

  constructor(projectId: string) {
    this.#projectId = projectId;
    this.#list = new Resource((signal) => call(listReplays, { params: { id: projectId }, signal }));
    this.#throttle = new ReloadThrottle({
      spacing: SPACING_MS,
      mayReload: () => true,
      reload: () => this.#list.load(),
    });
  }

  /** The replay to show; null when there is none. */
  get shown(): Replay | null {
    const all = this.#list.data?.data ?? [];
    return all.find(({ state, id }) => state === 'running' || id === this.#own) ?? null;
  }

  /** Why the last read failed. */
  get error(): unknown {
    return this.#list.error;
  }

  /** Each batch that becomes due emits an event: the progress has changed. */
  follow(): () => void {
    void this.#throttle.now();
    const stops = [
      live.on('delivery.changed', ({ project_id, status, actor }) => {
        // A member's replay that starts with it may not be known here yet.
        const begun = status === 'pending' && actor.kind === 'member';
        if (project_id === this.#projectId && (begun || this.shown?.state === 'running')) this.#throttle.schedule();
      }),
      live.onResync(() => this.#throttle.now()),
      () => this.#throttle.stop(),
      () => this.#list.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  /** Returns whether it was started; the cause of a failure is in `starting`. */
  start({ status, from }: Wanted): Promise<boolean> {
    return this.starting.run(async () => {
      const body = { status, ...(from === null ? {} : { from }) };
      const { id } = await call(replayDeliveries, { params: { id: this.#projectId }, body });
      this.#own = id;
      await this.#throttle.now();
    });
  }

  /** Deliveries in flight continue. */
  stop({ id }: Replay): Promise<boolean> {
    return this.stopping.run(async () => {
      await call(cancelReplay, { params: { id } });
      this.#own = id;
      await this.#throttle.now();
    });
  }
}
