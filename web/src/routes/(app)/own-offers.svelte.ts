// The seats that are offered to whoever is signed in (PM5): asked when the page opens, and again when the server says that they changed.
import { acceptOffer, declineOffer, listOwnOffers, type OwnOffer } from '@countersign/shared/api/offers';
import type { Role } from '@countersign/shared/words';
import { call } from '#lib/api.ts';
import { Attempt } from '#lib/attempt.svelte.ts';
import { clock } from '#lib/clock.svelte.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { projects } from '#lib/projects.svelte.ts';
import { Resource } from '#lib/resource.svelte.ts';

export interface Joined {
  project: { id: string; name: string };
  role: Role;
}

export class OwnOffers {
  readonly answering = new Attempt();
  readonly #list = new Resource(async (signal) => (await call(listOwnOffers, { signal })).data);
  /** Answered here: an answer of the server that was under way meanwhile does not bring them back. */
  #answered: string[] = $state.raw([]);
  /** The one that is on show stays there until it is answered or gone: what is pressed is what was read. */
  #shown: string | null = $state(null);

  /** The last seat that was taken here; null when that was put away. */
  joined: Joined | null = $state.raw(null);

  readonly open = $derived(
    (this.#list.data ?? []).filter(
      ({ id, expires_at }) => !this.#answered.includes(id) && Date.parse(expires_at) > clock.now,
    ),
  );
  /** What to show now; null when nothing is offered. */
  readonly first = $derived(this.open.find(({ id }) => id === this.#shown) ?? this.open[0] ?? null);

  /** Keeps itself true; answers the function that stops it. */
  follow(): () => void {
    // The next account in this tab finds nothing of the one before.
    this.#list.data = this.joined = null;
    this.#answered = [];
    void this.#load();
    const stops = [
      live.onOffers(() => void this.#load()),
      live.onResync((projectId) => (projectId === null ? this.#load() : undefined)),
      () => this.#list.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  async accept({ id }: OwnOffer): Promise<void> {
    const done = await this.answering.run(async () => {
      this.joined = await call(acceptOffer, { params: { id } });
    });
    await this.#after(id, done);
    if (done) void projects.load();
  }

  async decline({ id }: OwnOffer): Promise<void> {
    const done = await this.answering.run(() => call(declineOffer, { params: { id } }));
    await this.#after(id, done);
  }

  async #after(id: string, done: boolean): Promise<void> {
    if (done) this.#answered = [...this.#answered, id];
    // It may have been revoked or replaced a moment ago: the list says so.
    await this.#load();
  }

  async #load(): Promise<void> {
    await this.#list.load();
    this.#shown = this.first?.id ?? null;
  }
}

export const ownOffers = new OwnOffers();
