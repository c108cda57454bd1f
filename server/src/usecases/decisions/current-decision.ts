// Finds the decision on an item that people see: the newest one, which on an audited item is the verdict (AU2).
import type { QueryOrderMap } from '@mikro-orm/core';
import { Decision } from '../../db/entities/decision.ts';
import type { Item } from '../../db/entities/item.ts';
import type { Em } from '../../db/orm.ts';

type DecidedItem = Pick<Item, 'id' | 'audit'>;

/** Provisional or final; null without one. The automatic approval of an audited item is none: it would influence reviewers (AU3). */
export const currentDecision = (em: Em, { id: itemId, audit }: DecidedItem): Promise<Decision | null> =>
  em.findOne(Decision, { itemId, supersededAt: null, $or: [{ audit }, { revision: { $gt: 1 } }] });

const NEWEST_FIRST: QueryOrderMap<Decision>[] = [{ supersededAt: 'desc' }, { revision: 'desc' }, { audit: 'desc' }];

/** Of an item with more revisions, its history has the others. */
const EARLIER_SHOWN = 10;

/** The decisions before a revision, the newest first: at most ten. On an audited item, the verdict comes before the approval. */
export const earlierDecisions = (em: Em, { id: itemId }: DecidedItem): Promise<Decision[]> =>
  em.find(Decision, { itemId, supersededAt: { $ne: null } }, { orderBy: NEWEST_FIRST, limit: EARLIER_SHOWN });

/** What the current decision revises, as people saw it (RV1); null where nothing was revised. */
export const revisedDecision = (em: Em, { id: itemId }: DecidedItem): Promise<Decision | null> =>
  em.findOne(Decision, { itemId, supersededAt: { $ne: null } }, { orderBy: NEWEST_FIRST });
