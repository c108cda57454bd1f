// The pool, its open invites and offers, kept up to date by the live events of the project.
import { listInvites } from '@countersign/shared/routes/invites';
import type { Invite } from '@countersign/shared/schemas/invites';
import { listOffers } from '@countersign/shared/routes/offers';
import type { Offer } from '@countersign/shared/schemas/offers';
import { listMembers } from '@countersign/shared/routes/projects';
import type { Member } from '@countersign/shared/schemas/projects';
import type { DomainEvent, DomainEventOf, DomainEventType } from '@countersign/shared/schemas/parts/events';
import { call } from '#lib/api/client.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { reloader } from '#lib/live/follow-changes.ts';
import { readPages } from '#lib/api/read-pages.ts';
import { Resource } from '#lib/api/resource.svelte.ts';
import { ReloadThrottle } from '#lib/live/reload-throttle.ts';

/** The held items are requested at most once in this many ms, however many change their holder. */
const CLAIMS_RELOAD_MS = 2000;

const always = () => true;
const never = () => false;
/** A new item is in its first version, and nobody holds it. */
const movedOn = ({ version }: { version: number }) => version > 1;
const wasClaimed = ({ was }: { was: { claimed: boolean } }) => was.claimed;

/** Whether an event begins or ends a claim. */
const CHANGES_CLAIMS: { [T in DomainEventType]: (event: DomainEventOf<T>) => boolean } = {
  'item.claimed': always,
  'claim.released': always,
  'claim.expired': always,
  'item.decided': always,
  'item.queued': movedOn,
  'item.escalated': movedOn,
  'item.withdrawn': wasClaimed,
  'item.expired': wasClaimed,
  'item.extended': never,
  'item.undone': never,
  'item.finalized': never,
  'decision.revised': never,
  'delivery.changed': never,
  'project.changed': never,
};
const changesClaims = <T extends DomainEventType>(event: DomainEventOf<T> & { type: T }): boolean =>
  CHANGES_CLAIMS[event.type](event);

export class PoolFeed {
  readonly members: Resource<Member[]>;
  /** For owners; loaded when it is known that the viewer is one. */
  readonly invites: Resource<Invite[]>;
  readonly offers: Resource<{ rows: Offer[]; more: boolean }>;
  #offerPages = 1;
  readonly #id: string;
  readonly #throttle: ReloadThrottle;
  readonly #reloaders: Record<'invites' | 'offers', ReloadThrottle>;

  constructor(id: string) {
    const params = { id };
    this.#id = id;
    this.members = new Resource(async (signal) => (await call(listMembers, { params, signal })).data);
    this.invites = new Resource(async (signal) => (await call(listInvites, { params, signal })).data);
    this.offers = new Resource((signal) =>
      readPages(
        (after) => call(listOffers, { params, query: after === undefined ? {} : { after }, signal }),
        this.#offerPages,
      ),
    );
    this.#throttle = new ReloadThrottle({
      spacing: CLAIMS_RELOAD_MS,
      mayReload: () => true,
      reload: () => this.members.load(),
      error: () => this.members.error,
    });
    this.#reloaders = { invites: reloader(this.invites), offers: reloader(this.offers) };
  }

  /** Loads the members and follows the project; returns the function that stops it. */
  follow(): () => void {
    void this.#throttle.now();
    const stops = [
      live.on('*', (event) => event.project_id === this.#id && this.#take(event)),
      live.onResync(() => Promise.all([this.#throttle.now(), this.#reload('invites'), this.#reload('offers')])),
      () => this.#throttle.stop(),
      () => this.#reloaders.invites.stop(),
      () => this.#reloaders.offers.stop(),
      () => this.members.cancel(),
      () => this.invites.cancel(),
      () => this.offers.cancel(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  moreOffers(): void {
    this.#offerPages += 1;
    void this.offers.load();
  }

  #take(event: DomainEvent): void {
    if (event.type === 'project.changed') {
      const members = event.changed.includes('members');
      if (members) void this.#throttle.now();
      // An accepted invite or offer is reported only as a change of the members.
      for (const part of ['invites', 'offers'] as const)
        if (members || event.changed.includes(part)) void this.#reload(part);
    } else if (changesClaims(event)) this.#throttle.schedule();
  }

  /** Loads a list again that was loaded before: others may not see it. */
  async #reload(part: 'invites' | 'offers'): Promise<void> {
    if (this[part].data !== null || this[part].error !== null) await this.#reloaders[part].now();
  }
}
