// The messages of a project's notifications, newest first. They have no events: the log looks again every few seconds.
import { listNotificationMessages } from '@countersign/shared/routes/webhook';
import type { NotificationMessage } from '@countersign/shared/schemas/webhook';
import { untrack } from 'svelte';
import { call } from '#lib/api/client.ts';
import type { Page } from '../log/log-pages.ts';
import { PagedLog, type PageRequest } from '../log/paged-log.svelte.ts';

const PAGE_ROWS = 20;
/** The largest page of the API. */
const MOST_ROWS = 50;
/** Between two looks, in ms. */
const LOOK_MS = 5000;

export class MessageLog extends PagedLog<NotificationMessage> {
  readonly #projectId: string;

  constructor(projectId: string) {
    super();
    this.#projectId = projectId;
  }

  /** The newest are all that are listed, because the state of each may have changed. */
  protected override async read({ after, signal }: PageRequest): Promise<Page<NotificationMessage>> {
    const wanted = after === undefined ? Math.max(this.shown?.rows.length ?? 0, PAGE_ROWS) : PAGE_ROWS;
    const data: NotificationMessage[] = [];
    let next: string | null | undefined = after;
    do {
      const query = { limit: Math.min(wanted - data.length, MOST_ROWS), after: next };
      const page: Page<NotificationMessage> = await call(listNotificationMessages, {
        params: { id: this.#projectId },
        query,
        signal,
      });
      data.push(...page.data);
      next = page.next_cursor;
    } while (next !== null && data.length < wanted);
    return { data, next_cursor: next };
  }

  /** Loads the log and keeps it up to date while the page is visible; returns the function that stops it. */
  follow(): () => void {
    // The listed rows it reads must not rerun the effect: each answer would cause the next request.
    untrack(() => void this.load());
    const timer = setInterval(() => {
      if (!this.loading && document.visibilityState === 'visible') void this.load();
    }, LOOK_MS);
    return () => {
      clearInterval(timer);
      this.cancel();
    };
  }
}
