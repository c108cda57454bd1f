// Texts of the queue's filters, saved filters, bulk decisions and the list itself.
import { count, plural, queueCount } from '#lib/format/format.ts';
import type { Sentence } from '#lib/messages/sentence.ts';

const items = (number: number): string => `${queueCount(number)} ${number === 1 ? 'item' : 'items'}`;

export const filterMessages = {
  placeholder: 'Search items',
  search: 'Search items by their preview text',
  more: 'More filters',
  any: 'Any',
  fields: { flag: 'Risk flag', model: 'Model', source: 'Source' },
  confidence: 'Confidence',
  from: 'Confidence min',
  to: 'max',
  badConfidence: 'Enter a number from 0 to 1.',
  hiddenHere: "Confidence is hidden here until a decision is final, so you can't filter by it.",
  hiddenElsewhere: (names: readonly string[]) =>
    names.length > 2
      ? `Filtering by confidence excludes ${names.length} projects that hide it.`
      : `Filtering by confidence excludes ${names.join(' and ')}, where it's hidden.`,
  crossed: 'Minimum is higher than maximum.',
  option: (value: string, number: number) => `${value} (${count(number)})`,
  active: 'Active filters',
  remove: (words: string) => `Remove filter: ${words}`,
  clear: 'Clear filters',
  clearShort: 'Clear',
  shown: (lines: number, all: number) => `${count(lines)} of ${queueCount(all)}`,
  chip: {
    flag: (value: string) => `flag ${value}`,
    model: (value: string) => `model ${value}`,
    source: (value: string) => `source ${value}`,
    min_confidence: (value: number) => `confidence ≥ ${value}`,
    max_confidence: (value: number) => `confidence ≤ ${value}`,
    text: (value: string) => `“${value}”`,
  },
  empty: 'No items match',
  hides: (hidden: number, words: string) => `${items(hidden)} hidden by your filters (${words}).`,
  hidesNone: 'This view is empty even without filters.',
  lookedThrough: 'Only the first part of the queue was searched. There may be more matches further down.',

  saved: {
    heading: 'Saved',
    save: 'Save filter',
    saveHint: 'Saved in this browser under Views.',
    name: 'Name',
    taken: 'A saved filter already has this name. Choose another.',
    full: (most: number) => `You've reached ${most} saved filters. Delete one first.`,
    noName: 'Enter a name.',
    submit: 'Save',
    cancel: 'Cancel',
    edit: (name: string) => `Rename or delete ${name}`,
    title: 'Saved filter',
    remove: 'Delete',
    notPersisted: "This browser won't store it. You'll lose it when you close the tab.",
  },

  select: {
    start: 'Select',
    stop: 'Stop selecting',
    hint: 'Select items to decide together',
    line: (preview: string) => `Select ${preview}`,
    count: (number: number) => `${count(number)} selected`,
    none: 'None selected',
    label: 'Selected items',
    clear: 'Clear',
    tooMany: (most: number) => `You can decide up to ${most} items together. Deselect some.`,
    alreadyUp: 'Some are already escalated.',
    notFree: 'You can only select unclaimed items',
    otherProject: 'You can only select items from one project',
    left: (number: number) =>
      `${plural(number, 'selected item was', 'selected items were')} claimed or decided, and removed from your selection`,
  },
  bulkDecision: {
    title: (label: string, number: number): Sentence => ['', `${label} ${plural(number, 'item', 'items')}`, '?'],
    happens: (number: number) =>
      `Countersign claims ${number === 1 ? 'it' : `all ${number}`} first. If any can't be claimed, nothing is decided. Each decision has its own undo window.`,
    reason: 'Reason',
    choose: 'Choose a reason',
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
    nothing: 'This is not possible for any of the selected items.',
    willSkip: (number: number) => `${plural(number, 'item', 'items')} will be skipped and stay selected`,
    stillClaimed: (number: number) =>
      `${plural(number, 'item stays', 'items stay')} claimed by you until ${number === 1 ? 'its claim expires' : 'their claims expire'}`,
    close: 'Close',
  },

  list: {
    showMore: 'Show more',
    moreWait: (number: number) => `${queueCount(number)} more below`,
    moreThan: 'Many more below. Search to find one.',
    lastItem: (ago: string) => `Last item ${ago}.`,
    clear: 'New items will appear here.',
    notify: 'When items arrive',
    notifyTitle: 'Show count in tab title',
    notifySound: 'Play a sound',
    notifyBrowser: 'Browser notifications',
    firstSteps: 'Get started',
    newProject: (name: string) => `${name} has no items yet`,
    newProjectText: 'See how to send the first one.',
  },
} as const;
