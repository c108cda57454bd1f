// How far one project is on its way to a first decision: asked when something happens in it, until there is nothing left to ask.
import { readFirstRun, type FirstRun } from '@countersign/shared/api/first-run';
import { call } from '#lib/api.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { Resource } from '#lib/resource.svelte.ts';
import { Pacer } from '#lib/live/pacer.ts';
import { isComplete } from './first-run.ts';

/** Facts cause at most one request in this many ms. */
const SPACING_MS = 700;

export class FirstRunFeed {
  readonly #projectId: string;
  readonly #resource: Resource<FirstRun>;
  readonly #pacer: Pacer;

  constructor(projectId: string) {
    this.#projectId = projectId;
    this.#resource = new Resource((signal) => call(readFirstRun, { params: { id: projectId }, signal }));
    this.#pacer = new Pacer({ spacing: SPACING_MS, mayReload: () => true, reload: () => this.#resource.load() });
  }

  /** null before the first answer. */
  get run(): FirstRun | null {
    return this.#resource.data;
  }

  get error(): unknown {
    return this.#resource.error;
  }

  get loading(): boolean {
    return this.#resource.loading;
  }

  load(): Promise<void> {
    return this.#pacer.now();
  }

  /** Asks now and stays true by the live facts until the answered function is called. */
  follow(): () => void {
    void this.load();
    const want = () => !isComplete(this.run) && this.#pacer.want();
    const stops = [
      live.on('*', ({ project_id }) => project_id === this.#projectId && want()),
      live.onResync(() => (isComplete(this.run) ? undefined : this.load())),
      () => this.#pacer.stop(),
      () => this.#resource.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }
}
