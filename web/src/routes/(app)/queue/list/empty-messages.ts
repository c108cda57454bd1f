// Texts of an empty list.
import { queueCount } from '#lib/format/format.ts';
import type { QueueView } from '@countersign/shared/enums';

const items = (number: number): string => `${queueCount(number)} ${number === 1 ? 'item' : 'items'}`;

export const emptyMessages = {
  byFilter: {
    empty: 'No items match',
    hides: (hidden: number, words: string) => `${items(hidden)} hidden by your filters (${words}).`,
    hidesNone: 'This view is empty even without filters.',
  },

  views: {
    available: ['All clear', 'New items will appear here.'],
    mine: ['Nothing claimed', 'Items you claim stay here until you decide them.'],
    escalated: ['No escalations', 'Flagged items and items reviewers escalate show up here.'],
    all: ['Queue is empty', 'Items that need review will appear here.'],
  } satisfies Record<QueueView, readonly [string, string]>,

  ofProject: {
    title: (project: string) => `No items from ${project}`,
    text: 'Check your other projects.',
    unknown: 'No access to this project',
    unknownText: 'You may have left it, or the link is incomplete.',
    clear: 'Show all projects',
  },

  arrivals: {
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
