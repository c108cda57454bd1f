// Offers of a seat: made by an owner for one wallet, revoked by owners, accepted or declined by the wallet (PM5).
import { OFFER_DAYS } from '@countersign/shared/api/offers';
import { Refusal } from '@countersign/shared/errors';
import type { Role } from '@countersign/shared/words';
import type { Tx } from '../db/database.ts';
import { Offer } from '../db/entities/offer.ts';
import { Project } from '../db/entities/project.ts';
import { holdProject } from '../db/hold-project.ts';
import { logChange } from '../db/log-change.ts';
import { shortAddress } from '../domain/actor.ts';
import { isRaise } from '../domain/pool.ts';
import { refuseBlocked } from './blocked.ts';
import { endOffers, tellOffered } from './end-offers.ts';
import { holdRole, nothingHere, requireVerb } from './membership.ts';
import { changeSeat } from './pool.ts';
import { nameOf, recordChange } from './record-change.ts';
import { dropLocks } from './release-claims.ts';
import type { MemberActor, Services } from './services.ts';

/** What makes an offer one that can be accepted now. PM5: neither over, nor of a project at rest, nor by who may not invite any more. */
export const OPEN_OFFER = `o.expires_at > now()
  and exists (select 1 from project p where p.id = o.project_id and p.archived_at is null and p.deleted_at is null)
  and exists (select 1 from member m join app_user u on u.id = m.user_id
              where m.project_id = o.project_id and m.user_id = o.made_by and m.role = 'owner' and u.blocked_at is null)`;

/** Counted by project; who seats people is counted at the door. Errors: `rate_limited`. */
export async function limitOffers({ limiter }: Services, projectId: string): Promise<void> {
  const { allowed, retryAfterSeconds: retryAfter } = await limiter.take('offer', projectId);
  if (!allowed) throw new Refusal('rate_limited', `Wait ${retryAfter} s, then offer the next seat.`, { retryAfter });
}

/** Offers the seat, in a project that is held by an owner; an open offer to the same wallet is replaced. */
export async function makeOffer(
  services: Services,
  { tx, actor }: { tx: Tx; actor: MemberActor },
  { projectId, address, role }: { projectId: string; address: string; role: Role },
): Promise<Offer> {
  const id = services.ids.uuid();
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
    { tx, actor },
    {
      ...{ projectId, changed: ['offers'], action: 'offer.made', ...subjectOf(id, address) },
      ...(former && { before: { role: former.role } }),
      after: { role, address },
    },
  );
  await tellOffered(tx, address);
  return tx.em.findOneOrFail(Offer, { id });
}

/** Revokes an offer of the project. Errors: `not_found`, `forbidden`. */
export async function revokeOffer(
  services: Services,
  actor: MemberActor,
  { projectId, offerId }: { projectId: string; offerId: string },
): Promise<void> {
  await services.db.write(async (tx) => {
    await holdProject(tx.em, projectId);
    await requireVerb(tx.em, { userId: actor.userId, projectId }, 'manage_members');
    if ((await tx.em.count(Offer, { id: offerId, projectId })) === 0) throw nothingHere();
    const [ended] = await endOffers(tx, projectId, { id: offerId });
    if (ended === undefined) return;
    const { role, address } = ended;
    const change = { action: 'offer.revoked' as const, ...subjectOf(offerId, address), before: { role, address } };
    await recordChange(services, { tx, actor }, { projectId, changed: ['offers'], ...change });
  });
}

/**
 * Takes the seat of an offer to the actor's wallet; a member keeps a role that is as high. Errors: `not_found`, the same for
 * every id that is no open offer to this wallet.
 */
export async function acceptOffer(
  services: Services,
  actor: MemberActor,
  offerId: string,
): Promise<{ project: Project; role: Role }> {
  const { project, role, ended } = await services.db.write(async (tx) => {
    const { projectId, role: offered, madeBy } = await holdOffer(tx, actor, offerId);
    await refuseBlocked(tx.em, actor.userId);
    await endOffers(tx, projectId, { id: offerId });
    const found = await tx.em.findOneOrFail(Project, { id: projectId });
    const from = await holdRole(tx.em, actor.userId, projectId);
    const by = { tx, actor };
    if (from !== null && !isRaise({ from, to: offered })) {
      await recordChange(services, by, {
        projectId,
        changed: ['offers'],
        ...declined(offerId, { actor, role: offered }),
      });
      return { project: found, role: from, ended: [] };
    }
    const seat = { projectId, userId: actor.userId, from, to: offered, offeredBy: await nameOf(tx, madeBy) };
    return { project: found, role: offered, ended: await changeSeat(services, by, seat) };
  });
  await dropLocks(services, ended);
  return { project, role };
}

/** Declines an offer to the actor's wallet. The owners are told the wallet, not whose it is. Errors: `not_found`. */
export async function declineOffer(services: Services, actor: MemberActor, offerId: string): Promise<void> {
  await services.db.write(async (tx) => {
    const { projectId, role } = await holdOffer(tx, actor, offerId);
    await endOffers(tx, projectId, { id: offerId });
    const nameless = { kind: 'member' as const, id: null, name: shortAddress(actor.address) };
    const change = { projectId, changed: ['offers' as const], ...declined(offerId, { actor, role }) };
    await logChange(services, { tx, by: nameless }, change);
  });
}

const declined = (offerId: string, { actor, role }: { actor: MemberActor; role: Role }) => ({
  action: 'offer.declined' as const,
  ...subjectOf(offerId, actor.address),
  before: { role, address: actor.address },
});

/** An open offer to this wallet, with its project held. Asked again after the wait: it may have been revoked meanwhile. */
async function holdOffer({ em }: Tx, { address }: MemberActor, offerId: string): Promise<Offer> {
  const find = () =>
    em.execute<{ id: string; project_id: string }[]>(
      `select o.id, o.project_id from offer o where o.id = ? and o.address = ? and ${OPEN_OFFER}`,
      [offerId, address],
    );
  const [seen] = await find();
  if (seen === undefined) throw noOffer();
  await holdProject(em, seen.project_id);
  if ((await find()).length === 0) throw noOffer();
  return em.findOneOrFail(Offer, { id: offerId });
}

const noOffer = () =>
  new Refusal('not_found', 'This offer is not open any more: it was revoked, replaced or is over. Ask for a new one.');

/** The wallet and nothing that only its person could have told. */
const subjectOf = (subjectId: string, address: string) => ({ subject: shortAddress(address), subjectId });
