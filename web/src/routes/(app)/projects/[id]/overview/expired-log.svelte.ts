// The items of a project that their deadline ended, followed live.
import { listExpiredItems } from '@countersign/shared/routes/queue';
import type { ExpiredItem } from '@countersign/shared/schemas/queue';
import { call } from '#lib/api/client.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { ReloadThrottle } from '#lib/live/reload-throttle.ts';
import type { Page } from '../log/log-pages.ts';
import { PagedLog, type PageRequest } from '../log/paged-log.svelte.ts';

/** Rows of one page. */
export const PAGE_ROWS = 10;
/** Many deadlines may pass at once. Ms. */
const SPACING_MS = 2000;

export class ExpiredLog extends PagedLog<ExpiredItem> {
  readonly #projectId: string;

  constructor(projectId: string) {
    super();
    this.#projectId = projectId;
  }

  protected override read({ after, signal }: PageRequest): Promise<Page<ExpiredItem>> {
    return call(listExpiredItems, { params: { id: this.#projectId }, query: { limit: PAGE_ROWS, after }, signal });
  }

  /** Loads the list and follows the project; returns the function that stops it. */
  follow(): () => void {
    const throttle = new ReloadThrottle({
      spacing: SPACING_MS,
      mayReload: () => true,
      reload: () => this.load(),
      error: () => this.error,
    });
    void throttle.now();
    const here = ({ project_id }: { project_id: string }) => project_id === this.#projectId && throttle.schedule();
    const stops = [
      live.on('item.expired', here),
      // A rejection by a deadline can be revised (RV3): the row shows its status.
      live.on('decision.revised', here),
      live.onResync(() => throttle.now()),
      () => throttle.stop(),
      () => this.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }
}
