// An owner assigns a wallet to the reviewer pool. The wallet need not have signed in before.
import type { Role } from '@countersign/shared/words';
import { decodeAddress } from '../crypto/ed25519.ts';
import type { Tx } from '../db/database.ts';
import { User } from '../db/entities/user.ts';
import { holdRole, requireVerb } from './membership.ts';
import { badField, changeSeat, lockPool } from './pool.ts';
import { dropLocks } from './release-claims.ts';
import type { MemberActor, Services } from './services.ts';

export interface NewMember {
  projectId: string;
  address: string;
  role: Role;
  name: string | undefined;
}

/** Adds the wallet, or gives a member it already is another role (PM1, PM2). Errors: `not_found`, `forbidden`, `validation_failed`. */
export async function addMember(
  services: Services,
  actor: MemberActor,
  input: NewMember,
): Promise<{ user: User; role: Role }> {
  if (decodeAddress(input.address) === null) throw badField('address', 'This is not a Solana wallet address.');
  const { projectId, role } = input;
  const { user, ended } = await services.db.write(async (tx) => {
    await lockPool(tx, projectId);
    await requireVerb(tx.em, { userId: actor.userId, projectId }, 'manage_members');
    const wallet = await findOrCreateUser(services, tx, input);
    const from = await holdRole(tx.em, wallet.id, projectId);
    const seat = { projectId, userId: wallet.id, from, to: role };
    return { user: wallet, ended: await changeSeat(services, { tx, actor }, seat) };
  });
  await dropLocks(services, ended);
  return { user, role };
}

/** The user of a wallet address, made on first sight. A name given now is kept only while the wallet has none (PM4). */
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
