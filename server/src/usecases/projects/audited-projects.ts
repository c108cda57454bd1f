// Finds the projects in which a member must not see what identifies audits (AU3).
import type { Role } from '@countersign/shared/enums';
import { HAS_AUDITS } from '../../db/audits/has-audits.ts';
import type { Em } from '../../db/orm.ts';
import { isBlind } from '../../domain/audits/audit.ts';
import { uuidArray } from '../claims/claim-limit.ts';

/** Those of these projects in which it is hidden from a member with this role. */
export async function blindOf(em: Em, roles: ReadonlyMap<string, Role>): Promise<Set<string>> {
  const ids = [...roles].flatMap(([id, role]) => (isBlind(role, true) ? [id] : []));
  if (ids.length === 0) return new Set();
  const rows = await em.execute<{ id: string }[]>(
    `select p.id from project p where p.id = any(?::uuid[]) and ${HAS_AUDITS}`,
    [uuidArray(ids)],
  );
  return new Set(rows.map(({ id }) => id));
}
