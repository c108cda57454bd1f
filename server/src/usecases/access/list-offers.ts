// Lists the open offers of a project for its owners, and those to a wallet for its person (PM5), page by page.
import type { Role } from '@countersign/shared/enums';
import { Offer } from '../../db/entities/offer.ts';
import { User } from '../../db/entities/user.ts';
import type { OwnOfferView } from '../../domain/access/offer.ts';
import { requirePermission } from './membership.ts';
import { OPEN_OFFER } from './offers.ts';
import type { MemberActor, Services } from '../services.ts';
import { endOf, olderThan, type Page, type PageQuery, toPage } from '../cursor.ts';

export interface OfferView {
  offer: Offer;
  /** Its author. */
  by: User | null;
}

const OLDER = olderThan('o.created_at, o.id');

/** Newest first; for owners. Errors: `not_found`, `forbidden`, `invalid_cursor`. */
export function listOffers(
  services: Services,
  actor: MemberActor,
  { projectId, after, limit }: PageQuery,
): Promise<Page<OfferView>> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_members');
    const open = await em.execute<{ id: string }[]>(
      `select o.id from offer o where o.project_id = ? and ${OPEN_OFFER} and ${OLDER}
       order by o.created_at desc, o.id desc limit ?`,
      [projectId, ...endOf(after), limit + 1],
    );
    const ids = open.map(({ id }) => id);
    const offers = await em.find(Offer, { id: { $in: ids } }, { orderBy: { createdAt: 'desc', id: 'desc' } });
    const page = toPage(offers, limit, ({ createdAt: at, id }) => ({ at, id }));
    const users = await em.find(User, { id: { $in: page.rows.map(({ madeBy }) => madeBy) } });
    const byId = new Map(users.map((user) => [user.id, user]));
    return { ...page, rows: page.rows.map((offer) => ({ offer, by: byId.get(offer.madeBy) ?? null })) };
  });
}

interface Row {
  id: string;
  role: Role;
  present_role: Role | null;
  created_at: string;
  expires_at: string;
  project: string;
  name: string | null;
  address: string;
}

/** The open offers to the actor's wallet, newest first, without those of wallets that they refuse (PM9). Errors: `invalid_cursor`. */
export function listOwnOffers(
  services: Services,
  { userId, address }: Pick<MemberActor, 'userId' | 'address'>,
  { after, limit }: Omit<PageQuery, 'projectId'>,
): Promise<Page<OwnOfferView>> {
  return services.db.read(async (em) => {
    const rows = await em.execute<Row[]>(
      `select o.id, o.role, o.created_at, o.expires_at, p.name as project, u.name, u.address,
         (select m.role from member m where m.project_id = o.project_id and m.user_id = ?) as present_role
       from offer o join project p on p.id = o.project_id join app_user u on u.id = o.made_by
       where o.address = ? and ${OPEN_OFFER} and ${OLDER}
         and not exists (select 1 from refused_wallet r where r.user_id = ? and r.refused_id = o.made_by)
       order by o.created_at desc, o.id desc limit ?`,
      [userId, address, ...endOf(after), userId, limit + 1],
    );
    return toPage(rows.map(viewOf), limit, ({ createdAt: at, id }) => ({ at, id }));
  });
}

const viewOf = ({ id, role, present_role: presentRole, project, name, address, ...times }: Row): OwnOfferView => ({
  ...{ id, role, presentRole, createdAt: new Date(times.created_at), expiresAt: new Date(times.expires_at) },
  projectName: project,
  by: { name, address },
});
