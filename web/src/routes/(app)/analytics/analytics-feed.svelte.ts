// The analytics of one project: loaded for the selected range, and again as they change, unless paused.
import { readAnalytics } from '@countersign/shared/routes/analytics';
import type { Analytics } from '@countersign/shared/schemas/analytics';
import { call } from '#lib/api/client.ts';
import { clock } from '#lib/time/clock.svelte.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { Resource } from '#lib/api/resource.svelte.ts';
import { ReloadThrottle } from '#lib/live/reload-throttle.ts';
import { queryOf, type Range } from './range.ts';

/** The server sends at most one change per second; after one the page loads at once. */
const SPACING_MS = 500;
/** The window moves on even without changes: then it is loaded this often. */
const IDLE_MS = 30_000;

export class AnalyticsFeed {
  /** How many changes arrived while paused. */
  heldBack = $state(0);

  readonly #projectId: string;
  readonly #resource: Resource<{ range: Range; report: Analytics }>;
  readonly #throttle: ReloadThrottle;
  #range: Range = 'day';

  constructor(projectId: string) {
    this.#projectId = projectId;
    this.#resource = new Resource(async (signal) => {
      const range = this.#range;
      const input = { params: { id: projectId }, query: queryOf(range, clock.read()), signal };
      return { range, report: await call(readAnalytics, input) };
    });
    this.#throttle = new ReloadThrottle({
      spacing: SPACING_MS,
      mayReload: () => !live.paused && document.visibilityState === 'visible',
      reload: () => this.#resource.load(),
      error: () => this.#resource.error,
    });
  }

  /** The last figures, with their range; null before the first. */
  get shown() {
    return this.#resource.data;
  }

  /** Why the last request failed. */
  get error() {
    return this.#resource.error;
  }

  get loading() {
    return this.#resource.loading;
  }

  /** Switches to another range: loads at once, and the previous figures stay until then. */
  switchTo(range: Range): void {
    this.#range = range;
    void this.load();
  }

  /** Loads now, paused or not. Never throws: the cause is in `error`. */
  async load(): Promise<void> {
    this.heldBack = 0;
    await this.#throttle.now();
  }

  /** Follows the live events until the returned function is called. */
  follow(): () => void {
    const resume = () => this.#throttle.resume();
    document.addEventListener('visibilitychange', resume);
    const idle = setInterval(() => this.#throttle.schedule(), IDLE_MS);
    const stops = [
      live.onMetrics((projectId) => projectId === this.#projectId && this.#onMetrics()),
      live.onResync(() => (live.paused ? this.#throttle.schedule() : this.load())),
      () => document.removeEventListener('visibilitychange', resume),
      () => clearInterval(idle),
      () => this.#throttle.stop(),
      () => this.#resource.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  #onMetrics(): void {
    if (live.paused) this.heldBack += 1;
    this.#throttle.schedule();
  }
}
