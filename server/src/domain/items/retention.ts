// For how long what is done with is kept (KE): which items are done with, and how far along the ledger one may look.
import type { ItemStatus } from '@countersign/shared/enums';
import { isOpen } from './item.ts';

/** What an owner has kept for a number of days: attempts of deliveries, what was submitted and decided, items with their facts. */
export const RETENTION_KINDS = ['attempts', 'payloads', 'ledger'] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

const DAY_MS = 24 * 60 * 60_000;

/** What was stated before this moment has been kept for `days`. */
export const cutoffOf = (now: Date, days: number): Date => new Date(now.getTime() - days * DAY_MS);

/** A fact of the ledger, with the item that it is about: its own, or that of the learning it leaves out or takes in. */
export interface LoggedEvent {
  seq: number;
  at: Date;
  itemId: string | null;
}

/** The facts before the first that is younger than `cutoff`: up to which `seq` they go (null: none), and whose they are. */
export function expiredPrefix(
  events: readonly LoggedEvent[],
  cutoff: Date,
): { through: number | null; itemIds: string[] } {
  const young = events.findIndex(({ at }) => at >= cutoff);
  const old = young === -1 ? events : events.slice(0, young);
  const itemIds = new Set(old.flatMap(({ itemId }) => itemId ?? []));
  return { through: old.at(-1)?.seq ?? null, itemIds: [...itemIds] };
}

/** An item that one of these facts is about, as it is now. */
export interface RetentionItem {
  status: ItemStatus;
  /** Its decision, or its verdict, can still be undone. */
  provisional: boolean;
  /** One of its deliveries has not come to an end. */
  underWay: boolean;
  /** Something was stated of it later: it is looked at again there. */
  hasLaterEvents: boolean;
  /** A learning that counts quotes it. */
  quoted: boolean;
  redacted: boolean;
}

/** Whether this kind goes now of an item whose time is over (KE1 to KE4). */
export function isDeletable(kind: RetentionKind, item: RetentionItem): boolean {
  const doneWith = !isOpen(item.status) && !item.provisional && !item.underWay && !item.hasLaterEvents;
  if (!doneWith) return false;
  return kind === 'attempts' || (!item.quoted && !(kind === 'payloads' && item.redacted));
}
