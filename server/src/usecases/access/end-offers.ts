// Open offers end: the rows go in the caller's transaction, and whoever they were for is told to look again (PM5).
import { OFFERED } from '../../db/connection/channels.ts';
import type { Tx } from '../../db/database.ts';
import type { Role } from '@countersign/shared/enums';

export interface Ended {
  address: string;
  role: Role;
  open: boolean;
}

/** Which offers of a project end: one, those for a person, those somebody made, or all of them. */
export type Which = { id: string } | { forUser: string } | { madeBy: string } | { all: true };

/** Ends these offers. Answers them; `open` are those that could still have been accepted by their time. */
export async function endOffers(tx: Tx, projectId: string, which: Which): Promise<Ended[]> {
  const [condition, values] = conditionOf(which);
  const ended = await tx.em.execute<Ended[]>(
    `delete from offer where project_id = ? ${condition} returning address, role, expires_at > now() as open`,
    [projectId, ...values],
  );
  for (const { address } of ended) await notifyOffersChanged(tx, address);
  return ended.filter(({ open }) => open);
}

function conditionOf(which: Which): [sql: string, values: string[]] {
  if ('id' in which) return ['and id = ?', [which.id]];
  if ('madeBy' in which) return ['and made_by = ?', [which.madeBy]];
  if ('forUser' in which) return ['and address = (select address from app_user where id = ?)', [which.forUser]];
  return ['', []];
}

/** Tells the wallet's person, if it is anybody's, with the commit. One statement either way: a stranger takes as long. */
export async function notifyOffersChanged({ em }: Tx, address: string): Promise<void> {
  await em.execute('select pg_notify(?, id::text) from app_user where address = ?', [OFFERED, address]);
}
