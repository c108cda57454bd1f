// Retention (KE): which items are settled, and how far along the event log their retention period has passed.
import type { ItemStatus } from '@countersign/shared/enums';
import { isOpen } from './item.ts';

/** What an owner can give a retention period: delivery attempts, payloads, and items with their events. */
export const RETENTION_KINDS = ['attempts', 'payloads', 'items'] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

const DAY_MS = 24 * 60 * 60_000;

/** Events before this moment are older than `days`. */
export const cutoffOf = (now: Date, days: number): Date => new Date(now.getTime() - days * DAY_MS);

/** An event with the item that it is about: its own, or the item of the learning that it excludes or includes. */
export interface LoggedEvent {
  seq: number;
  at: Date;
  itemId: string | null;
}

/** The events before the first that is younger than `cutoff`: the last `seq` among them (null: none), and their items. */
export function expiredPrefix(
  events: readonly LoggedEvent[],
  cutoff: Date,
): { through: number | null; itemIds: string[] } {
  const young = events.findIndex(({ at }) => at >= cutoff);
  const old = young === -1 ? events : events.slice(0, young);
  const itemIds = new Set(old.flatMap(({ itemId }) => itemId ?? []));
  return { through: old.at(-1)?.seq ?? null, itemIds: [...itemIds] };
}

/** The present state of an item that one of these events is about. */
export interface RetentionItem {
  status: ItemStatus;
  /** Its decision, or its verdict, can still be undone. */
  provisional: boolean;
  /** One of its deliveries has not ended. */
  underWay: boolean;
  /** It has later events, so it is examined again at those. */
  hasLaterEvents: boolean;
  /** A learning that is not excluded quotes it. */
  quoted: boolean;
  redacted: boolean;
}

/** Whether data of this kind can be deleted now, for an item past its retention period (KE1 to KE4). */
export function isDeletable(kind: RetentionKind, item: RetentionItem): boolean {
  const settled = !isOpen(item.status) && !item.provisional && !item.underWay && !item.hasLaterEvents;
  if (!settled) return false;
  return kind === 'attempts' || (!item.quoted && !(kind === 'payloads' && item.redacted));
}
