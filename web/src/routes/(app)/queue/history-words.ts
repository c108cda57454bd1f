// The ledger of one item in words.
import { queueText } from '#lib/queue-text.ts';
import { DELIVERY_LOOK } from '#lib/status.ts';
import type { Fact, FactOf, FactType } from '@countersign/shared/events';

const words = queueText.history;
const byOf = (fact: Fact, me: string): string => (fact.actor.id === me ? words.you : fact.actor.name);
/** Pipelines bring items, people move them. By who did it, not by how manieth it is: an audit that waits must look like any other (AU3). */
const isArrival = (fact: Fact): boolean => fact.actor.kind !== 'member';

const WORDS = {
  'item.queued': (fact, by) => (isArrival(fact) ? words.queued : withReason(words.returned(by), fact.reason)),
  'item.escalated': (fact, by) =>
    isArrival(fact) ? words.escalatedAtOnce : withReason(words.escalated(by), fact.reason),
  'item.undone': (_, by) => words.undone(by),
  'item.claimed': (fact, by) => (fact.taken_from ? words.takenOver(by, fact.taken_from.name) : words.claimed(by)),
  'claim.released': (_, by) => words.released(by),
  'claim.lapsed': (_, by) => words.lapsed(by),
  'item.decided': decided,
  'item.finalized': (fact) => (fact.action === 'auto_approve' ? words.decided.auto_approve : words.finalized),
  'delivery.changed': (fact) => `${words.delivery}: ${DELIVERY_LOOK[fact.status].word}`,
  'project.changed': () => '',
} satisfies { [T in FactType]: (fact: FactOf<T>, by: string) => string };

/** The note of a move between people; facts of decisions carry none. */
export const noteOf = (fact: Fact): string | null => ('note' in fact && fact.note) || null;

/** What a fact says to the reader `me`. */
export function historyWords(fact: Fact, me: string): string {
  // The table pairs each type with its own words; the compiler cannot follow the pairing through an index.
  const say = WORDS[fact.type] as (fact: Fact, by: string) => string;
  return say(fact, byOf(fact, me));
}

function decided(fact: FactOf<'item.decided'>, by: string): string {
  if (fact.action === null) return words.refused;
  if (fact.action === 'auto_approve') return words.decided.auto_approve;
  return withReason(words.decided[fact.action](by), fact.reason);
}

const withReason = (sentence: string, reason: string | null): string =>
  reason === null ? sentence : `${sentence}: ${reason}`;
