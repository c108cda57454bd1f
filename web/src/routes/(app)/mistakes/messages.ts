// Texts of reported mistakes.
import { pastTextsOf, type ReviewerDecision } from '@countersign/shared/review-actions';

const did = (action: ReviewerDecision) => pastTextsOf(action).done;

export const mistakeMessages = {
  page: 'Reported mistakes',
  lead: 'Final decisions that someone thinks are wrong. Overturning counts the decision as a mistake and excludes its learning. What was already sent does not change, unless you revise the decision: that overturns it too.',
  state: 'Reports',
  states: { open: 'To answer', answered: 'Answered' },
  failed: 'The reports could not be loaded',
  stale: 'The reports could not be refreshed',
  none: { open: 'No mistakes to answer', answered: 'No answered reports yet' },
  noneText: {
    open: 'Reviewers report a mistake in their own decision after its undo window. You can report one in any final decision, once per item.',
    answered: 'Reports that you or another supervisor answered are listed here.',
  },
  more: 'Show more',
  emptied: 'Content deleted',
  /** Each followed by the time. */
  decided: (action: ReviewerDecision, name: string) => `${did(action)} by ${name}`,
  reported: (name: string) => `Reported by ${name}`,
  noNote: 'No note',
  overturn: 'Overturn',
  revise: 'Revise',
  reviseLabel: (preview: string) => `Revise the decision: ${preview}`,
  overturnLabel: (preview: string) => `Overturn the decision: ${preview}`,
  uphold: 'Uphold',
  upholdLabel: (preview: string) => `Uphold the decision: ${preview}`,
  own: 'Your own decision: another supervisor can uphold it.',
  answerFailed: 'Your answer was not saved',
  overturned: (name: string) => `Overturned by ${name}`,
  upheld: (name: string) => `Upheld by ${name}`,
  answered: { true: 'Decision overturned', false: 'Decision upheld' },
  waiting: (count: number, more: boolean) =>
    count === 1 ? '1 reported mistake' : `${count}${more ? '+' : ''} reported mistakes`,

  report: 'Report a mistake',
  reportText: 'A supervisor checks the decision. What was already sent does not change.',
  note: 'What is wrong? (optional)',
  send: 'Send report',
  close: 'Close',
  reportFailed: 'The report was not saved',
  sent: 'Mistake reported',
  open: (name: string) => `Mistake reported by ${name}; a supervisor will check the decision.`,
  /** Under a decision that revised the one that was reported. */
  earlier: 'This report is about an earlier decision, which was revised since.',
  changeNote: 'Edit note',
} as const;
