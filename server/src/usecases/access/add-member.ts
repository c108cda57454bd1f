// An owner adds a wallet to the reviewer pool: directly where its person allowed that, else by an offer (PM5, PM6).
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

/** The result: a member, or an offer. */
export type Added = { kind: 'member'; user: User; role: Role } | { kind: 'offer'; offer: Offer };

/**
 * Gives a member another role (PM1, PM2), adds people who allowed it, and makes an offer to everybody else, as well as to anyone
 * who is to become an owner. An offer returns the same and takes as long whether or not the wallet is known here. Errors:
 * `not_found`, `forbidden`, `validation_failed`, `rate_limited`.
 */
export async function addMember(services: Services, actor: MemberActor, input: NewMember): Promise<Added> {
  if (decodeAddress(input.address) === null) throw badField('address', 'This is not a Solana wallet address.');
  const { projectId, address, role } = input;
  const direct = await services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_members');
    return isAddedDirectly(await knownOf(em, actor, input), role);
  });
  // This uses the network, so it comes before the transaction; it counts only people who may make offers, so nobody uses up the
  // limit of others.
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

/**
 * A forget command (KE6) waits until this transaction ends, or is done already:
 * then the address names nobody, and nobody is added.
 */
const lockWallet = (em: Em, address: string) =>
  em.execute('select 1 from app_user where address = ? for key share', [address]);

/** Reads what decides whether the wallet gets an offer first. */
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

/**
 * The user of a wallet address, created when it is new. `name` is for our own
 * wallets (the demo's host): nobody names another person (PM4).
 */
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
