// What the owner who is here has not seen yet of their webhooks and automatic answers: asked when the page opens, and again whenever it may have changed.
import { listAlerts, seeAlerts, type ProjectAlert } from '@countersign/shared/api/alerts';
import type { DomainEventOf } from '@countersign/shared/events';
import { call } from '#lib/api/client.ts';
import { Mutation } from '#lib/api/mutation.svelte.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { ReloadThrottle } from '#lib/live/reload-throttle.ts';
import { Resource } from '#lib/api/resource.svelte.ts';

const SPACING_MS = 1500;

/** A pause that ends, a URL that is taken out, a project at rest, another role: what was told may be over by that. */
const PARTS: readonly DomainEventOf<'project.changed'>['changed'][number][] = [
  'webhook',
  'settings',
  'audits',
  'archived',
  'members',
];

/** It lives as long as the strip: the next account in this tab finds nothing of the one before. */
export class OwnerAlerts {
  readonly seeing = new Mutation();
  readonly #list = new Resource(async (signal) => (await call(listAlerts, { signal })).data);
  /** Said to be seen, here and now: an answer that was under way meanwhile does not bring it back. */
  #dismissed: string[] = $state.raw([]);

  readonly #unseen = $derived((this.#list.data ?? []).filter(({ id }) => !this.#dismissed.includes(id)));

  /** Stays on show until it is seen or gone, whatever else is told: what is pressed is what was read. */
  #shown: string | null = $state(null);
  /** The one that was to be noted last. */
  #noted: string | null = $state(null);

  /** What to tell now; null when there is nothing to tell. */
  readonly first = $derived(this.#unseen.find(({ id }) => id === this.#shown) ?? this.#unseen[0] ?? null);
  /** Why it could not be noted that this one was read; null otherwise. */
  readonly error = $derived(this.first?.id === this.#noted ? this.seeing.error : null);

  /** Keeps itself true; answers the function that stops it. */
  follow(): () => void {
    const throttle = new ReloadThrottle({
      spacing: SPACING_MS,
      mayReload: () => document.visibilityState === 'visible',
      reload: () => this.#load(),
    });
    // It may have been seen in another tab, or on another machine.
    const onVisible = () => document.visibilityState === 'visible' && throttle.schedule();
    document.addEventListener('visibilitychange', onVisible);
    void throttle.now();
    const stops = [
      live.on('delivery.changed', (event) => this.#concerns(event) && throttle.schedule()),
      live.on('project.changed', (event) => event.changed.some((part) => PARTS.includes(part)) && throttle.schedule()),
      live.onResync(() => throttle.schedule()),
      () => document.removeEventListener('visibilitychange', onVisible),
      () => throttle.stop(),
      () => this.#list.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  /** They have read it: it is told no more, anywhere. Answers whether that is known to the server now. */
  async markSeen({ id, project_id, created_at }: ProjectAlert): Promise<boolean> {
    this.#noted = id;
    const done = await this.seeing.run(() =>
      call(seeAlerts, { params: { id: project_id }, body: { until: created_at } }),
    );
    if (done) this.#dismissed = [...this.#dismissed, id];
    this.#pinShown();
    return done;
  }

  async #load(): Promise<void> {
    await this.#list.load();
    this.#pinShown();
  }

  /** What follows the one that is gone stays in its turn. */
  #pinShown(): void {
    this.#shown = this.first?.id ?? null;
  }

  /** Something was told by it, or it changes what is said: how many are dead. */
  #concerns({ alert, project_id }: DomainEventOf<'delivery.changed'>): boolean {
    return alert !== undefined || this.#unseen.some((told) => told.project_id === project_id);
  }
}

/** The room they take below the top bar, in pixels; 0 where they take none. */
export const alertsSpace = $state({ height: 0 });
