// The figures of one project on the page: fetched for the range on show, and again as they move, unless paused.
import { readAnalytics, type Analytics } from '@countersign/shared/api/analytics';
import { call } from '#lib/api/client.ts';
import { clock } from '#lib/time/clock.svelte.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { Resource } from '#lib/api/resource.svelte.ts';
import { ReloadThrottle } from '#lib/live/reload-throttle.ts';
import { queryOf, type Range } from './range.ts';

/** The server ticks once a second at most; after a tick the page asks at once. */
const SPACING_MS = 500;
/** The window moves on even when nothing happens: then it is asked for this often. */
const IDLE_MS = 30_000;

export class AnalyticsFeed {
  /** How often the figures moved while paused. */
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
    });
  }

  /** The last figures that came, with the range they are of; null before the first. */
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

  /** Shows another range: asked for at once, the former figures stand until it comes. */
  switchTo(range: Range): void {
    this.#range = range;
    void this.load();
  }

  /** Fetches now, paused or not. Never throws: the reason stands in `error`. */
  async load(): Promise<void> {
    this.heldBack = 0;
    await this.#throttle.now();
  }

  /** Stays true by the live facts until the answered function is called. */
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
