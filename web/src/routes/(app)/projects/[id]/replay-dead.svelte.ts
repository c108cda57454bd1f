// Sends every dead delivery of a project again, page by page until none is left, it fails or it is stopped.
import { replayDeliveries } from '@countersign/shared/api/deliveries';
import { Attempt } from '#lib/attempt.svelte.ts';
import { call } from '#lib/api.ts';

export class ReplayDead {
  /** How many went out since it was started. */
  sent = $state(0);
  /** Others are left: it was stopped, or failed. */
  more = $state(false);

  readonly #attempt = new Attempt();
  readonly #projectId: string;
  #stopped = false;

  constructor(projectId: string) {
    this.#projectId = projectId;
  }

  get running(): boolean {
    return this.#attempt.pending;
  }

  /** Why it ended before all were sent. */
  get error(): unknown {
    return this.#attempt.error;
  }

  /** Starts from the oldest: what was sent before is not dead any more. Answers whether it went well. Never throws. */
  run(): Promise<boolean> {
    this.sent = 0;
    this.#stopped = false;
    this.more = true;
    return this.#attempt.run(async () => {
      let after: string | undefined;
      while (this.more && !this.#stopped) after = await this.#page(after);
    });
  }

  /** No page goes out from here on; the one that is on its way counts. */
  stop(): void {
    this.#stopped = true;
  }

  /** Forgets why the last run failed. */
  forget(): void {
    this.#attempt.forget();
  }

  async #page(after: string | undefined): Promise<string | undefined> {
    const params = { id: this.#projectId };
    const { replayed, next_cursor } = await call(replayDeliveries, { params, body: { status: 'dead', after } });
    this.sent += replayed;
    this.more = next_cursor !== null;
    return next_cursor ?? undefined;
  }
}
