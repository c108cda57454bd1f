// Deliveries sent again in the background: what was asked for, and how far the newest of it is.
import { cancelReplay, listReplays, replayDeliveries, type Replay } from '@countersign/shared/api/deliveries';
import { Mutation } from '#lib/api/mutation.svelte.ts';
import { call } from '#lib/api/client.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { Resource } from '#lib/api/resource.svelte.ts';
import { ReloadThrottle } from '#lib/live/reload-throttle.ts';

/** Between two looks at how far it is, in ms. */
const SPACING_MS = 500;

/** What is to be sent again: of one status, made since a moment (ISO; null: since ever). */
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
  /** One that was asked for while this page was open is shown to its end, an older one only while it runs. */
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

  /** The one to show; null when there is nothing to say. */
  get shown(): Replay | null {
    const all = this.#list.data?.data ?? [];
    return all.find(({ state, id }) => state === 'running' || id === this.#own) ?? null;
  }

  /** Why the last look at them failed. */
  get error(): unknown {
    return this.#list.error;
  }

  /** Each portion that is made due tells of itself: then there is news. */
  follow(): () => void {
    void this.#throttle.now();
    const stops = [
      live.on('delivery.changed', ({ project_id, status, actor }) => {
        // A member who makes one due again may have begun a replay that is not known here yet.
        const begun = status === 'pending' && actor.kind === 'member';
        if (project_id === this.#projectId && (begun || this.shown?.state === 'running')) this.#throttle.schedule();
      }),
      live.onResync(() => this.#throttle.now()),
      () => this.#throttle.stop(),
      () => this.#list.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  /** Answers whether it was begun; why not stands in `starting`. */
  start({ status, from }: Wanted): Promise<boolean> {
    return this.starting.run(async () => {
      const body = { status, ...(from === null ? {} : { from }) };
      const { id } = await call(replayDeliveries, { params: { id: this.#projectId }, body });
      this.#own = id;
      await this.#throttle.now();
    });
  }

  /** What is on its way stays on its way. */
  stop({ id }: Replay): Promise<boolean> {
    return this.stopping.run(async () => {
      await call(cancelReplay, { params: { id } });
      this.#own = id;
      await this.#throttle.now();
    });
  }
}
