// The pool, its open invites and offers, kept up to date by the live events of the project.
import { listInvites } from '@countersign/shared/routes/invites';
import type { Invite } from '@countersign/shared/schemas/invites';
import { listOffers } from '@countersign/shared/routes/offers';
import type { Offer } from '@countersign/shared/schemas/offers';
import { listMembers } from '@countersign/shared/routes/projects';
import type { Member } from '@countersign/shared/schemas/projects';
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import { call } from '#lib/api/client.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { readPages } from '#lib/api/read-pages.ts';
import { Resource } from '#lib/api/resource.svelte.ts';

/** The held items are requested at most once in this many ms, however many change their holder. */
const CLAIMS_RELOAD_MS = 2000;
const CLAIM_EVENTS: readonly DomainEvent['type'][] = [
  'item.claimed',
  'claim.released',
  'claim.expired',
  'item.decided',
];

export class PoolFeed {
  readonly members: Resource<Member[]>;
  /** For owners; loaded when it is known that the viewer is one. */
  readonly invites: Resource<Invite[]>;
  readonly offers: Resource<{ rows: Offer[]; more: boolean }>;
  #offerPages = 1;
  readonly #id: string;
  #timer: ReturnType<typeof setTimeout> | undefined;

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
  }

  /** Loads the members and follows the project; returns the function that stops it. */
  follow(): () => void {
    void this.members.load();
    const stops = [
      live.on('*', (event) => event.project_id === this.#id && this.#take(event)),
      live.onResync(() => this.members.load()),
      () => clearTimeout(this.#timer),
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
      if (event.changed.includes('members')) void this.members.load();
      // An accepted invite or offer is reported only as a change of the members.
      for (const part of ['invites', 'offers'] as const) {
        const affected = event.changed.includes(part) || event.changed.includes('members');
        if (affected && this[part].data !== null) void this[part].load();
      }
    } else if (CLAIM_EVENTS.includes(event.type)) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        void this.members.load();
      }, CLAIMS_RELOAD_MS);
    }
  }
}
