// Changes a person's own name (PM4), which shows in every project they are in, and notifies each project.
import { displayName, memberRef } from '../../domain/access/actor.ts';
import type { Tx } from '../../db/database.ts';
import { User } from '../../db/entities/user.ts';
import { notFound } from './membership.ts';
import { recordChange } from '../../db/record-change.ts';
import { countOrRefuse } from '../count-or-refuse.ts';
import type { MemberActor, Services } from '../services.ts';

/**
 * Counts a change of the actor's name before its transaction (RL5): each is a line in the change log of every project of the person,
 * which no owner can remove. Errors: `rate_limited`.
 */
export const countRename = (services: Services, { userId }: MemberActor): Promise<void> =>
  countOrRefuse(
    services,
    { policy: 'rename', key: userId },
    (seconds) => `You have changed your name many times. Change it again in ${seconds} s.`,
  );

/** Sets or removes the actor's name, and adds a line to the change log of each of their projects unless nothing changes. */
export async function changeName(
  services: Services,
  { tx, actor }: { tx: Tx; actor: MemberActor },
  name: string | null,
): Promise<void> {
  const { userId } = actor;
  const [known] = await tx.em.execute<{ name: string | null; address: string }[]>(
    'select name, address from app_user where id = ? for no key update',
    [userId],
  );
  if (known === undefined) throw notFound();
  if (known.name === name) return;
  await tx.em.nativeUpdate(User, { id: userId }, { name });
  const change = { changed: ['members' as const], action: 'member.changed' as const, subjectId: userId };
  const names = { subject: displayName(known), before: { name: known.name }, after: { name } };
  for (const projectId of await projectsOf(tx, userId))
    await recordChange(services, { tx, by: memberRef(actor) }, { projectId, ...change, ...names });
}

/** The projects that are not deleted, locked against deletion until the transaction ends. */
async function projectsOf({ em }: Tx, userId: string): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `select p.id from project p join member m on m.project_id = p.id
     where m.user_id = ? and p.deleted_at is null order by p.id for key share of p`,
    [userId],
  );
  return rows.map(({ id }) => id);
}
