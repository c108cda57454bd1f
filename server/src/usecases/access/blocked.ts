// Refuses actions of a wallet that the operator blocked (A20), including those under way at that moment.
import { Refusal } from '@countersign/shared/errors';
import type { Em } from '../../db/orm.ts';

export const blockedRefusal = () =>
  new Refusal(
    'blocked',
    'The operator of this service has blocked this wallet. Contact them, or sign in with another wallet.',
  );

/** Locks the person's row until the transaction ends. Errors: `blocked`. */
export async function refuseBlocked(em: Em, userId: string): Promise<void> {
  const rows = await em.execute<{ blocked: boolean }[]>(
    'select blocked_at is not null as blocked from app_user where id = ? for share',
    [userId],
  );
  if (rows[0]?.blocked) throw blockedRefusal();
}
