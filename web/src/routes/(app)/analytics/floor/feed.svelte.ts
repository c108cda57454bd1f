// The floor of one project on the page: asked now, and again as facts arrive.
import { readFloor, type Floor } from '@countersign/shared/api/floor';
import { call } from '#lib/api.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { Pacer } from '#lib/live/pacer.ts';
import { Resource } from '#lib/resource.svelte.ts';

/** Facts cause at most one request in this many ms. */
const SPACING_MS = 1000;
/** The windows move on even when nothing happens. */
const IDLE_MS = 30_000;

/** A floor that stays true while somebody follows it. */
export class FloorFeed {
  readonly floor: Resource<Floor>;
  readonly #projectId: string;
  readonly #pacer: Pacer;

  constructor(projectId: string) {
    this.#projectId = projectId;
    this.floor = new Resource((signal) => call(readFloor, { params: { id: projectId }, signal }));
    this.#pacer = new Pacer({
      spacing: SPACING_MS,
      mayReload: () => document.visibilityState === 'visible',
      reload: () => this.floor.load(),
    });
  }

  /** Asks now and stays true until the answered function is called. */
  follow(): () => void {
    void this.#pacer.now();
    const look = () => this.#pacer.look();
    document.addEventListener('visibilitychange', look);
    const idle = setInterval(() => this.#pacer.want(), IDLE_MS);
    const stops = [
      live.on('*', ({ project_id }) => project_id === this.#projectId && this.#pacer.want()),
      live.onResync(() => this.#pacer.now()),
      () => document.removeEventListener('visibilitychange', look),
      () => clearInterval(idle),
      () => this.#pacer.stop(),
      () => this.floor.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }
}
