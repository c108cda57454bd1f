// The owner's unseen alerts about webhooks and automatic answers, reloaded when they may have changed.
import { listAlerts, seeAlert } from '@countersign/shared/routes/alerts';
import type { ProjectAlert } from '@countersign/shared/schemas/alerts';
import type { DomainEventOf } from '@countersign/shared/schemas/parts/events';
import { call } from '#lib/api/client.ts';
import { Mutation } from '#lib/api/mutation.svelte.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { ReloadThrottle } from '#lib/live/reload-throttle.ts';
import { Resource } from '#lib/api/resource.svelte.ts';

const SPACING_MS = 1500;

/** A resumed webhook, a removed URL, an archived project or another role may end an alert. */
const PARTS: readonly DomainEventOf<'project.changed'>['changed'][number][] = [
  'webhook',
  'settings',
  'audits',
  'archived',
  'members',
];

/** Lives as long as the strip: the next account in this tab sees nothing of the previous one. */
export class OwnerAlerts {
  readonly seeing = new Mutation();
  readonly #list = new Resource(async (signal) => (await call(listAlerts, { signal })).data);
  /** Dismissed in this tab: a pending answer must not show it again. */
  #dismissed: string[] = $state.raw([]);

  readonly #unseen = $derived((this.#list.data ?? []).filter(({ id }) => !this.#dismissed.includes(id)));

  /** Stays until it is dismissed or gone, also when others arrive: a press dismisses the alert that was read. */
  #shown: string | null = $state(null);
  /** The last alert to be dismissed. */
  #noted: string | null = $state(null);

  /** The alert to show now; null when there is none. */
  readonly first = $derived(this.#unseen.find(({ id }) => id === this.#shown) ?? this.#unseen[0] ?? null);
  /** Why this alert could not be dismissed; null otherwise. */
  readonly error = $derived(this.first?.id === this.#noted ? this.seeing.error : null);

  /** Null while the list is not kept up to date. */
  #throttle: ReloadThrottle | null = null;

  /** Keeps the list up to date; returns the function that stops it. */
  follow(): () => void {
    const throttle = new ReloadThrottle({
      spacing: SPACING_MS,
      mayReload: () => document.visibilityState === 'visible',
      reload: () => this.#load(),
      error: () => this.#list.error,
    });
    this.#throttle = throttle;
    // It may have been dismissed in another tab, or on another machine.
    const onVisible = () => document.visibilityState === 'visible' && throttle.schedule();
    document.addEventListener('visibilitychange', onVisible);
    void throttle.now();
    const stops = [
      live.on('delivery.changed', (event) => this.#concerns(event) && throttle.schedule()),
      live.on('project.changed', (event) => event.changed.some((part) => PARTS.includes(part)) && throttle.schedule()),
      live.onResync(() => throttle.schedule()),
      () => document.removeEventListener('visibilitychange', onVisible),
      () => throttle.stop(),
      () => (this.#throttle = null),
      () => this.#list.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  /** Marks the alert as seen everywhere. Returns whether the server has stored that. */
  async markSeen({ id, project_id }: ProjectAlert): Promise<boolean> {
    this.#noted = id;
    const done = await this.seeing.run(() => call(seeAlert, { params: { id: project_id }, body: { alert_id: id } }));
    if (done) this.#dismissed = [...this.#dismissed, id];
    this.#pinShown();
    // The server lists only the oldest 20: there may be more.
    if (done && this.first === null) this.#throttle?.schedule();
    return done;
  }

  async #load(): Promise<void> {
    await this.#list.load();
    this.#pinShown();
  }

  /** The alert after a dismissed one waits for its turn. */
  #pinShown(): void {
    this.#shown = this.first?.id ?? null;
  }

  /** The event created an alert, or changes its text: the number of dead deliveries. */
  #concerns({ alert, project_id }: DomainEventOf<'delivery.changed'>): boolean {
    return alert !== undefined || this.#unseen.some((unseen) => unseen.project_id === project_id);
  }
}

/** The alerts' height below the top bar, in pixels; 0 where they take no room. */
export const alertsSpace = $state({ height: 0 });
