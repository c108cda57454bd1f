// An answer about one project that stays true while somebody follows it: asked now, and again as facts arrive.
import { Resource } from '#lib/resource.svelte.ts';
import { live } from './connection.svelte.ts';
import { Pacer } from './pacer.ts';

interface Options<T> {
  projectId: string;
  ask: (signal: AbortSignal) => Promise<T>;
  /** Facts cause at most one request in this many ms. */
  spacing: number;
  /** Windows of time move on even when nothing happens: asked again after this many ms. */
  idle: number;
}

export class ProjectFeed<T> {
  readonly answer: Resource<T>;
  readonly #options: Options<T>;
  readonly #pacer: Pacer;

  constructor(options: Options<T>) {
    this.#options = options;
    this.answer = new Resource(options.ask);
    this.#pacer = new Pacer({
      spacing: options.spacing,
      mayReload: () => document.visibilityState === 'visible',
      reload: () => this.answer.load(),
    });
  }

  /** Asks now and stays true until the answered function is called. */
  follow(): () => void {
    void this.#pacer.now();
    const { projectId, idle } = this.#options;
    const look = () => this.#pacer.look();
    document.addEventListener('visibilitychange', look);
    const timer = setInterval(() => this.#pacer.want(), idle);
    const stops = [
      live.on('*', ({ project_id }) => project_id === projectId && this.#pacer.want()),
      live.onResync(() => this.#pacer.now()),
      () => document.removeEventListener('visibilitychange', look),
      () => clearInterval(timer),
      () => this.#pacer.stop(),
      () => this.answer.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }
}
