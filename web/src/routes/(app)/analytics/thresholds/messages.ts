// Texts of the threshold analysis.
import { count, share } from '#lib/format/format.ts';

const LEVEL = share(0.95, 1);

export const messages = {
  title: 'Thresholds',
  loading: 'Loading the threshold analysis',
  failed: "Couldn't load the threshold analysis",
  stale: "Couldn't refresh the threshold analysis",
  window: (days: string) => `items from the last ${days === '1' ? 'day' : `${days} days`}`,
  newest: (n: string) => `newest ${n} items`,

  reliability: {
    question: 'Is confidence accurate?',
    bins: 'Bins',
    kinds: { uniform: 'Equal width', quantile: 'Equal count' },
    answer: (error: string, n: string) => `Off by ${error} on average, over ${n} decisions.`,
    audits: (error: string, n: string) => `Audits alone: off by ${error}, over ${n}.`,
    empty: 'No decisions in the last 30 days.',
    unit: (n: string, audits: string) =>
      `approved unchanged, Wilson ${LEVEL} interval · n ${n} reviewed, ${audits} audited · expected calibration error (ECE)`,
    plot: 'Share approved unchanged, by confidence; use the arrow keys to read one bin at a time',
    read: (bin: Record<'range' | 'kind' | 'rate' | 'low' | 'high' | 'n', string>) =>
      `${bin.range} · ${bin.kind} · ${bin.rate} approved (${LEVEL}: ${bin.low} to ${bin.high}) · ${bin.n}`,
    one: (value: string) => `at ${value}`,
    queued: 'reviewed',
    audited: 'audited',
    ideal: 'perfectly calibrated',
    onlyAudits: 'auto-approved: audits only',
    few: (n: string) => `n ${n} < 30`,
    n: (n: string) => `n ${n}`,
    columns: {
      from: 'confidence from',
      to: 'confidence to',
      kind: 'source',
      n: 'n',
      unchanged: 'approved',
      rate: 'share approved',
      low: `${LEVEL} from`,
      high: `${LEVEL} to`,
      mean: 'mean confidence',
    },
    file: 'reliability',
  },

  whatIf: {
    question: 'What would other thresholds change?',
    review: 'Review from',
    auto: 'Auto-approve from',
    was: (value: string) => `now ${value}`,
    fault: 'Must be between 0 and 1, and not below “Review from”.',
    flags: 'Always escalate',
    flag: (n: string) => `${n} received`,
    moreFlags: (n: string) => `${n} less common flags are not shown`,
    noFlags: 'No item has a flag.',
    reset: 'Reset',
    unit: (n: string, decided: string, median: string) =>
      `n ${n} received, ${decided} reviewed${median} · bands: ${LEVEL} prediction interval`,
    median: (seconds: string, n: string) => ` · median ${seconds} per decision (n ${n})`,
    empty: 'No items received in the last 30 days.',
    fewer: (n: string) => `${n} fewer reviews than now`,
    more: (n: string) => `${n} more reviews than now`,
    same: 'As many reviews as now',
    wrongThen: (wrong: string, now: string) => `${wrong} wrong approvals expected (now ${now}).`,
    wrongUnknown: 'wrong approvals cannot be compared.',
    people: 'sent to review',
    wrong: 'wrong approvals expected',
    plot: 'Auto-approve from; arrow keys move it',
    unreviewed: 'never reviewed',
    now: (value: string) => `now, ${value}`,
    columns: {
      auto: 'auto-approve from',
      people: 'sent to review',
      share: 'share sent to review',
      automatic: 'auto-approved',
      wrong: 'wrong expected',
      low: `${LEVEL} from`,
      high: `${LEVEL} to`,
      unreviewed: 'auto-approved, kind never reviewed',
    },
    file: 'what if',
    apply: 'Apply to project…',
    owners: 'Only owners can apply this.',
    archived: 'This project is archived. Restore it to change its rules.',
    applied: (version: number) => `Applied as settings version ${count(version)}.`,
  },

  applying: {
    title: (project: string) => `Change the rules of ${project}?`,
    text: 'Applies to new items only. Recorded in the change log.',
    fields: {
      auto_threshold: 'auto-approve from',
      review_threshold: 'review from',
      escalate_flags: 'always escalated',
    },
    confirmLabel: (version: number) => `Save as v${version}`,
    failed: "Couldn't change the rules",
  },

  said: {
    at: 'At',
    of: (n: string) => `(${n}) would need review`,
    refused: (share: string) => `${share} would be rejected automatically`,
    expected: (level = LEVEL) => `wrong approvals expected (${level} interval)`,
    nothing: 'nothing would be auto-approved',
    hours: 'reviewer hours a day',
    few: (hours: string) => `under ${hours}`,
    noPace: 'reviewer hours are not known yet',
    unknown: 'the number of wrong approvals is unknown',
    unreviewed: (n: string) =>
      `${n} more would be auto-approved with an unknown error rate, because items like these were never reviewed. Audits measure it.`,
  },
};
