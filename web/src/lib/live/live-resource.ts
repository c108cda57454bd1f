// A value from the server that stays up to date while followed: loaded now, and again as events arrive.
import { Resource } from '#lib/api/resource.svelte.ts';
import { live } from './connection.svelte.ts';
import { ReloadThrottle } from './reload-throttle.ts';

interface Options<T> {
  request: (signal: AbortSignal) => Promise<T>;
  /** Listens for the events that change it; returns the function that stops listening. */
  changes: (schedule: () => void) => () => void;
  /** Events cause at most one request in this many ms. */
  spacing: number;
  /** Time windows move on even without events: loaded again after this many ms. */
  idle: number;
}

/** Every event of one project. */
export const eventsOf =
  (projectId: string): Options<unknown>['changes'] =>
  (schedule) =>
    live.on('*', ({ project_id }) => {
      if (project_id === projectId) schedule();
    });

/** Waits while the page is hidden, and never loads more often than `spacing` allows. */
export class LiveResource<T> {
  readonly resource: Resource<T>;
  readonly #options: Options<T>;
  readonly #throttle: ReloadThrottle;

  constructor(options: Options<T>) {
    this.#options = options;
    this.resource = new Resource(options.request);
    this.#throttle = new ReloadThrottle({
      spacing: options.spacing,
      mayReload: () => document.visibilityState === 'visible',
      reload: () => this.resource.load(),
      error: () => this.resource.error,
    });
  }

  /** Loads it again as soon as `spacing` allows. */
  schedule(): void {
    this.#throttle.schedule();
  }

  /** Loads now and stays up to date until the returned function is called. */
  follow(): () => void {
    void this.#throttle.now();
    const { changes, idle } = this.#options;
    const resume = () => this.#throttle.resume();
    document.addEventListener('visibilitychange', resume);
    const timer = setInterval(() => this.schedule(), idle);
    const stops = [
      changes(() => this.schedule()),
      live.onResync(() => this.#throttle.now()),
      () => document.removeEventListener('visibilitychange', resume),
      () => clearInterval(timer),
      () => this.#throttle.stop(),
      () => this.resource.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }
}
