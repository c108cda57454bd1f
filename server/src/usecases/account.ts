// What a person settles for themself, over all projects.
import { User } from '../db/entities/user.ts';
import type { MemberActor, Services } from './services.ts';

export interface Account {
  /** Whoever shares a project with them may add them to another one directly (PM6). */
  directAdding: boolean;
}

/** The actor's own settings. */
export async function readAccount({ db }: Services, { userId }: MemberActor): Promise<Account> {
  const { directAdding } = await db.read((em) => em.findOneOrFail(User, { id: userId }));
  return { directAdding };
}

/** Changes those that are given, and answers all as they are now. */
export async function changeAccount(
  services: Services,
  actor: MemberActor,
  changes: Partial<Account>,
): Promise<Account> {
  await services.db.write(async ({ em }) => {
    if (changes.directAdding !== undefined)
      await em.nativeUpdate(User, { id: actor.userId }, { directAdding: changes.directAdding });
  });
  return readAccount(services, actor);
}
