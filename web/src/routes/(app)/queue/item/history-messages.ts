// The events of one item as text.
import { queueMessages } from '#lib/messages/queue-messages.ts';
import { DELIVERY_STYLE } from '#lib/status.ts';
import type { DomainEvent, DomainEventOf, DomainEventType } from '@countersign/shared/events';

const words = queueMessages.history;
const byOf = (event: DomainEvent, me: string): string => (event.actor.id === me ? words.you : event.actor.name);
/**
 * Pipelines submit items, people move them. Decided by the actor, not by the event's position: a pending audit must look like any
 * other item (AU3).
 */
const isArrival = (event: DomainEvent): boolean => event.actor.kind !== 'member';

const MESSAGES = {
  'item.queued': (event, by) =>
    isArrival(event) ? words.queued : withReason(words.action(by, 'return'), event.reason),
  'item.escalated': (event, by) =>
    isArrival(event) ? words.escalatedAtOnce : withReason(words.action(by, 'escalate'), event.reason),
  'item.undone': (_, by) => words.undone(by),
  'item.claimed': (event, by) => (event.taken_from ? words.takenOver(by, event.taken_from.name) : words.claimed(by)),
  'claim.released': (_, by) => words.released(by),
  'claim.expired': (_, by) => words.expired(by),
  'item.decided': decided,
  'item.finalized': (event) => (event.action === 'auto_approve' ? words.autoApproved : words.finalized),
  'delivery.changed': (event) => `${words.delivery}: ${DELIVERY_STYLE[event.status].word}`,
  'project.changed': () => '',
} satisfies { [T in DomainEventType]: (event: DomainEventOf<T>, by: string) => string };

/** The note of a move between people; events of decisions have none. */
export const noteOf = (event: DomainEvent): string | null => ('note' in event && event.note) || null;

/** The message of an event for the user `me`. */
export function historyMessage(event: DomainEvent, me: string): string {
  // The table pairs each type with its own message; the compiler cannot follow the pairing through an index.
  const messageOf = MESSAGES[event.type] as ((event: DomainEvent, by: string) => string) | undefined;
  // A service of another version may have types that this page does not know.
  return messageOf?.(event, byOf(event, me)) ?? '';
}

function decided(event: DomainEventOf<'item.decided'>, by: string): string {
  if (event.action === null) return words.refused;
  if (event.action === 'auto_approve') return words.autoApproved;
  return withReason(words.action(by, event.action), event.reason);
}

const withReason = (sentence: string, reason: string | null): string =>
  reason === null ? sentence : `${sentence}: ${reason}`;
