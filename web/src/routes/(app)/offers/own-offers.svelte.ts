// The signed-in user's membership offers (PM5): loaded when the page opens, and again when the server reports a change.
import { acceptOffer, declineOffer, listOwnOffers } from '@countersign/shared/routes/offers';
import type { OwnOffer } from '@countersign/shared/schemas/offers';
import type { Role } from '@countersign/shared/enums';
import { call } from '#lib/api/client.ts';
import { Mutation } from '#lib/api/mutation.svelte.ts';
import { clock } from '#lib/time/clock.svelte.ts';
import { focusIfLost } from '#lib/shell/focus.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { reloader } from '#lib/live/follow-changes.ts';
import { projects } from '#lib/api/projects-store.svelte.ts';
import { readPages } from '#lib/api/read-pages.ts';
import { Resource } from '#lib/api/resource.svelte.ts';

export interface Joined {
  project: { id: string; name: string };
  role: Role;
}

export class OwnOffers {
  readonly answering = new Mutation();
  #pages = 1;
  readonly #list = new Resource((signal) =>
    readPages((after) => call(listOwnOffers, { query: after === undefined ? {} : { after }, signal }), this.#pages),
  );
  readonly #reloader = reloader({ load: () => this.#read(), error: () => this.#list.error });
  /** The id of their user. */
  #userId: string | null = null;
  /** Answered here: a pending answer of the server must not restore them. */
  #answered: string[] = $state.raw([]);
  /** The visible offer stays until it is answered or gone: a press answers the offer that was read. */
  #shown: string | null = $state(null);

  /** The last offer accepted here; null when that was dismissed. */
  joined: Joined | null = $state.raw(null);

  readonly open = $derived(
    (this.#list.data?.rows ?? []).filter(
      ({ id, expires_at }) => !this.#answered.includes(id) && Date.parse(expires_at) > clock.now,
    ),
  );
  /** Whether the server has older ones. */
  readonly more = $derived(this.#list.data?.more ?? false);
  /** Whether they were never loaded, and why not. */
  readonly unread = $derived(this.#list.data === null);
  readonly error = $derived(this.#list.error);
  readonly loading = $derived(this.#list.loading);
  /** The offer to show now; null when there is none. */
  readonly first = $derived(this.open.find(({ id }) => id === this.#shown) ?? this.open[0] ?? null);

  /** Loads this user's offers for the first time. The next account in this tab sees nothing of the previous one. */
  async begin(userId: string): Promise<void> {
    if (this.#userId === userId) return;
    this.#userId = userId;
    this.#pages = 1;
    this.#list.data = this.joined = null;
    this.#answered = [];
    await this.load();
  }

  /** Keeps the list up to date; returns the function that stops it. */
  follow(userId: string): () => void {
    void this.begin(userId);
    const stops = [
      live.onOffers(() => void this.load()),
      live.onResync((projectId) => (projectId === null ? this.load() : undefined)),
      () => this.#reloader.stop(),
      () => this.#list.cancel(),
      // The same user may sign in again later.
      () => (this.#userId = null),
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

  /** Declines all offers of its wallet, and refuses later ones (PM9). */
  async refuse({ id }: OwnOffer): Promise<void> {
    const body = { refuse_wallet: true };
    const done = await this.answering.run(() => call(declineOffer, { params: { id }, body }));
    await this.#after(id, done);
  }

  showMore(): Promise<void> {
    this.#pages += 1;
    return this.load();
  }

  load(): Promise<void> {
    return this.#reloader.now();
  }

  async #read(): Promise<void> {
    await this.#list.load();
    this.#shown = this.first?.id ?? null;
  }

  async #after(id: string, done: boolean): Promise<void> {
    if (done) this.#answered = [...this.#answered, id];
    // It may have been revoked or replaced a moment ago: the list shows that.
    await this.load();
    // The pressed button is gone: the focus returns to the page.
    await focusIfLost('page');
  }
}

export const ownOffers = new OwnOffers();
