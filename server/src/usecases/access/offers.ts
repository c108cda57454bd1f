// Makes, revokes, accepts and declines offers of membership: from an owner to a wallet (PM5).
import { OFFER_DAYS } from '@countersign/shared/limits';
import { Refusal } from '@countersign/shared/errors';
import type { Role } from '@countersign/shared/enums';
import type { Tx } from '../../db/database.ts';
import { Offer } from '../../db/entities/offer.ts';
import { Project } from '../../db/entities/project.ts';
import type { Em } from '../../db/orm.ts';
import { lockProject } from '../../db/lock-project.ts';
import { recordChange } from '../../db/record-change.ts';
import { nameOfUser } from './name-of-user.ts';
import { displayName, memberRef } from '../../domain/access/actor.ts';
import { isRaise } from '../../domain/access/pool.ts';
import { refuseBlocked } from './blocked.ts';
import { endOffers, notifyOffersChanged } from './end-offers.ts';
import { lockRole, notFound, requirePermission } from './membership.ts';
import { changeMembership } from './change-membership.ts';
import { releaseLocks } from '../claims/release-claims.ts';
import { countOrRefuse } from '../count-or-refuse.ts';
import type { MemberActor, Services } from '../services.ts';

/**
 * The conditions of an open offer. PM5: not expired, not of an archived or
 * deleted project, not by someone who may no longer invite.
 */
export const OPEN_OFFER = `o.expires_at > now()
  and exists (select 1 from project p where p.id = o.project_id and p.archived_at is null and p.deleted_at is null)
  and exists (select 1 from member m join app_user u on u.id = m.user_id
              where m.project_id = o.project_id and m.user_id = o.made_by and m.role = 'owner' and u.blocked_at is null)`;

/** Counted per project; direct additions are counted by the HTTP rate limit. Errors: `rate_limited`. */
export async function limitOffers(services: Services, projectId: string): Promise<void> {
  const counted = { policy: 'offer', key: projectId } as const;
  await countOrRefuse(services, counted, (seconds) => `Rate limited. Send the next offer in ${seconds} s.`);
}

/** Makes the offer, in a project that the caller locked; it replaces an open offer to the same wallet. */
export async function makeOffer(
  services: Services,
  { tx, actor }: { tx: Tx; actor: MemberActor },
  { projectId, address, role }: { projectId: string; address: string; role: Role },
): Promise<Offer> {
  const id = services.ids.uuid();
  const { subject } = await wallet(tx, { projectId, address });
  const [former] = await tx.em.execute<{ role: Role }[]>(
    'delete from offer where project_id = ? and address = ? and expires_at > now() returning role',
    [projectId, address],
  );
  await tx.em.execute(
    `insert into offer (id, project_id, address, role, made_by, created_at, expires_at)
     values (?, ?, ?, ?, ?, now(), now() + make_interval(days => ?))
     on conflict (project_id, address) do update
       set id = excluded.id, role = excluded.role, made_by = excluded.made_by, created_at = excluded.created_at, expires_at = excluded.expires_at`,
    [id, projectId, address, role, actor.userId, OFFER_DAYS],
  );
  await recordChange(
    services,
    { tx, by: memberRef(actor) },
    {
      ...{ projectId, changed: ['offers'], action: 'offer.made', subject, subjectId: id },
      ...(former && { before: { role: former.role } }),
      after: { role, address },
    },
  );
  await notifyOffersChanged(tx, address);
  return tx.em.findOneOrFail(Offer, { id });
}

/** Revokes an offer of the project. Errors: `not_found`, `forbidden`. */
export async function revokeOffer(
  services: Services,
  actor: MemberActor,
  { projectId, offerId }: { projectId: string; offerId: string },
): Promise<void> {
  await services.db.write(async (tx) => {
    await lockProject(tx.em, projectId);
    await requirePermission(tx.em, { userId: actor.userId, projectId }, 'manage_members');
    if ((await tx.em.count(Offer, { id: offerId, projectId })) === 0) throw notFound();
    const [ended] = await endOffers(tx, projectId, { id: offerId });
    if (ended === undefined) return;
    const { role, address } = ended;
    const { subject } = await wallet(tx, { projectId, address });
    const change = { action: 'offer.revoked' as const, subject, subjectId: offerId, before: { role, address } };
    await recordChange(services, { tx, by: memberRef(actor) }, { projectId, changed: ['offers'], ...change });
  });
}

