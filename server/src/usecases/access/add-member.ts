// An owner gives a wallet a seat in the reviewer pool: at once where its person allowed that, else by an offer (PM5, PM6).
import type { Role } from '@countersign/shared/enums';
import { decodeAddress } from '../../crypto/ed25519.ts';
import type { Tx } from '../../db/database.ts';
import type { Offer } from '../../db/entities/offer.ts';
import { User } from '../../db/entities/user.ts';
import type { Em } from '../../db/orm.ts';
import { isAddedDirectly, type Known } from '../../domain/access/offer.ts';
import { lockRole, requireChange, requirePermission } from './membership.ts';
import { limitOffers, makeOffer } from './offers.ts';
import { badField, changeMembership } from './change-membership.ts';
import { releaseLocks } from '../claims/release-claims.ts';
import type { MemberActor, Services } from '../services.ts';

export interface NewMember {
  projectId: string;
  address: string;
  role: Role;
}

/** What came of it. */
export type Added = { kind: 'member'; user: User; role: Role } | { kind: 'offer'; offer: Offer };

/**
 * Gives a member another role (PM1, PM2), adds who allowed it, and offers everybody else a seat, as it offers ownership to anyone
 * who is no owner. Whether the wallet is known here makes no difference to what an offer answers or takes.
 * Errors: `not_found`, `forbidden`, `validation_failed`, `rate_limited`.
 */
export async function addMember(services: Services, actor: MemberActor, input: NewMember): Promise<Added> {
  if (decodeAddress(input.address) === null) throw badField('address', 'This is not a Solana wallet address.');
  const { projectId, address, role } = input;
  const direct = await services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_members');
    return isAddedDirectly(await knownOf(em, actor, input), role);
  });
  // Asks the network, so before the transaction; only for who may offer: nobody uses up what belongs to others.
  if (!direct) await limitOffers(services, projectId);
  const { added, ended } = await services.db.write(async (tx) => {
    await requireChange(tx.em, { userId: actor.userId, projectId }, 'manage_members');
    await lockWallet(tx.em, address);
    if (!isAddedDirectly(await knownOf(tx.em, actor, input), role)) {
      const offer = await makeOffer(services, { tx, actor }, { projectId, address, role });
      return { added: { kind: 'offer' as const, offer }, ended: [] };
    }
    const user = await tx.em.findOneOrFail(User, { address });
    const from = await lockRole(tx.em, user.id, projectId);
    const membership = { projectId, userId: user.id, from, to: role };
    const released = from === role ? [] : await changeMembership(services, { tx, actor }, membership);
    return { added: { kind: 'member' as const, user, role }, ended: released };
  });
  await releaseLocks(services, ended);
  return added;
}

/** Whoever is forgotten (KE6) waits until this is done, or is gone by now: nobody is seated whom the address does not name any more. */
const lockWallet = (em: Em, address: string) =>
  em.execute('select 1 from app_user where address = ? for key share', [address]);

/** What decides whether the wallet is asked first. */
async function knownOf(em: Em, actor: MemberActor, { projectId, address }: NewMember): Promise<Known> {
  const [known] = await em.execute<Known[]>(
    `select
       (select m.role from member m where m.project_id = ? and m.user_id = u.id) as role,
       exists (select 1 from member theirs join member own on own.project_id = theirs.project_id
               where theirs.user_id = u.id and own.user_id = ? and own.user_id <> u.id) as "sharesProject",
       u.direct_adding as "allowsDirect", u.blocked_at is not null as blocked,
       exists (select 1 from refused_wallet r where r.user_id = u.id and r.refused_id = ?) as refuses
     from app_user u where u.address = ?`,
    [projectId, actor.userId, actor.userId, address],
  );
  return known ?? { role: null, sharesProject: false, allowsDirect: false, blocked: false, refuses: false };
}

/** The user of a wallet address, made on first sight. `name` is for wallets of our own (the demo's host): nobody names another (PM4). */
export async function findOrCreateUser(
  services: Services,
  tx: Tx,
  { address, name }: { address: string; name: string | undefined },
): Promise<User> {
  await tx.em.execute(
    `insert into app_user (id, address, name, created_at) values (?, ?, ?, ?)
     on conflict (address) do update set name = coalesce(app_user.name, excluded.name)`,
    [services.ids.uuid(), address, name ?? null, services.clock.now()],
  );
  return tx.em.findOneOrFail(User, { address });
}
