// Finds the decision on an item that people see: the newest one, which on an audited item is the verdict (AU2).
import { Decision } from '../../db/entities/decision.ts';
import type { Item } from '../../db/entities/item.ts';
import type { Em } from '../../db/orm.ts';

type DecidedItem = Pick<Item, 'id' | 'audit'>;

/** Provisional or final; null without one. The automatic approval of an audited item is none: it would influence reviewers (AU3). */
export const currentDecision = (em: Em, { id: itemId, audit }: DecidedItem): Promise<Decision | null> =>
  em.findOne(Decision, { itemId, supersededAt: null, $or: [{ audit }, { revision: { $gt: 1 } }] });

/** What the current decision revises, as people saw it (RV1); null where nothing was revised. */
export const revisedDecision = (em: Em, { id: itemId }: DecidedItem): Promise<Decision | null> =>
  em.findOne(
    Decision,
    { itemId, supersededAt: { $ne: null } },
    { orderBy: [{ supersededAt: 'desc' }, { revision: 'desc' }, { audit: 'desc' }] },
  );
