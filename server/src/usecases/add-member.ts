// An owner assigns a wallet to the reviewer pool. The wallet need not have signed in before.
import { Refusal } from '@countersign/shared/errors';
import type { Role } from '@countersign/shared/words';
import { decodeAddress } from '../crypto/ed25519.ts';
import { memberRef } from '../domain/actor.ts';
import type { Tx } from '../db/database.ts';
import { Project } from '../db/entities/project.ts';
import { User } from '../db/entities/user.ts';
import { requireVerb } from './membership.ts';
import type { MemberActor, Services } from './services.ts';

export interface NewMember {
  projectId: string;
  address: string;
  role: Role;
  name: string | undefined;
}

/** Adds the wallet, or gives a member it already is another role. Errors: `not_found`, `forbidden`, `validation_failed`. */
export async function addMember(
  services: Services,
  actor: MemberActor,
  input: NewMember,
): Promise<{ user: User; role: Role }> {
  if (decodeAddress(input.address) === null) throw badField('address', 'This is not a Solana wallet address.');
  return services.db.write(async (tx) => {
    // One change of a pool at a time: two owners who take each other down must not both succeed.
    await tx.em.execute('select id from project where id = ? for no key update', [input.projectId]);
    await requireVerb(tx.em, { userId: actor.userId, projectId: input.projectId }, 'manage_members');
    const user = await findOrCreateUser(services, tx, input);
    if (user.id === actor.userId && input.role !== 'owner') {
      throw badField('role', 'A project keeps an owner: you cannot take your own role down here.');
    }
    const createdAt = services.clock.now();
    await tx.em.execute(
      `insert into member (project_id, user_id, role, created_at) values (?, ?, ?, ?)
       on conflict (project_id, user_id) do update set role = excluded.role`,
      [input.projectId, user.id, input.role, createdAt],
    );
    const { settingsVersion } = await tx.em.findOneOrFail(Project, { id: input.projectId });
    const fact = { project_id: input.projectId, actor: memberRef(actor), settings_version: settingsVersion };
    tx.record({ type: 'project.changed', ...fact, changed: ['members'] });
    return { user, role: input.role };
  });
}

/** The user of a wallet address, made on first sight. A name given now is kept only while the wallet has none. */
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

function badField(field: string, detail: string): Refusal {
  return new Refusal('validation_failed', detail, { errors: [{ pointer: `#/${field}`, code: 'invalid', detail }] });
}
