// Reads and changes a person's own settings, which apply to all projects.
import { User } from '../../db/entities/user.ts';
import { changeName, countRename } from './change-name.ts';
import type { MemberActor, Services } from '../services.ts';

export interface Account {
  /** Their name (PM4); null shows the shortened address. */
  name: string | null;
  /** People who share a project with them may add them to another one directly (PM6). */
  directAdding: boolean;
}

/** The actor's own settings. */
export async function readAccount({ db }: Services, { userId }: MemberActor): Promise<Account> {
  const { name, directAdding } = await db.read((em) => em.findOneOrFail(User, { id: userId }));
  return { name: name ?? null, directAdding };
}

/** Changes the given settings, and returns all of them. Errors: `rate_limited` for a name. */
export async function changeAccount(
  services: Services,
  actor: MemberActor,
  { name, directAdding }: Partial<Account>,
): Promise<Account> {
  if (name !== undefined) await countRename(services, actor);
  await services.db.write(async (tx) => {
    if (directAdding !== undefined) await tx.em.nativeUpdate(User, { id: actor.userId }, { directAdding });
    if (name !== undefined) await changeName(services, { tx, actor }, name);
  });
  return readAccount(services, actor);
}
