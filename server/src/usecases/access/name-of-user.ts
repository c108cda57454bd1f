// Reads the name that a user has now, for the change log.
import type { Tx } from '../../db/database.ts';
import { displayName } from '../../domain/access/actor.ts';

/** The name of a user in the log. Read from the database, because the entity manager may have cached another name. */
export async function nameOfUser({ em }: Tx, userId: string): Promise<string> {
  const rows = await em.execute<{ name: string | null; address: string }[]>(
    'select name, address from app_user where id = ?',
    [userId],
  );
  if (rows[0] === undefined) throw new Error(`There is no user ${userId}`);
  return displayName(rows[0]);
}
