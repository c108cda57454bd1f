// A value about one project that stays up to date while followed: loaded now, and again as events arrive.
import { Resource } from '#lib/api/resource.svelte.ts';
import { live } from './connection.svelte.ts';
import { ReloadThrottle } from './reload-throttle.ts';

interface Options<T> {
  projectId: string;
  request: (signal: AbortSignal) => Promise<T>;
  /** Events cause at most one request in this many ms. */
  spacing: number;
  /** Time windows move on even without events: loaded again after this many ms. */
  idle: number;
}

export class ProjectFeed<T> {
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
    });
  }

  /** Loads now and stays up to date until the returned function is called. */
  follow(): () => void {
    void this.#throttle.now();
    const { projectId, idle } = this.#options;
    const resume = () => this.#throttle.resume();
    document.addEventListener('visibilitychange', resume);
    const timer = setInterval(() => this.#throttle.schedule(), idle);
    const stops = [
      live.on('*', ({ project_id }) => project_id === projectId && this.#throttle.schedule()),
      live.onResync(() => this.#throttle.now()),
      () => document.removeEventListener('visibilitychange', resume),
      () => clearInterval(timer),
      () => this.#throttle.stop(),
      () => this.resource.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }
}
