// An owner assigns a wallet to the reviewer pool. The wallet need not have signed in before.
import type { Role } from '@countersign/shared/words';
import { decodeAddress } from '../crypto/ed25519.ts';
import type { Tx } from '../db/database.ts';
import { User } from '../db/entities/user.ts';
import { holdRole, requireChange } from './membership.ts';
import { badField, changeSeat, recordName } from './pool.ts';
import { dropLocks } from './release-claims.ts';
import type { MemberActor, Services } from './services.ts';

export interface NewMember {
  projectId: string;
  address: string;
  role: Role;
  name: string | undefined;
}

/** Adds the wallet, or gives a member it already is another role (PM1, PM2), and a name where there is none (PM4). Errors: `not_found`, `forbidden`, `validation_failed`. */
export async function addMember(
  services: Services,
  actor: MemberActor,
  input: NewMember,
): Promise<{ user: User; role: Role }> {
  if (decodeAddress(input.address) === null) throw badField('address', 'This is not a Solana wallet address.');
  const { projectId, role } = input;
  const { user, ended } = await services.db.write(async (tx) => {
    await requireChange(tx.em, { userId: actor.userId, projectId }, 'manage_members');
    const before = { address: input.address, name: await nameBefore(tx, input.address) };
    const wallet = await findOrCreateUser(services, tx, input);
    const from = await holdRole(tx.em, wallet.id, projectId);
    const name = wallet.name ?? null;
    if (from !== null && name !== null && before.name === null)
      await recordName(services, { tx, actor }, { projectId, before: { ...before, userId: wallet.id }, name });
    const seat = { projectId, userId: wallet.id, from, to: role };
    return { user: wallet, ended: from === role ? [] : await changeSeat(services, { tx, actor }, seat) };
  });
  await dropLocks(services, ended);
  return { user, role };
}

/** The name a wallet has so far, kept as it is until the transaction ends. */
async function nameBefore({ em }: Tx, address: string): Promise<string | null> {
  const rows = await em.execute<{ name: string | null }[]>(
    'select name from app_user where address = ? for no key update',
    [address],
  );
  return rows[0]?.name ?? null;
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
