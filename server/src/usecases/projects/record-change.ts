// Records a change of a project in its change log, with an event for its pages, in the same transaction.
import { displayName, memberRef } from '../../domain/access/actor.ts';
import type { Tx } from '../../db/database.ts';
import { type Change, logChange } from '../../db/log-change.ts';
import type { MemberActor, Services } from '../services.ts';

type Values = Record<string, unknown>;

export type { Change } from '../../db/log-change.ts';

/** Logs a change and appends its event. `actor` is the author. */
export function recordChange(
  services: Pick<Services, 'clock' | 'ids'>,
  { tx, actor }: { tx: Tx; actor: Pick<MemberActor, 'userId' | 'name' | 'address'> },
  change: Change,
): Promise<void> {
  return logChange(services, { tx, by: memberRef(actor) }, change);
}

/** The name of a user in the log. Read from the database, because the entity manager may have cached another name. */
export async function nameOf({ em }: Tx, userId: string): Promise<string> {
  const rows = await em.execute<{ name: string | null; address: string }[]>(
    'select name, address from app_user where id = ?',
    [userId],
  );
  if (rows[0] === undefined) throw new Error(`There is no user ${userId}`);
  return displayName(rows[0]);
}

/** The fields that differ between two values of one shape, as `before` and `after` of a change. */
export function differing(before: object, after: object): { before: Values; after: Values } {
  const [from, to] = [before as Values, after as Values];
  const keys = Object.keys(to).filter((key) => JSON.stringify(from[key]) !== JSON.stringify(to[key]));
  const pick = (values: Values): Values => Object.fromEntries(keys.map((key) => [key, values[key] ?? null]));
  return { before: pick(from), after: pick(to) };
}
