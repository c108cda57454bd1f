// Guidelines that changed since the user saw them: requested when the page opens, and again whenever settings were saved.
import { call } from '#lib/api/client.ts';
import { Mutation } from '#lib/api/mutation.svelte.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { Resource } from '#lib/api/resource.svelte.ts';
import { listGuidelinesNews, seeGuidelines, type GuidelinesNews } from '@countersign/shared/api/guidelines';

export class UnseenGuidelines {
  readonly seeing = new Mutation();
  readonly #list = new Resource(async (signal) => (await call(listGuidelinesNews, { signal })).data);
  /** Dismissed in this tab: a pending answer must not show it again. */
  #dismissed: string[] = $state.raw([]);

  /** The first notice to show; null when there is none. */
  readonly first = $derived((this.#list.data ?? []).find((unseen) => !this.#dismissed.includes(keyOf(unseen))) ?? null);

  /** Keeps the list up to date; returns the function that stops it. */
  follow(): () => void {
    void this.#list.load();
    // It may have been dismissed in another tab, or on another machine.
    const onVisible = () => document.visibilityState === 'visible' && void this.#list.load();
    document.addEventListener('visibilitychange', onVisible);
    const stops = [
      live.on('project.changed', (event) => event.changed.includes('settings') && void this.#list.load()),
      live.onResync(() => this.#list.load()),
      () => document.removeEventListener('visibilitychange', onVisible),
      () => this.#list.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  /** Marks the guidelines as seen everywhere. Returns whether the server has stored that. */
  async markSeen(unseen: GuidelinesNews): Promise<boolean> {
    const { project_id: id, version } = unseen;
    const done = await this.seeing.run(() => call(seeGuidelines, { params: { id }, body: { version } }));
    if (done) this.#dismissed = [...this.#dismissed, keyOf(unseen)];
    return done;
  }
}

const keyOf = ({ project_id, version }: GuidelinesNews) => `${project_id} ${version}`;
