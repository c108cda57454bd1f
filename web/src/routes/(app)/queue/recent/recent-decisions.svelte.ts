// The last decisions of this tab, newest first: provisional ones can be undone from here.
import { clock } from '#lib/time/clock.svelte.ts';
import type { Draft, Notes } from '#lib/drafts/drafts.ts';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import { isMove, type ReviewAction } from '@countersign/shared/review-actions';

const MAX_RECENT = 10;

/**
 * `saving`: not answered yet. `failed`: the decision was refused, and another item is open by now. `saved`: accepted, and
 * provisional until `undoUntil` (ms, server clock; null when it cannot be undone).
 */
export interface RecentDecision {
  readonly itemId: string;
  readonly name: string;
  readonly action: ReviewAction;
  readonly reason: string | null;
  readonly state: 'saving' | 'failed' | 'saved' | 'undone';
  readonly undoUntil: number | null;
  /** The length of its undo window in ms. */
  readonly windowMs: number;
  /** The draft it was made from, restored on undo. */
  readonly draft: Draft | null;
  readonly notes: Notes;
}

export class RecentDecisions {
  entries: readonly RecentDecision[] = $state.raw([]);

  add(recent: RecentDecision): void {
    this.entries = [recent, ...this.entries.filter((entry) => entry.itemId !== recent.itemId)].slice(0, MAX_RECENT);
  }

  drop(itemId: string): void {
    this.entries = this.entries.filter((entry) => entry.itemId !== itemId);
  }

  /** The server has answered: from now on its undo window applies. */
  confirm(itemId: string, { undo_until }: Pick<ItemDetail, 'undo_until'>): void {
    const undoUntil = undo_until === null ? null : Date.parse(undo_until);
    const windowMs = undoUntil === null ? 0 : Math.max(1, undoUntil - clock.read());
    this.#change(itemId, { state: 'saved', undoUntil, windowMs });
  }

  /** The decision was refused; its item can be opened from here. */
  fail(itemId: string): void {
    this.#change(itemId, { state: 'failed', undoUntil: null });
  }

  /** The recent decision of an item. */
  of(itemId: string): RecentDecision | null {
    return this.entries.find((entry) => entry.itemId === itemId) ?? null;
  }

  undone(itemId: string): void {
    this.#change(itemId, { state: 'undone', undoUntil: null });
  }

  final(itemId: string): void {
    this.#change(itemId, { undoUntil: null });
  }

  /** The newest decision that can still be undone. `now` in ms, server clock. */
  undoable(now: number): RecentDecision | null {
    return this.entries.find((entry) => canUndo(entry, now)) ?? null;
  }

  /** As {@link undoable}, or one in flight that can be undone as soon as it is confirmed. */
  newest(now: number): RecentDecision | null {
    const pending = ({ state, action }: RecentDecision) => state === 'saving' && !isMove(action);
    return this.entries.find((entry) => pending(entry) || canUndo(entry, now)) ?? null;
  }

  #change(itemId: string, change: Partial<RecentDecision>): void {
    this.entries = this.entries.map((entry) => (entry.itemId === itemId ? { ...entry, ...change } : entry));
  }
}

/** Whether a decision can still be undone at `now` (ms, server clock). */
export const canUndo = (recent: RecentDecision, now: number): boolean =>
  recent.state === 'saved' && recent.undoUntil !== null && recent.undoUntil > now;
