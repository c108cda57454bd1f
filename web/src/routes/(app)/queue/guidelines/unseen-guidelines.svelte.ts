// Which guidelines read otherwise than when you saw them: asked when the page opens, and again whenever settings were saved.
import { call } from '#lib/api/client.ts';
import { Mutation } from '#lib/api/mutation.svelte.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { Resource } from '#lib/api/resource.svelte.ts';
import { listGuidelinesNews, seeGuidelines, type GuidelinesNews } from '@countersign/shared/api/guidelines';

export class UnseenGuidelines {
  readonly seeing = new Mutation();
  readonly #list = new Resource(async (signal) => (await call(listGuidelinesNews, { signal })).data);
  /** Said to be seen, here and now: an answer that was under way meanwhile does not bring it back. */
  #dismissed: string[] = $state.raw([]);

  /** What to tell first; null when there is nothing to tell. */
  readonly first = $derived((this.#list.data ?? []).find((unseen) => !this.#dismissed.includes(keyOf(unseen))) ?? null);

  /** Keeps itself true; answers the function that stops it. */
  follow(): () => void {
    void this.#list.load();
    // It may have been seen in another tab, or on another machine.
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

  /** They have read it: it is told no more, anywhere. Answers whether that is known to the server now. */
  async markSeen(unseen: GuidelinesNews): Promise<boolean> {
    const { project_id: id, version } = unseen;
    const done = await this.seeing.run(() => call(seeGuidelines, { params: { id }, body: { version } }));
    if (done) this.#dismissed = [...this.#dismissed, keyOf(unseen)];
    return done;
  }
}

const keyOf = ({ project_id, version }: GuidelinesNews) => `${project_id} ${version}`;
