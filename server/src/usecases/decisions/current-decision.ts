// Finds the decision on an item that people see, on an audited one the verdict, and the one that was shipped (AU2).
import type { QueryOrderMap } from '@mikro-orm/core';
import { Decision } from '../../db/entities/decision.ts';
import type { Item } from '../../db/entities/item.ts';
import type { Em } from '../../db/orm.ts';

type DecidedItem = Pick<Item, 'id' | 'audit'>;

/** Provisional or final; null without one. The automatic approval of an audited item is none: it would influence reviewers (AU3). */
export const currentDecision = (em: Em, { id: itemId, audit }: DecidedItem): Promise<Decision | null> =>
  em.findOne(Decision, { itemId, supersededAt: null, $or: [{ audit }, { revision: { $gt: 1 } }] });

/** The decision that the pipeline was told, once it is final: on an audited item that is not revised, the automatic approval (AU2). */
export const shippedDecision = (em: Em, { id: itemId }: Pick<Item, 'id'>): Promise<Decision | null> =>
  em.findOne(Decision, { itemId, audit: false, supersededAt: null });

const NEWEST_FIRST: QueryOrderMap<Decision>[] = [{ supersededAt: 'desc' }, { revision: 'desc' }, { audit: 'desc' }];

/** Of an item with more revisions, its history has the others. */
const EARLIER_SHOWN = 10;

/** The decisions before a revision, the newest first: at most ten. On an audited item, the verdict comes before the approval. */
export const earlierDecisions = (em: Em, { id: itemId }: DecidedItem): Promise<Decision[]> =>
  em.find(Decision, { itemId, supersededAt: { $ne: null } }, { orderBy: NEWEST_FIRST, limit: EARLIER_SHOWN });

/** What the current decision revises, as people saw it (RV1); null where nothing was revised. */
export const revisedDecision = (em: Em, { id: itemId }: DecidedItem): Promise<Decision | null> =>
  em.findOne(Decision, { itemId, supersededAt: { $ne: null } }, { orderBy: NEWEST_FIRST });
