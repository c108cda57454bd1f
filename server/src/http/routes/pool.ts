// The members of a project, its invites, and membership offers.
import { INVITE_HOURS } from '@countersign/shared/limits';
import * as invites from '@countersign/shared/routes/invites';
import * as offers from '@countersign/shared/routes/offers';
import * as api from '@countersign/shared/routes/projects';
import { presentInvite, presentOffer, presentOwnOffer, presentRefused } from '../../presenters/pool.ts';
import { presentMember } from '../../presenters/project.ts';
import { acceptInvite, createInvite, revokeInvite, listInvites } from '../../usecases/access/invites.ts';
import { readInvite } from '../../usecases/access/read-invite.ts';
import { addMember, type Added } from '../../usecases/access/add-member.ts';
import { changeMember, removeMember } from '../../usecases/access/change-member.ts';
import { acceptOffer, declineOffer, revokeOffer } from '../../usecases/access/offers.ts';
import { listOffers, listOwnOffers } from '../../usecases/access/list-offers.ts';
import { readPool } from '../../usecases/access/list-members.ts';
import { allowWallet, listRefused, refuseWallet } from '../../usecases/access/refused-wallets.ts';
import { notFound } from '../../usecases/access/membership.ts';
import type { MemberActor, Services } from '../../usecases/services.ts';
import { ReplyWithStatus } from '../response/reply.ts';
import type { Binder } from '../route.ts';

export function bindPool(bind: Binder, services: Services): void {
  bindMembers(bind, services);
  bindInvites(bind, services);
  bindOffers(bind, services);
}

function bindMembers(bind: Binder, services: Services): void {
  const presentedMember = async (actor: MemberActor, projectId: string, userId: string) => {
    const pool = await readPool(services, actor, projectId);
    const member = pool.members.find(({ user }) => user.id === userId);
    if (member === undefined) throw notFound();
    return presentMember(member, pool);
  };
  const presentAdded = async (actor: MemberActor, projectId: string, added: Added) => {
    if (added.kind === 'member')
      return { kind: added.kind, ...(await presentedMember(actor, projectId, added.user.id)) };
    const by = { id: actor.userId, address: actor.address, name: actor.name };
    return new ReplyWithStatus(202, { kind: added.kind, ...presentOffer({ offer: added.offer, by }) });
  };
  bind.member(api.listMembers, async ({ actor, params }) => {
    const pool = await readPool(services, actor, params.id);
    return { data: pool.members.map((member) => presentMember(member, pool)), next_cursor: null };
  });
  bind.member(api.addMember, async ({ actor, params, body }) => {
    const { address, role } = body;
    return presentAdded(actor, params.id, await addMember(services, actor, { projectId: params.id, address, role }));
  });
  bind.member(api.changeMember, async ({ actor, params, body }) => {
    const { role, name } = body;
    const change = { projectId: params.id, userId: params.user_id, role, name };
    return presentAdded(actor, params.id, await changeMember(services, actor, change));
  });
  bind.member(api.removeMember, async ({ actor, params, query }) => {
    const revokeKeys = query.revoke_keys === 'true';
    await removeMember(services, actor, { projectId: params.id, userId: params.user_id, revokeKeys });
    return undefined;
  });
}

function bindInvites(bind: Binder, services: Services): void {
  bind.member(invites.listInvites, async ({ actor, params }) => {
    const open = await listInvites(services, actor, params.id);
    return { data: open.map(presentInvite), next_cursor: null };
  });
  bind.member(invites.createInvite, async ({ actor, params, body }) => {
    const { role, address = null, expires_in_hours: hours = INVITE_HOURS.usual } = body;
    const { invite, token } = await createInvite(services, actor, { projectId: params.id, role, address, hours });
    const by = { id: actor.userId, address: actor.address, name: actor.name };
    return { ...presentInvite({ invite, by }), token, url: `${services.baseUrl}/invites/${token}` };
  });
  bind.member(invites.revokeInvite, async ({ actor, params }) => {
    await revokeInvite(services, actor, { projectId: params.id, inviteId: params.invite_id });
    return undefined;
  });
  bind.member(invites.readInvite, async ({ actor, params }) => {
    const { project, role, invitedBy, member, acceptable } = await readInvite(services, actor, params.token);
    return { project, role, invited_by: invitedBy, member, abilities: { accept: acceptable } };
  });
  bind.member(invites.acceptInvite, async ({ actor, params }) => {
    const { project, role } = await acceptInvite(services, actor, params.token);
    return { project: { id: project.id, name: project.name }, role };
  });
}

function bindOffers(bind: Binder, services: Services): void {
  bind.member(offers.listOffers, async ({ actor, params, query }) => {
    const open = await listOffers(services, actor, { projectId: params.id, ...at(query) });
    return { data: open.rows.map(presentOffer), next_cursor: open.nextCursor };
  });
  bind.member(offers.revokeOffer, async ({ actor, params }) => {
    await revokeOffer(services, actor, { projectId: params.id, offerId: params.offer_id });
    return undefined;
  });
  bind.member(offers.listOwnOffers, async ({ actor, query }) => {
    const open = await listOwnOffers(services, actor, at(query));
    return { data: open.rows.map(presentOwnOffer), next_cursor: open.nextCursor };
  });
  bind.member(offers.acceptOffer, async ({ actor, params }) => {
    const { project, role } = await acceptOffer(services, actor, params.id);
    return { project: { id: project.id, name: project.name }, role };
  });
  bind.member(offers.declineOffer, async ({ actor, params, body }) => {
    await (body?.refuse_wallet === true ? refuseWallet : declineOffer)(services, actor, params.id);
    return undefined;
  });
  bind.member(offers.listRefusedWallets, async ({ actor, query }) => {
    const refused = await listRefused(services, actor, at(query));
    return { data: refused.rows.map(presentRefused), next_cursor: refused.nextCursor };
  });
  bind.member(offers.allowWallet, async ({ actor, params }) => {
    await allowWallet(services, actor, params.user_id);
    return undefined;
  });
}

/** The start and size of a page. */
const at = ({ after, limit }: { after?: string | undefined; limit: number }) => ({ after, limit });
