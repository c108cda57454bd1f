// Texts of a project's settings: the rules, the save bar, and conflicts of two owners.
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
    claim_lease_seconds: 'claim duration',
    target_minutes: 'decision target',
    retention_payload_days: 'content retention',
    retention_attempt_days: 'attempt retention',
    retention_item_days: 'item retention',
    time_zone: 'time zone',
    audit_rate: 'audit rate',
    error_budget: 'error budget',
    over_budget: 'if over budget',
    webhook_url: 'webhook URL',
  } satisfies Record<FieldName, string>,

  faults: {
    not_a_number: () => 'Enter a number.',
    out_of_range: (field) => `Must be ${limits(field)}.`,
    not_whole: () => 'Must be a whole number.',
    above_auto: () => 'Must not be above “Automatic from”.',
    empty: () => 'Must not be empty.',
    no_zone: () => 'Enter a time zone, such as Europe/Berlin.',
    no_reason: () => 'Keep at least one reason. Edits and rejections need one.',
    too_many: (field) => `Maximum of ${MOST[field as keyof typeof MOST]}. Remove some.`,
    too_long: () => `Must not be longer than ${count(GUIDELINES_LENGTH)} characters.`,
    marked: () => 'Resolve the highlighted conflicts first.',
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
    invalid: (fields: string) => `Fix before saving: ${fields}`,
    merged: 'Someone else saved this project. Their changes are included; yours are still unsaved.',
    unanswered: (fields: string) => `Resolve first: ${fields}`,
    nothingLeft: 'Nothing left to save.',
    done: 'Done',
  },

  rules: {
    scale: 'Routing by confidence',
    review: 'Review from',
    auto: 'Automatic from',
    tryLines: 'Try other thresholds',
    below: 'Below review threshold',
    was: (value: string) => `was ${value}`,
    people: 'reviewed',
    automatic: 'auto-approved',
    belowOptions: { reject: 'Reject', queue: 'Queue', escalate: 'Escalate' },
    belowOutcome: {
      reject: 'below: rejected',
      queue: 'below: reviewed',
      escalate: 'below: escalated',
    },
    hidden: 'Thresholds and confidence are hidden from reviewers because this project audits some auto-approvals.',
    belowSentence: {
      reject: 'is rejected',
      queue: 'is reviewed too',
      escalate: 'is escalated',
    },
    flags: 'Always escalate',
    flagsHint: 'Items with any of these flags are always escalated. Not case-sensitive.',
    flag: 'flag',
    time: 'Time',
    target: 'Decision target',
    targetUnit: 'minutes (shown in the age ring)',
    undo: 'Undo window',
    undoUnit: 'seconds before the webhook is sent',
    claim: 'Claim duration',
    claimUnit: 'seconds, then the claim expires',
    project: 'Project',
    name: 'Name',
    zone: 'Time zone',
    zoneHint: 'Used for daily figures.',
    kept: 'Changes apply to new items only.',
    reasons: 'Reasons',
    reasonsHint: 'Reasons for edits and rejections. Order sets the number keys.',
    reason: 'reason',
    addReason: 'New reason',
    add: 'Add',
    up: (reason: string) => `Move “${reason}” up`,
    down: (reason: string) => `Move “${reason}” down`,
    remove: (reason: string) => `Remove “${reason}”`,
    removed: (reason: string) => `Removed “${reason}”.`,
    known: (reason: string, at: number) => `“${reason}” is already listed (${at}).`,
    full: (most: number) => `Maximum of ${most} reasons.`,
    moved: (reason: string, at: number) => `“${reason}” moved to ${at}.`,
    noDigit: 'no key',
    noDigitHint: 'Only the first nine reasons have a number key.',
    audit: 'Audit auto-approvals',
    auditRate: 'Audit rate',
    auditUnit: 'of auto-approved items',
    errorBudget: 'Error budget',
    errorBudgetUnit: 'of auto-approvals may be wrong',
    errorBudgetHint: 'Optional. 0.05 means at most 1 in 20; it takes 88 audits without an error to confirm that.',
    overBudget: 'If the budget is exceeded',
    overBudgetOptions: { tell: 'Notify owners', raise: 'Notify and raise threshold' } satisfies Record<
      OverBudget,
      string
    >,
    overBudgetHint:
      'Raising moves “Automatic from” up to a level the audits support, or to 1 if they support none. It stays there until an owner changes it.',
    auditHint: 'This share is also queued for blind review. Nothing already sent changes; it measures the error rate.',
  },

  threeWay: {
    title: (count: number) =>
      count === 1
        ? 'You both changed one setting. Choose which to keep.'
        : `You both changed ${count} settings. Choose which to keep for each.`,
    safe: (version: number) => `v${version} is saved. Your changes are not lost, but not saved yet.`,
    rest: (fields: string) => `Merged automatically: ${fields}.`,
    left: (count: number) =>
      count === 0 ? 'All resolved' : count === 1 ? '1 conflict left' : `${count} conflicts left`,
    was: 'Was',
    theirs: 'They saved',
    mine: 'Yours',
    whatOf: (field: string) => `Value for ${field}`,
    pick: { theirs: 'Take theirs', mine: 'Keep mine', both: 'Take both' },
    result: 'Value to save',
    bothText: 'Both, combined',
    bothHint: 'Edit it if you like. This is what gets saved.',
    settle: (place: number, places: number) => `Conflict ${place} of ${places}`,
    settlePick: { theirs: 'Theirs', mine: 'Mine', both: 'Both lines' },
    hide: 'Hide',
    show: 'Show',
  },

  leave: {
    title: 'Leave with unsaved changes?',
    secretTitle: 'Leave without copying the secret?',
    secretText: (tabs: string) =>
      `You will not be able to see the secret on ${tabs} again. Copy it first if you need it.`,
    leaveAnyway: 'Leave anyway',
    text: 'Your draft stays in this browser tab until you save or discard it. Only you can see it.',
    stay: 'Stay',
    go: 'Leave (keep draft)',
  },
} as const;
