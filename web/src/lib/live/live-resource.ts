// A value from the server that stays up to date while followed: loaded now, and again as events arrive.
import { ApiProblem, NetworkFailure } from '#lib/api/client.ts';
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

/** What could not be loaded is loaded again after this many ms. */
const RETRY_MS = 5000;

/** Another try may succeed: nothing answered, or the service was too busy. */
const isPassing = (error: unknown): boolean =>
  error instanceof NetworkFailure || (error instanceof ApiProblem && (error.status >= 500 || error.status === 429));

/** Waits while the page is hidden, and never loads more often than `spacing` allows. */
export class LiveResource<T> {
  readonly resource: Resource<T>;
  readonly #options: Options<T>;
  readonly #throttle: ReloadThrottle;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(options: Options<T>) {
    this.#options = options;
    this.resource = new Resource(options.request);
    this.#throttle = new ReloadThrottle({
      spacing: options.spacing,
      mayReload: () => document.visibilityState === 'visible',
      reload: () => this.#load(),
    });
  }

  /** The change that a failed load was for still has to show. */
  async #load(): Promise<void> {
    clearTimeout(this.#retry);
    await this.resource.load();
    if (!isPassing(this.resource.error)) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.schedule(), RETRY_MS);
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
      () => clearTimeout(this.#retry),
      () => this.resource.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }
}
