// Texts of selected items and of bulk decisions.
import { count, plural } from '#lib/format/format.ts';
import type { Sentence } from '#lib/messages/sentence.ts';

export const bulkMessages = {
  select: {
    count: (number: number) => `${count(number)} selected`,
    none: 'None selected',
    label: 'Selected items',
    clear: 'Clear',
    tooMany: (most: number) => `You can decide up to ${most} items together. Deselect some.`,
    alreadyUp: (label: string) => `${label} is not possible: some are already escalated.`,
    left: (number: number) =>
      `${plural(number, 'selected item was', 'selected items were')} claimed or decided, and removed from your selection`,
  },

  bulkDecision: {
    title: (label: string, number: number): Sentence => ['', `${label} ${plural(number, 'item', 'items')}`, '?'],
    happens: (number: number) =>
      `Countersign claims ${number === 1 ? 'it' : `all ${number}`} first. If any can't be claimed, nothing is decided. Each decision has its own undo window.`,
    reason: 'Reason',
    items: 'Items to decide',
    more: (number: number) => `and ${number} more`,
    ownReason: 'Other reason…',
    noReason: 'Choose or enter a reason.',
    refused: 'Nothing was claimed or decided',
    blockingItem: (preview: string) => `Blocked by: ${preview}`,
    taking: (number: number) => `Claiming ${plural(number, 'item', 'items')}…`,
    going: (done: number, all: number) => `${done} of ${all} decided`,
    stop: 'Stop',
    stopping: 'Stopping…',
    stopped: (done: number, back: number) => `Stopped. ${done} decided, ${back} released.`,
    done: (done: number) => `${plural(done, 'item', 'items')} decided`,
    failed: (number: number) => `${plural(number, 'item was', 'items were')} not decided`,
    skipped: (number: number) => `${plural(number, 'item was', 'items were')} skipped`,
    /** The parts of a result as one announcement. */
    result: (sentences: readonly string[]) => sentences.map((sentence) => sentence.replace(/\.$/, '')).join('. '),
    nothing: 'This is not possible for any of the selected items.',
    willSkip: (number: number) => `${plural(number, 'item', 'items')} will be skipped and stay selected`,
    stillClaimed: (number: number) =>
      `${plural(number, 'item stays', 'items stay')} claimed by you until ${number === 1 ? 'its claim expires' : 'their claims expire'}`,
    close: 'Close',
  },
} as const;
