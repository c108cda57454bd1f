// The history of the open item: its last events, earlier ones on demand, and each event as text.
import { exactMoment } from '#lib/format/format.ts';
import { call } from '#lib/api/client.ts';
import { readHistory } from '@countersign/shared/routes/queue';
import type { DomainEvent, DomainEventOf, DomainEventType } from '@countersign/shared/schemas/parts/events';
import { itemMessages } from '#lib/messages/item-messages.ts';
import { DELIVERY_STYLE } from '#lib/delivery-status.ts';
import { ITEM_STYLE } from '#lib/status.ts';
import type { DecisionAction, ItemStatus } from '@countersign/shared/enums';
import { decisionPastTense } from './item-status-message.ts';

const HISTORY_MS = 300;

export class History {
  /** Oldest first; null while nothing was read. */
  events: readonly DomainEvent[] | null = $state.raw(null);
  /** The cursor of the events before these; null when these are all. */
  earlier: string | null = $state(null);
  reading = $state(false);
  /** The last attempt to read earlier events failed. */
  failed = $state(false);

  #id: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Incremented at every switch: answers to earlier requests are discarded, even for the same item. */
  #visit = 0;
  /** Counts the requests for the last events. */
  #asked = 0;
  /** The newest of those requests that was answered: the answer of an older one is outdated. */
  #answered = 0;

  /** Switches to an item and discards the events of the previous one. */
  switchTo(id: string | null): void {
    if (this.#id === id) return;
    clearTimeout(this.#timer);
    this.#id = id;
    this.#visit += 1;
    this.#answered = this.#asked;
    this.events = this.earlier = null;
    this.reading = this.failed = false;
  }

  /** Reads the last events after a short delay, because events arrive in bursts. */
  readSoon(): void {
    clearTimeout(this.#timer);
    const id = this.#id;
    if (id === null) return;
    this.#timer = setTimeout(() => {
      const request = ++this.#asked;
      call(readHistory, { params: { id } }).then(
        ({ data, next_cursor }) => {
          if (request <= this.#answered) return;
          this.#answered = request;
          this.#put(data, next_cursor);
        },
        // The page works without the history: the column stays empty.
        () => request > this.#answered && (this.events ??= []),
      );
    }, HISTORY_MS);
  }

  /** Reads the page before the first event here. */
  async readEarlier(): Promise<void> {
    const [id, after, visit] = [this.#id, this.earlier, this.#visit];
    if (id === null || after === null || this.reading) return;
    this.reading = true;
    this.failed = false;
    const answer = await call(readHistory, { params: { id }, query: { after } }).catch(() => null);
    if (this.#visit !== visit) return;
    this.reading = false;
    this.failed = answer === null;
    // A later read may have replaced the events, so that this page no longer connects to them.
    if (answer === null || this.earlier !== after) return;
    this.events = [...answer.data, ...(this.events ?? [])];
    this.earlier = answer.next_cursor;
  }

  /** Replaces the last events: earlier ones stay before them, unless a part between them is missing. */
  #put(data: readonly DomainEvent[], earlier: string | null): void {
    const first = data[0]?.seq ?? Infinity;
    const known = this.events ?? [];
    const before = known.filter(({ seq }) => seq < first);
    const joins = known.some(({ seq }) => seq >= first);
    if (joins && before.length > 0) {
      this.events = [...before, ...data];
      return;
    }
    this.events = data;
    this.earlier = earlier;
  }
}

const words = itemMessages.history;
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
    event.by_deadline
      ? words.deadline.escalated
      : isArrival(event)
        ? words.escalatedAtOnce
        : withReason(words.action(by, 'escalate'), event.reason),
  'item.undone': (_, by) => words.undone(by),
  'item.claimed': (event, by) => (event.taken_from ? words.takenOver(by, event.taken_from.name) : words.claimed(by)),
  'claim.released': (_, by) => words.released(by),
  'claim.expired': (_, by) => words.expired(by),
  'item.decided': decided,
  'item.finalized': (event) => (event.action === 'auto_approve' ? words.autoApproved : words.finalized),
  'item.expired': (event) => (event.status === 'rejected' ? words.deadline.rejected : words.deadline.expired),
  'item.extended': (event, by) =>
    isArrival(event) ? words.deadline.again : words.deadline.extended(by, exactMoment(event.deadline.at)),
  'item.withdrawn': (event, by) => withReason(words.withdrawn(by), event.reason),
  'decision.revised': (event, by) =>
    withReason(words.revised(by, outcomeText(event.was), outcomeText(event)), event.reason),
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

/** How an item was decided: by the action of a person, or else by routing. */
const outcomeText = ({ action, status }: { action: DecisionAction | null; status: ItemStatus }): string =>
  action === null ? ITEM_STYLE[status].word : decisionPastTense(action);

const withReason = (sentence: string, reason: string | null): string =>
  reason === null ? sentence : `${sentence}: ${reason}`;
