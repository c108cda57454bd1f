// Texts of an open item, grouped by place, with those of the queue page.
import { plural } from '../format/format.ts';
import { queueMessages } from './queue-messages.ts';
import type { RoutingRule } from '@countersign/shared/enums';
import { ACTIONS, pastTextsOf, type ReviewAction } from '@countersign/shared/review-actions';

export const itemMessages = {
  ...queueMessages,

  /** A time within a sentence, as in "rejected at 09:45" and "rejected on 24 Nov, 09:45". */
  moment: {
    today: (time: string) => `at ${time}`,
    earlier: (time: string) => `on ${time}`,
  },

  item: {
    ...queueMessages.item,
    content: 'Input and suggestion',
    failed: "Couldn't load the item",
    missing: 'Item not found',
    missingText:
      'You may have lost access to its project, or it was deleted under the retention policy. If you had claimed it, your claim was released.',
    redactedHeading: 'Content deleted',
    redacted: (day: string) => `Content deleted on ${day} under the project's retention policy.`,
    redactedStays: 'IDs, times, the reviewer and the history remain.',
    retention: 'Data retention',
    input: 'Input',
    suggestion: 'Suggestion',
    noFlags: 'No risk flags',
    arrived: (at: string, due: string) => `Arrived ${at} · due ${due}`,
    copyId: 'Copy item ID',
    yoursFor: (left: string) => `Yours for ${left}`,
    endsIn: (left: string) => `expires in ${left}`,
    ended: (moment: string) => `Your claim ended ${moment}`,
    heldBy: (name: string) => `Claimed by ${name}`,
    free: 'Unclaimed',
    extend: 'Extend',
    why: "Why it's in review",
    confidence: 'Confidence',
    reviewFrom: 'Review from',
    autoFrom: 'Auto-approve from',
    rule: 'Rule, settings',
    rules: {
      RT1: 'Escalation flag',
      RT2: 'At or above the auto-approve threshold',
      RT3: 'At or above the review threshold',
      RT4: 'Below the review threshold',
      RT7: 'Manual review was on for the project',
      RT8: 'The suggestion does not satisfy its schema',
    } satisfies Record<RoutingRule, string>,
    flags: 'Matching flags',
    settings: (version: number) => `v${version}`,
    guidelines: 'Guidelines',
    noGuidelines: 'This project has no guidelines yet.',
    history: 'History',
    details: "Why it's in review, guidelines, history",
    metadata: 'Metadata',
  },

  history: {
    queued: 'Arrived, queued',
    escalatedAtOnce: 'Arrived, escalated',
    undone: (by: string) => `${by} undid the decision`,
    claimed: (by: string) => `${by} claimed it`,
    takenOver: (by: string, from: string) => `${by} took it over from ${from}`,
    released: (by: string) => `${by} released it`,
    expired: (by: string) => `${by}'s claim expired`,
    autoApproved: 'Auto-approved',
    action: (by: string, action: ReviewAction) => `${by} ${pastTextsOf(action).history}`,
    refused: 'Rejected automatically',
    finalized: 'Decision final',
    withdrawn: (by: string) => `${by} withdrew it`,
    revised: (by: string, was: string, now: string) => `${by} revised it from ${was} to ${now}`,
    deadline: {
      expired: 'The deadline passed without a decision',
      rejected: 'The deadline passed, so it was rejected',
      escalated: 'The deadline passed, so supervisors have it',
      again: 'The deadline passed; supervisors keep it for the same time again',
      extended: (by: string, at: string) => `${by} extended the deadline to ${at}`,
    },
    delivery: 'Webhook delivery',
    you: 'You',
  },

  actions: {
    label: 'Actions',
    skip: 'Skip',
    claim: 'Claim',
    claimAgain: 'Reclaim',
    takeOver: 'Take over',
    reopen: 'Reopen',
    next: 'Claim next',
    leave: 'Next item',
    copyDraft: 'Copy',
    nextItem: 'Next item',
    undo: 'Undo',
    submit: 'Submit edit',
    keepDraft: 'Save draft',
    reset: 'Reset',
    back: 'Back',
    close: 'Back to the list',
  },

  reasons: {
    then: 'then',
    why: 'Why',
    whyNow: 'Why?',
    rejectAs: 'Reject as',
    filter: 'Filter reasons',
    filterHint: 'Type to filter',
    found: (count: number) => plural(count, 'reason', 'reasons'),
    more: (count: number) => `+${count} more`,
    reasonPrompt: (action: ReviewAction) => `Why ${ACTIONS[action].label.toLowerCase()}?`,
    own: 'Other reason…',
    ownLabel: 'Your reason',
    send: 'Send',
    cancel: 'Cancel',
  },

  edit: {
    yours: 'Your answer',
    json: 'JSON',
    savedAt: (at: string) => `Draft saved ${at}`,
    notPersisted: 'Draft only in this tab (browser storage is blocked)',
    changes: 'Changes',
    changedLines: (changed: number, all: number) => `${changed} of ${plural(all, 'line', 'lines')}`,
    none: 'no changes',
    note: 'Note',
    noteHint: 'optional',
    unchanged: 'No changes yet. Edit it, or approve it as is.',
    unchangedOnly: 'No changes yet. Edit it first.',
    empty: 'Write an answer first.',
    noReason: "Pick a reason to submit. It's what your pipeline learns from.",
    badJson: (detail: string) => `Invalid JSON. ${detail}`,
    there: (at: string) => `You have a draft from ${at}. Choose Edit to continue it.`,
    waiting: (at: string) => `You have a draft from ${at}. Claim the item to continue it.`,
  },

  claimStatus: {
    held: (name: string) => `${name} is reviewing this. Read-only unless they release it.`,
    free: 'Read-only. Claim it to decide.',
    barred: 'Escalated. Only supervisors and owners can decide it.',
    ended: 'Your claim expired. The item is unclaimed, and your draft is saved.',
    endedQuiet: 'Your claim expired. The item is unclaimed.',
    passedOn: (draft: boolean, barred: boolean) =>
      `The deadline passed, so ${barred ? 'supervisors have this item now' : 'this item is escalated and your claim ended'}.${draft ? ' Your draft is saved.' : ''}`,
  },

  left: {
    copy: 'Copy draft',
    save: 'Download draft',
  },

  conflict: {
    first: (who: string, did: string, moment: string) => `${who} already decided this: ${did} ${moment}`,
    done: (who: string, did: string, moment: string) => `${who} decided this: ${did} ${moment}`,
    revised: (who: string, did: string, moment: string) => `${who} revised this decision: ${did} ${moment}`,
    before: (earlier: number) => (earlier === 1 ? 'Before the revision' : 'Before the revisions'),
    earlierStill: 'The history has the decisions before these.',
    sentBefore: 'Sent to the pipeline before',
    byYou: (did: string, moment: string) => `You decided this: ${did} ${moment}`,
    byRules: (did: string) => `Decided automatically: ${did}`,
    draftSafe: 'You no longer had the claim. Your draft is saved.',
    nothingLost: 'Nothing more to do.',
    stands: 'Current decision',
    /** Where nobody decided. */
    outcome: 'Outcome',
    reason: 'Reason',
    note: 'Note',
    sent: 'Sent to the pipeline',
    nothingSent: 'Nothing. The suggestion is not shipped.',
    audited:
      'Audit: this was auto-approved and stays approved. The verdict counts towards the error rate of auto-approvals.',
    verdict: 'Verdict',
    draft: 'Your draft',
    savedAt: (at: string) => `saved ${at}, not sent`,
    undo: (who: string, left: number) => `${who} can undo for another ${left} s. Then the decision is final.`,
    final: 'The decision is final.',
    /** Without a decision. */
    ended: {
      withdrawn: {
        headline: () => 'The pipeline withdrew this item. No answer is needed.',
        draft: 'Your draft is saved. You can copy it below.',
        final: 'Withdrawn for good.',
      },
      expired: {
        headline: (rejected: boolean) =>
          rejected
            ? 'The deadline passed without a decision, so this item was rejected'
            : 'The deadline of this item passed without a decision',
        draft: 'Your draft is saved, but was not sent. You can copy it below.',
        final: 'No decision is needed.',
      },
    },
  },
} as const;
