// Every string of filtering the queue, of saved filters, of deciding several together, and of what the list says of itself.
import { count } from '#lib/format/format.ts';
import { plural } from '#lib/messages/item-messages.ts';
import type { Sentence } from '#lib/messages/sentence.ts';
import { COUNT_LIMIT } from '@countersign/shared/api/queue';

/** A count of the queue: beyond what the server counts it says that there are more. */
export const queueCount = (value: number): string => (Number.isFinite(value) ? count(value) : `${count(COUNT_LIMIT)}+`);

const items = (number: number): string => `${queueCount(number)} ${number === 1 ? 'item' : 'items'}`;

export const filterMessages = {
  placeholder: 'Filter by what it says',
  search: 'Filter the list by the words of the preview',
  more: 'More filters',
  any: 'Any',
  fields: { flag: 'Risk flag', model: 'Model', source: 'Source' },
  confidence: 'Confidence',
  from: 'Confidence ≥',
  to: '≤',
  badConfidence: 'A number from 0 to 1.',
  hiddenHere: 'Confidence is hidden here until a decision is final, so you cannot filter by it.',
  hiddenElsewhere: (names: readonly string[]) =>
    names.length > 2
      ? `Filtering by confidence leaves out ${names.length} projects that hide it.`
      : `Filtering by confidence leaves out ${names.join(' and ')}, where it is hidden.`,
  crossed: 'The first is above the second: nothing answers that.',
  option: (value: string, number: number) => `${value} (${count(number)})`,
  active: 'Active filters',
  remove: (words: string) => `Remove the filter ${words}`,
  clear: 'Clear the filter',
  clearShort: 'Clear',
  shown: (lines: number, all: number) => `${count(lines)} of ${queueCount(all)}`,
  chip: {
    flag: (value: string) => `flag ${value}`,
    model: (value: string) => `model ${value}`,
    source: (value: string) => `source ${value}`,
    min_confidence: (value: number) => `confidence from ${value}`,
    max_confidence: (value: number) => `confidence to ${value}`,
    text: (value: string) => `“${value}”`,
  },
  empty: 'Nothing answers the filter',
  hides: (hidden: number, words: string) =>
    `The filter (${words}) hides ${items(hidden)} that ${hidden === 1 ? 'waits' : 'wait'}.`,
  hidesNone: 'Nothing waits here without it either.',
  lookedThrough: 'What is due first was looked through. More may answer the filter further on.',

  saved: {
    heading: 'Saved',
    save: 'Save this filter',
    saveHint: 'Kept in this browser, under Views.',
    name: 'Name',
    taken: 'You have a saved filter of that name. Choose another name.',
    full: (most: number) => `${most} filters are saved already. Delete one first.`,
    noName: 'Give it a name.',
    submit: 'Save',
    cancel: 'Cancel',
    edit: (name: string) => `Rename or delete ${name}`,
    title: 'Saved filter',
    remove: 'Delete',
    notPersisted: 'This browser does not keep it: it is gone when the tab is closed.',
  },

  select: {
    start: 'Select',
    stop: 'Stop selecting',
    hint: 'Decide several items together',
    line: (preview: string) => `Select ${preview}`,
    count: (number: number) => `${count(number)} selected`,
    none: 'None selected',
    label: 'The selected items',
    clear: 'Clear',
    approve: 'Approve',
    reject: 'Reject',
    escalate: 'Escalate',
    tooMany: (most: number) => `At most ${most} can be decided together. Take some out of the selection.`,
    alreadyUp: 'Some of them are escalated already.',
    notFree: 'Only items that nobody holds can be selected',
    otherProject: 'Only items of one project can be decided together',
    left: (number: number) =>
      `${plural(number, 'selected item was', 'selected items were')} taken or decided, and left the selection`,
  },
  bulkDecision: {
    title: {
      approve: (number: number): Sentence => ['', `Approve ${plural(number, 'item', 'items')}`, '?'],
      reject: (number: number): Sentence => ['', `Reject ${plural(number, 'item', 'items')}`, '?'],
      escalate: (number: number): Sentence => ['', `Escalate ${plural(number, 'item', 'items')}`, '?'],
    },
    happens: (number: number) =>
      `You take ${number === 1 ? 'it' : `all ${number}`} first; if one cannot be taken, none is and nothing is decided. Then each is decided for itself, and can be undone in its own time.`,
    reason: 'Reason',
    choose: 'Choose a reason',
    ownReason: 'In your own words',
    noReason: 'Choose or write a reason.',
    action: { approve: 'Approve', reject: 'Reject', escalate: 'Escalate' },
    refused: 'None was taken and nothing was decided',
    blockingItem: (preview: string) => `In the way: ${preview}`,
    taking: (number: number) => `Taking ${plural(number, 'item', 'items')}`,
    going: (done: number, all: number) => `${done} of ${all} decided`,
    stop: 'Stop',
    stopping: 'Stopping',
    stopped: (done: number, back: number) => `Stopped: ${done} decided, ${back} given back to the queue`,
    done: (done: number) => `${plural(done, 'item', 'items')} decided`,
    failed: (number: number) => `${plural(number, 'item was', 'items were')} not decided`,
    stillClaimed: (number: number) => `${plural(number, 'item is', 'items are')} still yours until the lease ends`,
    close: 'Close',
  },

  list: {
    showMore: 'Show more',
    moreWait: (number: number) => `${queueCount(number)} more wait, due later.`,
    moreThan: 'More wait, due later. Filter to find one of them.',
    lastItem: (ago: string) => `Last item ${ago}.`,
    clear: 'Keep this open: items that need a person appear here by themselves.',
    notify: 'When items arrive',
    notifyTitle: 'Count in the tab title',
    notifySound: 'A short sound',
    firstSteps: 'First steps',
    newProject: (name: string) => `${name} has not had an item yet`,
    newProjectText: 'The first steps of the project show how to send one.',
  },
  tab: (page: string, number: number) => (number > 0 ? `(${queueCount(number)}) ${page}` : page),
} as const;
