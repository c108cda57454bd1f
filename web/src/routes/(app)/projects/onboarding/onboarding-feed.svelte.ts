// The onboarding state of one project: loaded at each of its events, until nothing is left.
import { readOnboarding } from '@countersign/shared/routes/onboarding';
import type { Onboarding } from '@countersign/shared/schemas/onboarding';
import { call } from '#lib/api/client.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { Resource } from '#lib/api/resource.svelte.ts';
import { ReloadThrottle } from '#lib/live/reload-throttle.ts';
import { isComplete } from './onboarding.ts';

/** Events cause at most one request in this many ms. */
const SPACING_MS = 700;

export class OnboardingFeed {
  readonly #projectId: string;
  readonly #resource: Resource<Onboarding>;
  readonly #throttle: ReloadThrottle;

  constructor(projectId: string) {
    this.#projectId = projectId;
    this.#resource = new Resource((signal) => call(readOnboarding, { params: { id: projectId }, signal }));
    this.#throttle = new ReloadThrottle({
      spacing: SPACING_MS,
      mayReload: () => true,
      reload: () => this.#resource.load(),
      error: () => this.#resource.error,
    });
  }

  /** Null before the first answer. */
  get run(): Onboarding | null {
    return this.#resource.data;
  }

  get error(): unknown {
    return this.#resource.error;
  }

  get loading(): boolean {
    return this.#resource.loading;
  }

  load(): Promise<void> {
    return this.#throttle.now();
  }

  /** Loads now and follows the live events until the returned function is called. */
  follow(): () => void {
    void this.load();
    const schedule = () => !isComplete(this.run) && this.#throttle.schedule();
    const stops = [
      live.on('*', ({ project_id }) => project_id === this.#projectId && schedule()),
      live.onResync(() => (isComplete(this.run) ? undefined : this.load())),
      () => this.#throttle.stop(),
      () => this.#resource.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }
}
