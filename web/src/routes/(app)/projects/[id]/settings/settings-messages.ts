// Every string of a project's settings: the rules, the bar that saves, and two owners at once.
import { count } from '#lib/format/format.ts';
import type { OverBudget } from '@countersign/shared/enums';
import { GUIDELINES_LENGTH, MOST, NUMBERS, type Fault, type FieldName } from './settings-form.ts';

function limits(field: FieldName): string {
  const range = field in NUMBERS ? NUMBERS[field as keyof typeof NUMBERS] : null; // `in` has just checked it
  return range === null ? '' : `${range.min} to ${range.max}`;
}

export const settingsMessages = {
  fields: {
    name: 'name',
    auto_threshold: 'automatic from',
    review_threshold: 'review from',
    below_review: 'below review',
    escalate_flags: 'escalate flags',
    reasons: 'reasons',
    guidelines: 'guidelines',
    undo_window_seconds: 'undo window',
    claim_lease_seconds: 'claim',
    target_minutes: 'target',
    retention_payload_days: 'content kept',
    retention_attempt_days: 'attempts kept',
    retention_item_days: 'items kept',
    time_zone: 'time zone',
    audit_rate: 'audit rate',
    error_budget: 'error budget',
    over_budget: 'over budget',
    webhook_url: 'webhook URL',
  } satisfies Record<FieldName, string>,

  faults: {
    not_a_number: () => 'Type a number.',
    out_of_range: (field) => `Must be ${limits(field)}.`,
    not_whole: () => 'Must be a whole number.',
    above_auto: () => 'Must not be above “Automatic from”.',
    empty: () => 'Must not be empty.',
    no_zone: () => 'Type the name of a zone, such as Europe/Berlin.',
    no_reason: () => 'Keep at least one reason: rejecting and editing need one.',
    too_many: (field) => `Keep at most ${MOST[field as keyof typeof MOST]}: take some out.`,
    too_long: () => `Must not be longer than ${count(GUIDELINES_LENGTH)} characters.`,
    marked: () => 'Both of you changed some lines. Settle the marked places first.',
  } satisfies Record<Fault, (field: FieldName) => string>,

  saveBar: {
    label: 'Unsaved changes',
    changes: (count: number) => (count === 1 ? '1 change' : `${count} changes`),
    discard: 'Discard',
    save: (version: number) => `Save as v${version}`,
    edited: 'edited',
    newOrder: 'new order',
    none: 'none',
    failed: 'Not saved',
    invalid: (fields: string) => `Needs another value before it can be saved: ${fields}`,
    merged: 'The project was saved while you typed. Those changes are in; yours are kept and not saved yet.',
    unanswered: (fields: string) => `Choose first what is saved of: ${fields}`,
    nothingLeft: 'Nothing of yours is left to save.',
    done: 'Done',
  },

  rules: {
    scale: 'Who decides, by confidence',
    review: 'Review from',
    auto: 'Automatic from',
    tryLines: 'See what other lines would do',
    below: 'Below review',
    was: (value: string) => `was ${value}`,
    people: 'people',
    automatic: 'automatic',
    belowOptions: { reject: 'Reject', queue: 'Queue', escalate: 'Escalate' },
    belowOutcome: {
      reject: 'below review: rejected',
      queue: 'below review: people',
      escalate: 'below review: escalated',
    },
    hidden:
      'Thresholds are hidden from reviewers here, as confidence is: this project double-checks some automatic approvals.',
    belowSentence: {
      reject: 'it is rejected at once',
      queue: 'it goes to people too',
      escalate: 'it is escalated',
    },
    flags: 'Always escalate',
    flagsHint:
      'An item with one of these flags goes to a supervisor, whatever its confidence. Upper and lower case count the same.',
    flag: 'flag',
    time: 'Time',
    target: 'Target for a decision',
    targetUnit: 'min, colours ages',
    undo: 'Undo window',
    undoUnit: 's, the webhook waits',
    claim: 'A claim lasts',
    claimUnit: 's, then it is free again',
    project: 'Project',
    name: 'Name',
    zone: 'Time zone',
    zoneHint: 'The days of analytics are days there.',
    kept: 'Items that are already in keep the rules they came under.',
    reasons: 'Reasons',
    reasonsHint: 'Why people edit or reject. The order gives the digit keys.',
    reason: 'reason',
    addReason: 'Add a reason',
    add: 'Add',
    up: (reason: string) => `Move “${reason}” up`,
    down: (reason: string) => `Move “${reason}” down`,
    remove: (reason: string) => `Remove “${reason}”`,
    removed: (reason: string) => `“${reason}” is removed.`,
    known: (reason: string, at: number) => `“${reason}” is reason ${at} already.`,
    full: (most: number) => `${most} reasons are as many as there can be.`,
    moved: (reason: string, at: number) => `“${reason}” is reason ${at} now.`,
    noDigit: 'no key',
    noDigitHint: 'Only the first nine have a digit key.',
    audit: 'Look again at automatic answers',
    auditRate: 'Audit rate',
    auditUnit: 'of what passes by itself',
    errorBudget: 'Error budget',
    errorBudgetUnit: 'may be wrong',
    errorBudgetHint:
      'Empty: none. 0.05 means that at most one automatic answer in twenty may be wrong; 88 audits without an error prove that.',
    overBudget: 'When audits say it may be more',
    overBudgetOptions: { tell: 'Tell owners', raise: 'Tell, and raise the line' } satisfies Record<OverBudget, string>,
    overBudgetHint:
      'Raised, “Automatic from” moves up to where the audits prove the budget, or to 1 where they prove none; it stays there until an owner moves it.',
    auditHint:
      'So many of them wait for people too, looking like any other item. What was sent stays; the verdicts say how often it was wrong.',
  },

  threeWay: {
    title: (count: number) =>
      count === 1
        ? 'You both changed one setting. Choose what is saved.'
        : `You both changed ${count} settings. Choose what is saved of each.`,
    safe: (version: number) => `v${version} stands. Nothing you typed is lost, and nothing of yours is saved yet.`,
    rest: (fields: string) => `Taken in by itself, because you had not touched it: ${fields}.`,
    left: (count: number) => (count === 0 ? 'All are answered.' : count === 1 ? '1 to answer' : `${count} to answer`),
    was: 'Was',
    theirs: 'They saved',
    mine: 'Yours',
    whatOf: (field: string) => `What is saved of ${field}`,
    pick: { theirs: 'Take theirs', mine: 'Keep mine', both: 'Take both' },
    result: 'What is saved',
    bothText: 'Both, put together',
    bothHint: 'Edit it as you like; this is what is saved.',
    settle: (place: number, places: number) => `Place ${place} of ${places} changed by both`,
    settlePick: { theirs: 'Theirs', mine: 'Mine', both: 'Both lines' },
    hide: 'Hide',
    show: 'Show',
  },

  leave: {
    title: 'Leave with unsaved changes?',
    secretTitle: 'Leave before the secret is put away?',
    secretText: (tabs: string) =>
      `It is shown this once, on ${tabs}, and cannot be shown again. Copy it first if you need it.`,
    leaveAnyway: 'Leave all the same',
    text: 'What you typed is kept in this tab until you save or discard it. Nobody else sees it.',
    stay: 'Stay',
    go: 'Leave, keep them here',
  },
} as const;
