// An answer about one project that stays true while somebody follows it: asked now, and again as facts arrive.
import { Resource } from '#lib/api/resource.svelte.ts';
import { live } from './connection.svelte.ts';
import { ReloadThrottle } from './reload-throttle.ts';

interface Options<T> {
  projectId: string;
  request: (signal: AbortSignal) => Promise<T>;
  /** Facts cause at most one request in this many ms. */
  spacing: number;
  /** Windows of time move on even when nothing happens: asked again after this many ms. */
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

  /** Asks now and stays true until the answered function is called. */
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