/**
 * Accepts an offer to the actor's wallet; a member keeps a role that is as high. Errors: `not_found`, the same for every id that
 * is not an open offer to this wallet.
 */
export async function acceptOffer(
  services: Services,
  actor: MemberActor,
  offerId: string,
): Promise<{ project: Project; role: Role }> {
  const { project, role, ended } = await services.db.write(async (tx) => {
    const { projectId, role: offered, madeBy } = await lockOffer(tx, actor, offerId);
    await refuseBlocked(tx.em, actor.userId);
    await endOffers(tx, projectId, { id: offerId });
    const found = await tx.em.findOneOrFail(Project, { id: projectId });
    const from = await lockRole(tx.em, actor.userId, projectId);
    const by = { tx, actor };
    if (from !== null && !isRaise({ from, to: offered })) {
      await logDeclined(services, by, { projectId, offerId, role: offered });
      return { project: found, role: from, ended: [] };
    }
    const membership = { projectId, userId: actor.userId, from, to: offered, offeredBy: await nameOfUser(tx, madeBy) };
    return { project: found, role: offered, ended: await changeMembership(services, by, membership) };
  });
  await releaseLocks(services, ended);
  return { project, role };
}

/**
 * Declines an offer to the actor's wallet. If the person is not a member, owners
 * see the wallet but not its name. Errors: `not_found`.
 */
export async function declineOffer(services: Services, actor: MemberActor, offerId: string): Promise<void> {
  await services.db.write(async (tx) => {
    const { projectId, role } = await lockOffer(tx, actor, offerId);
    await endOffers(tx, projectId, { id: offerId });
    await logDeclined(services, { tx, actor }, { projectId, offerId, role });
  });
}

async function logDeclined(
  services: Services,
  { tx, actor: { address } }: { tx: Tx; actor: MemberActor },
  { projectId, offerId, role }: { projectId: string; offerId: string; role: Role },
): Promise<void> {
  const { subject, userId } = await wallet(tx, { projectId, address });
  const change = { action: 'offer.declined' as const, subject, subjectId: offerId, before: { role, address } };
  const by = { kind: 'member' as const, id: userId, name: subject };
  await recordChange(services, { tx, by }, { projectId, changed: ['offers'], ...change });
}

/**
 * An open offer to this wallet, with its project locked. It is checked again
 * after the lock, because it may have been revoked meanwhile.
 */
async function lockOffer({ em }: Tx, actor: MemberActor, offerId: string): Promise<Offer> {
  const { projectId } = await findOpenOffer(em, actor, offerId);
  await lockProject(em, projectId);
  await findOpenOffer(em, actor, offerId);
  return em.findOneOrFail(Offer, { id: offerId });
}

/** An open offer to this wallet at this moment. Errors: `not_found`. */
export async function findOpenOffer(
  em: Em,
  { address }: MemberActor,
  offerId: string,
): Promise<{ projectId: string; madeBy: string }> {
  const [found] = await em.execute<{ project_id: string; made_by: string }[]>(
    `select o.project_id, o.made_by from offer o where o.id = ? and o.address = ? and ${OPEN_OFFER}`,
    [offerId, address],
  );
  if (found === undefined) throw noOffer();
  return { projectId: found.project_id, madeBy: found.made_by };
}

const noOffer = () =>
  new Refusal('not_found', 'This offer is no longer open: it was revoked, replaced or has expired. Ask for a new one.');

/**
 * The name of a wallet in the change log: the pool name of a member, otherwise only the
 * short address, because a name is known to its projects alone.
 */
async function wallet(
  { em }: Tx,
  { projectId, address }: { projectId: string; address: string },
): Promise<{ userId: string | null; subject: string }> {
  const [member] = await em.execute<{ id: string; name: string | null }[]>(
    `select u.id, u.name from app_user u join member m on m.user_id = u.id where u.address = ? and m.project_id = ?`,
    [address, projectId],
  );
  return { userId: member?.id ?? null, subject: displayName({ name: member?.name ?? null, address }) };
}
