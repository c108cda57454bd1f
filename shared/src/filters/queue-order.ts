// The orders of a queue list: each sort with its comparison. The database sorts the same way in SQL.
import type { ItemRow } from '../schemas/parts/item.ts';

export const QUEUE_SORTS = ['due', 'newest', 'confidence', 'flag'] as const;
export type QueueSort = (typeof QUEUE_SORTS)[number];

/** A position in a list, whether or not it has an item: all that the sorts compare. */
export type QueuePlace = Pick<ItemRow, 'id' | 'due_at' | 'created_at' | 'confidence' | 'risk_flags'>;

/** What sorts by flag compare: the first flag as submitted; items without one come last. */
export const flagKey = ({ risk_flags: [flag] }: Pick<QueuePlace, 'risk_flags'>): string =>
  flag === undefined ? '1' : `0${flag}`;

/** What sorts by confidence compare: an absent or hidden one (AU3) comes last. */
export const confidenceKey = ({ confidence }: Pick<QueuePlace, 'confidence'>): number => confidence ?? 2;

const ascending = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** By code points, as the collation C: JavaScript compares UTF-16 units, which sorts emoji before some other characters. */
function byCodePoint(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}

/** Ids are in the order of arrival; ISO times of one precision compare as text. */
const byDue = (a: QueuePlace, b: QueuePlace): number => ascending(a.due_at, b.due_at) || ascending(a.id, b.id);

/** The comparison of each sort (QU25). No two items are equal. */
export const QUEUE_ORDER: Record<QueueSort, (a: QueuePlace, b: QueuePlace) => number> = {
  due: byDue,
  newest: (a, b) => ascending(b.created_at, a.created_at) || ascending(b.id, a.id),
  confidence: (a, b) => confidenceKey(a) - confidenceKey(b) || byDue(a, b),
  flag: (a, b) => byCodePoint(flagKey(a), flagKey(b)) || byDue(a, b),
};
