// Reported mistakes, followed live: loaded now, and again when a report was made or answered.
import { listMistakes } from '@countersign/shared/routes/mistakes';
import type { MISTAKE_STATES } from '@countersign/shared/enums';
import { call } from '#lib/api/client.ts';
import { readPages } from '#lib/api/read-pages.ts';
import { Resource } from '#lib/api/resource.svelte.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { followChanges } from '#lib/live/follow-changes.ts';

export type MistakeState = (typeof MISTAKE_STATES)[number];

export class Mistakes {
  #pages = 1;
  readonly resource;

  constructor(state: MistakeState) {
    this.resource = new Resource((signal) =>
      readPages((after) => call(listMistakes, { query: { state, after }, signal }), this.#pages),
    );
  }

  /** Keeps the list up to date; returns the function that stops it. */
  follow(): () => void {
    return followChanges(this.resource, (reload) => [
      live.on('project.changed', ({ changed }) => changed.includes('mistakes') && reload()),
    ]);
  }

  showMore(): Promise<void> {
    this.#pages += 1;
    return this.resource.load();
  }
}
