// The depth of one project's queue on the page: asked now, and again as facts arrive.
import { readAnalytics, type Analytics } from '@countersign/shared/api/analytics';
import { call } from '#lib/api.ts';
import { clock } from '#lib/clock.svelte.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { Resource } from '#lib/resource.svelte.ts';
import { Pacer } from '#lib/live/pacer.ts';
import { depthQuery } from './depth.ts';

/** Facts cause at most one request in this many ms. */
const SPACING_MS = 3000;
/** The window moves on even when nothing happens. */
const IDLE_MS = 60_000;

/** A resource that stays true while somebody follows it. */
export class DepthFeed {
  readonly report: Resource<Analytics>;
  readonly #projectId: string;
  readonly #pacer: Pacer;

  constructor(projectId: string, madeAt: number) {
    this.#projectId = projectId;
    this.report = new Resource((signal) =>
      call(readAnalytics, { params: { id: projectId }, query: depthQuery(clock.read(), madeAt), signal }),
    );
    this.#pacer = new Pacer({
      spacing: SPACING_MS,
      mayReload: () => document.visibilityState === 'visible',
      reload: () => this.report.load(),
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
      () => this.report.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }
}
