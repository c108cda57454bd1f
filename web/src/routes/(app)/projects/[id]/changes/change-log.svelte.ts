// The change log of a project, followed live.
import { listChanges } from '@countersign/shared/routes/changes';
import type { ChangeKind } from '@countersign/shared/enums';
import type { ProjectChange } from '@countersign/shared/schemas/changes';
import { call } from '#lib/api/client.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { followChanges } from '#lib/live/follow-changes.ts';
import type { Page } from '../log/log-pages.ts';
import { PagedLog, type PageRequest } from '../log/paged-log.svelte.ts';

const PAGE_ROWS = 50;

export class ChangeLog extends PagedLog<ProjectChange> {
  readonly #projectId: string;
  readonly #kind: ChangeKind | null;

  /** @param kind only one kind of change; null for all. */
  constructor(projectId: string, kind: ChangeKind | null) {
    super();
    this.#projectId = projectId;
    this.#kind = kind;
  }

  protected override read({ after, signal }: PageRequest): Promise<Page<ProjectChange>> {
    const query = { limit: PAGE_ROWS, after, kind: this.#kind ?? undefined };
    return call(listChanges, { params: { id: this.#projectId }, query, signal });
  }

  /** Loads the log and follows the project; returns the function that stops it. */
  follow(): () => void {
    return followChanges(this, (reload) => [
      live.on('project.changed', (event) => event.project_id === this.#projectId && reload()),
    ]);
  }
}
