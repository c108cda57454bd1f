// The open offers of a project, for its owners, and those to a wallet, for its person (PM5).
import type { Role } from '@countersign/shared/words';
import { Offer } from '../../db/entities/offer.ts';
import { User } from '../../db/entities/user.ts';
import type { OwnOfferView } from '../../domain/offer.ts';
import { requireVerb } from '../membership.ts';
import { OPEN_OFFER } from '../offers.ts';
import type { MemberActor, Services } from '../services.ts';

/** More than this are not listed: what is listed has to be dealt with first. */
const MOST = 200;

export interface OfferView {
  offer: Offer;
  /** Whoever made it. */
  by: User | null;
}

/** Newest first; for owners. Errors: `not_found`, `forbidden`. */
export function listOffers(services: Services, actor: MemberActor, projectId: string): Promise<OfferView[]> {
  return services.db.read(async (em) => {
    await requireVerb(em, { userId: actor.userId, projectId }, 'manage_members');
    const open = await em.execute<{ id: string }[]>(
      `select o.id from offer o where o.project_id = ? and ${OPEN_OFFER} order by o.created_at desc, o.id desc limit ${MOST}`,
      [projectId],
    );
    const ids = open.map(({ id }) => id);
    const offers = await em.find(Offer, { id: { $in: ids } }, { orderBy: { createdAt: 'desc', id: 'desc' } });
    const users = await em.find(User, { id: { $in: offers.map(({ madeBy }) => madeBy) } });
    const byId = new Map(users.map((user) => [user.id, user]));
    return offers.map((offer) => ({ offer, by: byId.get(offer.madeBy) ?? null }));
  });
}

interface Row {
  id: string;
  role: Role;
  created_at: string;
  expires_at: string;
  project: string;
  name: string | null;
  address: string;
}

/** The open offers to the actor's wallet, newest first. */
export async function listOwnOffers(services: Services, { address }: MemberActor): Promise<OwnOfferView[]> {
  const rows = await services.db.read((em) =>
    em.execute<Row[]>(
      `select o.id, o.role, o.created_at, o.expires_at, p.name as project, u.name, u.address
       from offer o join project p on p.id = o.project_id join app_user u on u.id = o.made_by
       where o.address = ? and ${OPEN_OFFER} order by o.created_at desc, o.id desc limit ${MOST}`,
      [address],
    ),
  );
  return rows.map(({ id, role, project, name, address: byAddress, ...times }) => ({
    ...{ id, role, createdAt: new Date(times.created_at), expiresAt: new Date(times.expires_at) },
    projectName: project,
    by: { name, address: byAddress },
  }));
}
