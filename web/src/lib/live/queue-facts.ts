// What each fact of the ledger does to the live queue: one table, one line per fact type.
import type { Fact, FactOf, FactType } from '@countersign/shared/events';
import type { Claim } from '@countersign/shared/item';
import { countBeyond, dropRow, isNews, leaveOf, putRow, type Draft } from './queue-draft.ts';
import type { Counts, Leave } from './queue-model.ts';

type Upsert = FactOf<'item.queued'> | FactOf<'item.escalated'> | FactOf<'item.undone'>;
type Gone = FactOf<'item.decided'> | FactOf<'item.finalized'>;
type ClaimFact = FactOf<'item.claimed'> | FactOf<'claim.released'> | FactOf<'claim.lapsed'>;

const TRANSITIONS = {
  'item.queued': waits,
  'item.escalated': waits,
  'item.undone': waits,
  'item.claimed': (draft, fact) =>
    reclaim(draft, fact, {
      what: 'taken',
      claim: { user_id: fact.actor.id ?? '', name: fact.actor.name, expires_at: fact.expires_at },
    }),
  'claim.released': (draft, fact) => reclaim(draft, fact, { what: 'freed', claim: null }),
  'claim.lapsed': (draft, fact) => reclaim(draft, fact, { what: 'freed', claim: null }),
  'item.decided': (draft, fact) => leaves(draft, fact, fact.undo_until),
  'item.finalized': finalized,
  'delivery.changed': nothing,
  'project.changed': nothing,
} satisfies { [T in FactType]: (draft: Draft, fact: FactOf<T>) => void };

/**
 * Applies facts in the order given. Per project `seq` counts without gaps: what was seen is ignored, a gap stops that project
 * and asks for a resync. Per item an event that is not newer is ignored.
 */
export function applyFacts(draft: Draft, facts: readonly Fact[]): void {
  for (const fact of facts) {
    if (draft.scope.projectId !== null && draft.scope.projectId !== fact.project_id) continue;
    const seen = draft.seqs.get(fact.project_id);
    if (seen !== undefined && fact.seq <= seen) continue;
    if (seen === undefined || fact.seq > seen + 1) {
      draft.needsResync = fact.project_id;
      continue;
    }
    draft.seqs.set(fact.project_id, fact.seq);
    // The table pairs each type with its own handler; the compiler cannot follow the pairing through an index.
    const apply = TRANSITIONS[fact.type] as (draft: Draft, fact: Fact) => void;
    apply(draft, fact);
  }
}

function nothing(): void {
  // Nothing of this fact is visible in the queue.
}

function waits(draft: Draft, fact: Upsert): void {
  if (!isNews(draft, fact.item_id, fact.version)) return;
  if (!draft.rows.has(fact.item_id)) outOfSight(draft, fact, waitedAs(fact));
  putRow(draft, fact.item, leaveOf(draft, fact, fact.item.status));
}

/** As what an item that is not loaded was counted until now. The second version of a queued one is reopened: it did not wait. */
function waitedAs({ type, version }: Upsert): Partial<Counts> {
  if (type === 'item.escalated' && version > 1) return { all: -1 };
  return type === 'item.queued' && version > 2 ? { all: -1, escalated: -1 } : {};
}

function reclaim(draft: Draft, fact: ClaimFact, { what, claim }: { what: Leave['what']; claim: Claim | null }): void {
  const row = draft.rows.get(fact.item_id);
  if (row === undefined) {
    // Taken in another tab of the reader, from beyond what is loaded: what one holds is always listed.
    if (claim?.user_id === draft.me && !draft.complete) draft.needsResync = fact.project_id;
    return outOfSight(draft, fact, { available: claim === null ? 1 : -1 });
  }
  if (fact.version > row.version) putRow(draft, { ...row, claim, version: fact.version }, leaveOf(draft, fact, what));
}

function leaves(draft: Draft, fact: Gone, undoUntil: string | null): void {
  if (!isNews(draft, fact.item_id, fact.version)) return;
  const decidedByPerson = fact.action !== null && fact.action !== 'auto_approve';
  // What becomes final was decided before, and counted then.
  const waited = fact.type === 'item.decided' && decidedByPerson;
  if (!draft.rows.has(fact.item_id) && waited) outOfSight(draft, fact, { all: -1 });
  dropRow(draft, fact.item_id, { version: fact.version, leave: { ...leaveOf(draft, fact, fact.status), undoUntil } });
}

/** The decision of a tombstone became final; its words keep the person who decided. */
function finalized(draft: Draft, fact: FactOf<'item.finalized'>): void {
  const leave = draft.ghosts.get(fact.item_id);
  if (leave === undefined || draft.rows.has(fact.item_id)) return leaves(draft, fact, null);
  if (!isNews(draft, fact.item_id, fact.version)) return;
  draft.versions.set(fact.item_id, fact.version);
  draft.ghosts.set(fact.item_id, { ...leave, undoUntil: null });
}

/** News of an item that waits beyond the loaded rows changes only the counts. */
function outOfSight(draft: Draft, fact: { item_id: string }, change: Partial<Counts>): void {
  if (!draft.complete && !draft.versions.has(fact.item_id)) countBeyond(draft, change);
}
