// Texts of a project's settings: the rules and the save bar.
import { count } from '#lib/format/format.ts';
import { stopMessages } from '#lib/stop/stop-messages.ts';
import type { ContentKind, OnDeadline } from '@countersign/shared/enums';
import { SETTINGS, type ProjectSettings, type Setting, type SettingWith } from '@countersign/shared/settings';
import type { Fault, FieldName } from './settings-draft.ts';

/** The bounds of a setting, for its fault: a range, a number of entries or characters. */
function boundsOf(field: FieldName): string {
  const setting: Setting = SETTINGS[field];
  if (setting.control === 'number') return `${setting.min} to ${setting.max}`;
  if (setting.control === 'choice' || setting.control === 'schema' || setting.control === 'subset') return '';
  return count('maxEntries' in setting ? setting.maxEntries : setting.maxLength);
}

/** Why an option of a setting cannot be left out. */
function whyAlways(field: FieldName): string {
  const setting: Setting = SETTINGS[field];
  return setting.control === 'subset' ? setting.whyAlways : '';
}

interface FieldTexts {
  label: string;
  /** Behind the field. */
  unit?: string;
  hint?: string;
}

/** Settings that one component shows: the others have a place of their own. */
export type InputName = SettingWith<{ section: 'project' | 'routing' | 'time' | 'audit' | 'content' }> &
  SettingWith<{ control: 'number' | 'text' | 'choice' }>;

/** The options of the choices. */
type Options = {
  [Name in SettingWith<{ control: 'choice' }>]: Record<ProjectSettings[Name], string>;
};

