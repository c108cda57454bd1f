// Ends open offers: deletes the rows in the caller's transaction and notifies the people they were for (PM5).
import { OFFERED } from '../../db/connection/channels.ts';
import type { Tx } from '../../db/database.ts';
import type { Role } from '@countersign/shared/enums';

export interface Ended {
  address: string;
  role: Role;
  open: boolean;
}

/** Which offers of a project end: one, those for a person, those made by a person, or all. */
export type Which = { id: string } | { forUser: string } | { madeBy: string } | { all: true };

/** Ends these offers. Returns those that had not expired. */
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

/**
 * Notifies the wallet's person, if it has one, with the commit. One statement in
 * either case, so that an unknown wallet takes as long.
 */
export async function notifyOffersChanged({ em }: Tx, address: string): Promise<void> {
  await em.execute('select pg_notify(?, id::text) from app_user where address = ?', [OFFERED, address]);
}
