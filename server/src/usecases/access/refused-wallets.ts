// Refuses the offers of a wallet (PM9): open ones are declined, later ones hidden until it is allowed again.
import { Refusal } from '@countersign/shared/errors';
import { displayName } from '../../domain/access/actor.ts';
import type { RefusedView } from '../../domain/access/offer.ts';
import { notFound } from './membership.ts';
import { declineOffer, findOpenOffer } from './offers.ts';
import { endOf, olderThan, type Page, toPage } from '../cursor.ts';
import type { MemberActor, Services } from '../services.ts';

/**
 * Refuses the author of this offer, and declines every offer of theirs to the actor's wallet. The refusal comes first, so that an
 * offer made meanwhile is hidden. The refused person only learns that their offers were declined. Errors: `not_found`.
 */
export async function refuseWallet(services: Services, actor: MemberActor, offerId: string): Promise<void> {
  const refusedId = await services.db.write(async ({ em }) => {
    const { madeBy } = await findOpenOffer(em, actor, offerId);
    await em.execute(
      'insert into refused_wallet (user_id, refused_id, created_at) values (?, ?, ?) on conflict do nothing',
      [actor.userId, madeBy, services.clock.now()],
    );
    return madeBy;
  });
  const offers = await services.db.read((em) =>
    em.execute<{ id: string }[]>('select id from offer where address = ? and made_by = ? order by project_id', [
      actor.address,
      refusedId,
    ]),
  );
  // Each project has its own transaction. An offer that expired or was revoked meanwhile needs no answer.
  for (const { id } of offers) await declineOffer(services, actor, id).catch(unlessGone);
}

function unlessGone(error: unknown): void {
  if (!(error instanceof Refusal && error.code === 'not_found')) throw error;
}

/** One page of the wallets that the actor refuses, the latest first. Errors: `invalid_cursor`. */
export function listRefused(
  { db }: Services,
  { userId }: MemberActor,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<Page<RefusedView>> {
  return db.read(async (em) => {
    const rows = await em.execute<{ id: string; address: string; name: string | null; created_at: string }[]>(
      `select u.id, u.address, u.name, r.created_at from refused_wallet r join app_user u on u.id = r.refused_id
       where r.user_id = ? and ${olderThan('r.created_at, r.refused_id')}
       order by r.created_at desc, r.refused_id desc limit ?`,
      [userId, ...endOf(after), limit + 1],
    );
    const views = rows.map(({ id, address, name, created_at: at }) => ({
      ...{ userId: id, address, refusedAt: new Date(at) },
      name: displayName({ name, address }),
    }));
    return toPage(views, limit, ({ refusedAt: at, userId: id }) => ({ at, id }));
  });
}

/** Allows offers of this wallet again. Errors: `not_found` for one that is not refused. */
export async function allowWallet({ db }: Services, actor: MemberActor, refusedId: string): Promise<void> {
  await db.write(async ({ em }) => {
    const rows = await em.execute<unknown[]>(
      'delete from refused_wallet where user_id = ? and refused_id = ? returning user_id',
      [actor.userId, refusedId],
    );
    if (rows.length === 0) throw notFound();
  });
}