export const settingsMessages = {
  fields: {
    name: 'name',
    auto_threshold: 'auto-approve from',
    review_threshold: 'review from',
    below_review: 'below review',
    escalate_flags: 'escalate flags',
    skills: 'who is first',
    reasons: 'reasons',
    guidelines: 'guidelines',
    undo_window_seconds: 'undo window',
    claim_lease_seconds: 'claim duration',
    target_minutes: 'decision target',
    deadline_minutes: 'deadline',
    on_deadline: 'at the deadline',
    retention_payload_days: 'content retention',
    retention_attempt_days: 'attempt retention',
    retention_item_days: 'item retention',
    time_zone: 'time zone',
    audit_rate: 'audit rate',
    error_budget: 'error budget',
    over_budget: 'if over budget',
    media_hosts: 'media hosts',
    sensitive_flags: 'sensitive flags',
    sensitive_pictures: 'sensitive pictures',
    content_kinds: 'content kinds',
    answer_schema: 'answer schema',
    webhook_url: 'webhook URL',
    webhook_events: 'webhook events',
  } satisfies Record<FieldName, string>,

  /** The fields that the form shows without markup of their own, by section. */
  inputs: {
    name: { label: 'Name' },
    time_zone: { label: 'Time zone', hint: 'Used for daily figures.' },
    auto_threshold: { label: 'Auto-approve from' },
    review_threshold: { label: 'Review from' },
    below_review: { label: 'Below review threshold' },
    target_minutes: { label: 'Decision target', unit: 'minutes (shown in the age ring)' },
    deadline_minutes: {
      label: 'Deadline',
      unit: 'minutes (empty: none)',
      hint: 'Applies to items that are submitted without a deadline.',
    },
    on_deadline: {
      label: 'At the deadline',
      hint: 'Applies to items that are submitted without on_deadline. A deadline never approves an item.',
    },
    undo_window_seconds: { label: 'Undo window', unit: 'seconds before the webhook is sent' },
    claim_lease_seconds: { label: 'Claim duration', unit: 'seconds, then the claim expires' },
    audit_rate: {
      label: 'Audit rate',
      unit: 'of auto-approved items',
      hint: 'This share is also queued for blind review. Nothing already sent changes; it measures the error rate.',
    },
    error_budget: {
      label: 'Error budget',
      unit: 'of auto-approvals may be wrong',
      hint: 'Optional. 0.05 means at most 1 in 20; it takes 88 audits without an error to confirm that.',
    },
    over_budget: {
      label: 'If the budget is exceeded',
      hint: 'Raising moves “Auto-approve from” up to a level the audits support, or to 1 if they support none. It stays there until an owner changes it.',
    },
    sensitive_pictures: { label: 'Pictures of such items start', hint: 'Reviewers can change it for themselves.' },
  } satisfies Record<InputName, FieldTexts>,

  options: {
    below_review: { reject: 'Reject', queue: 'Queue', escalate: 'Escalate' },
    over_budget: { tell: 'Notify owners', raise: 'Notify and raise threshold' },
    on_deadline: { expire: 'Expire', escalate: 'Escalate', reject: 'Reject' },
    sensitive_pictures: { grey: 'In greyscale', blur: 'Blurred' },
  } satisfies Options,

  faults: {
    not_a_number: () => 'Enter a number.',
    out_of_range: (field) => `Must be ${boundsOf(field)}.`,
    not_whole: () => 'Must be a whole number.',
    above_auto: () => 'Must not be above “Auto-approve from”.',
    empty: () => 'Must not be empty.',
    no_zone: () => 'Enter a time zone, such as Europe/Berlin.',
    no_reason: () => 'Keep at least one reason. Edits and rejections need one.',
    too_many: (field) => `Maximum of ${boundsOf(field)}. Remove some.`,
    no_host: () => 'Enter host names such as images.example.com, without a port and no IP addresses.',
    left_out: (field) => whyAlways(field),
    no_json: () => 'Enter a JSON Schema: one JSON value.',
    no_pointer: () => 'Enter pointers such as /input/body or /suggestion.',
    twice: () => 'Keep one kind for each pointer.',
    same_skill: () => 'Keep one entry for each flag or value.',
    bad_skill: () => 'Each entry needs a flag or a value, people, and a time.',
    too_long: (field) => `Must not be longer than ${boundsOf(field)} characters.`,
    marked: () => 'Resolve the highlighted conflicts first.',
  } satisfies Record<Fault, (field: FieldName) => string>,

  saveBar: {
    label: 'Unsaved changes',
    changes: (count: number) => (count === 1 ? '1 change' : `${count} changes`),
    discard: 'Discard',
    save: (version: number) => `Save as v${version}`,
    edited: 'edited',
    removed: 'removed',
    newOrder: 'new order',
    none: 'none',
    forever: 'forever',
    units: { seconds: ' s', minutes: ' min', days: ' days' },
    failed: 'Not saved',
    invalid: (fields: string) => `Fix before saving: ${fields}`,
    merged: 'Someone else saved this project. Their changes are included; yours are still unsaved.',
    unanswered: (fields: string) => `Resolve first: ${fields}`,
    nothingLeft: 'Nothing left to save.',
    done: 'Done',
  },

  rules: {
    scale: 'Routing by confidence',
    tryLines: 'Try other thresholds',
    was: (value: string) => `was ${value}`,
    people: 'reviewed',
    automatic: 'auto-approved',
    belowOutcome: {
      reject: 'below: rejected',
      queue: 'below: reviewed',
      escalate: 'below: escalated',
    },
    hidden: 'Thresholds and confidence are hidden from reviewers because this project audits some auto-approvals.',
    /** RT7: in the words of the banner of a stopped project. */
    stopped: stopMessages.everything,
    normally: 'Normally:',
    belowSentence: {
      reject: 'is rejected',
      queue: 'is reviewed too',
      escalate: 'is escalated',
    },
    flags: 'Always escalate',
    flagsHint: 'Items with any of these flags are always escalated. Not case-sensitive.',
    flag: 'flag',
    time: 'Time',
    project: 'Project',
    newItemsOnly: 'Changes apply to new items only.',
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
    content: 'Content',
    mediaHosts: 'Media hosts',
    mediaHostsHint:
      'Pictures, sound, video and PDF at these https hosts are shown, fetched by this service. From others nothing loads.',
    host: 'host',
    sensitiveFlags: 'Sensitive flags',
    sensitiveFlagsHint: 'Pictures of items with any of these flags start blurred or in greyscale. Not case-sensitive.',
    kinds: 'Content kinds',
    kindsHint: 'How the values at these pointers are shown. All others are recognized automatically.',
    pointer: 'Pointer',
    kind: 'Kind',
    kindOf: (pointer: string) => `Kind of ${pointer}`,
    addPointer: 'New pointer, such as /input/body',
    removePointer: (pointer: string) => `Remove ${pointer}`,
    pointerAdded: (pointer: string) => `${pointer} added`,
    pointerRemoved: (pointer: string) => `${pointer} removed`,
    noKinds: 'No pointers yet.',
    kindNames: {
      text: 'Text',
      markdown: 'Markdown',
      code: 'Code',
      diff: 'Diff',
      json: 'JSON',
      table: 'Table',
      tree: 'Tree',
      chat: 'Conversation',
      tool_call: 'Tool call',
      cited: 'Cited answer',
      html: 'HTML',
      math: 'Math',
      image: 'Picture',
      audio: 'Sound',
      video: 'Video',
      pdf: 'PDF',
    } satisfies Record<ContentKind, string>,
  },

  /** What the deadline means for an item that brings none. */
  deadline: {
    none: 'Items that are submitted without a deadline wait until they are decided or withdrawn.',
    then: {
      expire: (after: string) => `An undecided item expires ${after} after it arrived; the pipeline is notified.`,
      escalate: (after: string) =>
        `An undecided item goes to supervisors ${after} after it arrived. They have the same time again, and then it expires.`,
      reject: (after: string) => `An undecided item is rejected ${after} after it arrived; the pipeline is notified.`,
    } satisfies Record<OnDeadline, (after: string) => string>,
  },

  leave: {
    byPage: {
      title: 'Leave with unsaved changes?',
      secretTitle: 'Leave without copying the secret?',
      anyway: 'Leave anyway',
    },
    bySignOut: {
      title: 'Sign out with unsaved changes?',
      secretTitle: 'Sign out without copying the secret?',
      anyway: 'Sign out anyway',
    },
    secretText: (tabs: string) =>
      `You will not be able to see the secret on ${tabs} again. Copy it first if you need it.`,
    formText: (tabs: readonly string[]) =>
      tabs.length === 1
        ? `The open form on ${tabs[0]} is not saved. Its input will be lost.`
        : `The open forms on ${tabs.join(' and ')} are not saved. Their input will be lost.`,
    text: 'Your changes to the settings stay in this browser tab until you save or discard them. Only you can see them.',
    stay: 'Stay',
    go: 'Leave (keep draft)',
  },
} as const;

/** An option of a choice, as text. */
export const optionText = (field: FieldName, value: string): string =>
  Object.entries(settingsMessages.options).find(([name]) => name === field)?.[1][value as never] ?? value;
