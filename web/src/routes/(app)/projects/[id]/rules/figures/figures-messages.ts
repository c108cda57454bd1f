// Texts of the figures on the rules page: the histogram, the effect of saving, and counts of flags and reasons.
import { count, share } from '#lib/format/format.ts';

export const figuresMessages = {
  loading: 'Loading the figures of the last 30 days',
  failed: "Couldn't load the figures of the last 30 days",
  stale: 'These figures could not be refreshed',
  window: (days: string) => (days === '1' ? 'last day' : `last ${days} days`),
  newest: (n: string) => `newest ${n} items`,

  histogram: {
    answer: (automatic: string, people: string, refused: string | null) =>
      `${automatic} of items would be auto-approved, ${people} would be reviewed${refused === null ? '' : `, ${refused} would be rejected`}.`,
    empty: 'No items received in the last 30 days. Their confidence appears here.',
    unit: (n: string, window: string) => `items per ${BIN_WIDTH} of confidence · n ${n} received · ${window}`,
    plot: 'Items by confidence; use the arrow keys to read one bin at a time',
    read: (range: string, n: string, parts: string) => `${range}: ${n}${parts === '' ? '' : ` (${parts})`}`,
    items: (n: number) => (n === 1 ? '1 item' : `${count(n)} items`),
    outcomes: { automatic: 'auto-approved', reviewed: 'reviewed', escalated: 'escalated', refused: 'rejected' },
    part: (n: string, outcome: string) => `${n} ${outcome}`,
    columns: {
      from: 'confidence from',
      to: 'confidence to',
      n: 'items',
      automatic: 'auto-approved',
      reviewed: 'reviewed',
      escalated: 'escalated',
      refused: 'rejected',
    },
    file: 'confidence',
  },

  effect: {
    heading: 'If you save',
    /** For people who cannot save. */
    headingOfReaders: 'What these rules do',
    unchanged: 'No rule on this page has changed. These are the figures of the rules as saved.',
    columns: {
      now: (version: string) => `now v${version}`,
      then: (version: string) => `v${version}`,
      change: 'change',
    },
    rows: {
      automatic: 'auto-approved',
      people: 'sent to review',
      escalated: 'of them escalated',
      refused: 'rejected automatically',
      wrong: 'wrong approvals expected',
      audited: 'drawn for audit',
      hours: 'reviewer hours a day',
    },
    unknown: 'unknown',
    few: (hours: string) => `under ${hours}`,
    range: (range: string) => `${share(0.95, 1)}: ${range}`,
    unreviewed: (n: string) =>
      `${n} would be auto-approved with an unknown error rate, because items like these were never reviewed. Audits measure it.`,
    note: (n: string, window: string) =>
      `Counted on ${n} items of the ${window}, as if these rules had routed them. Items already received keep their route.`,
    stopped: 'Manual review is on, so every new item is reviewed. These figures apply once it is off.',
  },

  flags: {
    count: (n: number) => (n === 1 ? '1 item in the last 30 days' : `${count(n)} items in the last 30 days`),
    also: 'Also seen',
    add: ': escalate it too',
    more: (n: number) => `and ${count(n)} more`,
  },

  reasons: {
    counted: 'Counts: the last 30 days.',
    times: (n: number) => (n === 1 ? 'given once' : `given ${count(n)} times`),
    other: 'Other, in words',
  },
};

const BIN_WIDTH = '0.02';
