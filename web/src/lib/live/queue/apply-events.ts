// Applies each event type to the live queue: one table, one line per event type.
import type { DomainEvent, DomainEventOf, DomainEventType } from '@countersign/shared/events';
import type { Claim } from '@countersign/shared/item';
import { countUnloaded, dropRow, isNewer, removalOf, putRow, type Draft } from './queue-transition.ts';
import type { Counts, RowRemoval } from './queue-model.ts';

type WaitingEvent = DomainEventOf<'item.queued'> | DomainEventOf<'item.escalated'> | DomainEventOf<'item.undone'>;
type ClosingEvent = DomainEventOf<'item.decided'> | DomainEventOf<'item.finalized'>;
type ClaimEvent = DomainEventOf<'item.claimed'> | DomainEventOf<'claim.released'> | DomainEventOf<'claim.expired'>;

const TRANSITIONS = {
  'item.queued': handleWaiting,
  'item.escalated': handleWaiting,
  'item.undone': handleWaiting,
  'item.claimed': (draft, event) =>
    handleClaimChange(draft, event, {
      what: 'taken',
      claim: { user_id: event.actor.id ?? '', name: event.actor.name, expires_at: event.expires_at },
    }),
  'claim.released': (draft, event) => handleClaimChange(draft, event, { what: 'freed', claim: null }),
  'claim.expired': (draft, event) => handleClaimChange(draft, event, { what: 'freed', claim: null }),
  'item.decided': (draft, event) => handleClosed(draft, event, event.undo_until),
  'item.finalized': handleFinalized,
  'delivery.changed': ignore,
  'project.changed': ignore,
} satisfies { [T in DomainEventType]: (draft: Draft, event: DomainEventOf<T>) => void };

/**
 * Applies events in the order given. Per project `seq` has no gaps: known events are ignored, a gap stops that project and
 * requests a resync. Per item an event that is not newer is ignored.
 */
export function applyEvents(draft: Draft, events: readonly DomainEvent[]): void {
  for (const event of events) {
    if (draft.scope.projectId !== null && draft.scope.projectId !== event.project_id) continue;
    const seen = draft.seqs.get(event.project_id);
    if (seen !== undefined && event.seq <= seen) continue;
    if (seen === undefined || event.seq > seen + 1) {
      draft.needsResync = event.project_id;
      continue;
    }
    draft.seqs.set(event.project_id, event.seq);
    if (!Object.hasOwn(TRANSITIONS, event.type)) {
      // A service of another version has types that this page does not know: the snapshot has their effect.
      draft.needsResync = event.project_id;
      continue;
    }
    // The table pairs each type with its own handler; the compiler cannot follow the pairing through an index.
    const apply = TRANSITIONS[event.type] as (draft: Draft, event: DomainEvent) => void;
    apply(draft, event);
  }
}

function ignore(): void {
  // This event has no visible effect in the queue.
}

function handleWaiting(draft: Draft, event: WaitingEvent): void {
  if (!isNewer(draft, event.item_id, event.version)) return;
  if (!draft.rows.has(event.item_id)) countIfUnloaded(draft, event, previousCounts(event));
  putRow(draft, event.item, removalOf(draft, event, event.item.status));
}

/**
 * The counts that included an unloaded item until now. A queued item at its second version was reopened: it did not wait before.
 */
function previousCounts({ type, version }: WaitingEvent): Partial<Counts> {
  if (type === 'item.escalated' && version > 1) return { all: -1 };
  return type === 'item.queued' && version > 2 ? { all: -1, escalated: -1 } : {};
}

function handleClaimChange(
  draft: Draft,
  event: ClaimEvent,
  { what, claim }: { what: RowRemoval['what']; claim: Claim | null },
): void {
  const row = draft.rows.get(event.item_id);
  if (row === undefined) {
    // Claimed in another tab of the user, from beyond the loaded rows: the user's own items are always listed.
    if (claim?.user_id === draft.me && !draft.complete) draft.needsResync = event.project_id;
    return countIfUnloaded(draft, event, { available: claim === null ? 1 : -1 });
  }
  if (event.version > row.version)
    putRow(draft, { ...row, claim, version: event.version }, removalOf(draft, event, what));
}

function handleClosed(draft: Draft, event: ClosingEvent, undoUntil: string | null): void {
  if (!isNewer(draft, event.item_id, event.version)) return;
  const decidedByPerson = event.action !== null && event.action !== 'auto_approve';
  // A final decision was made, and counted, before.
  const waited = event.type === 'item.decided' && decidedByPerson;
  if (!draft.rows.has(event.item_id) && waited) countIfUnloaded(draft, event, { all: -1 });
  dropRow(draft, event.item_id, {
    version: event.version,
    removal: { ...removalOf(draft, event, event.status), undoUntil },
  });
}

/** The decision of a tombstone became final; its text still names the person who decided. */
function handleFinalized(draft: Draft, event: DomainEventOf<'item.finalized'>): void {
  const removal = draft.tombstones.get(event.item_id);
  if (removal === undefined || draft.rows.has(event.item_id)) return handleClosed(draft, event, null);
  if (!isNewer(draft, event.item_id, event.version)) return;
  draft.versions.set(event.item_id, event.version);
  draft.tombstones.set(event.item_id, { ...removal, undoUntil: null });
}

/** An event of an item that waits beyond the loaded rows changes only the counts. */
function countIfUnloaded(draft: Draft, event: { item_id: string }, change: Partial<Counts>): void {
  if (!draft.complete && !draft.versions.has(event.item_id)) countUnloaded(draft, change);
}
