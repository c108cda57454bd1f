// The form of one notification: as typed, what is wrong with it, and what it makes of the list.
import type { NotificationKind } from '@countersign/shared/enums';
import { targetKey } from '@countersign/shared/formats/target-key';
import { NOTIFICATION_LIMITS } from '@countersign/shared/limits';
import type { Notification, NotificationRule } from '@countersign/shared/schemas/parts/notifications';
import { isSame, mergeFields } from '../settings/merge-fields.ts';
import { notificationsMessages } from './notifications-messages.ts';

export type RuleName = NotificationRule['rule'];

export const RULE_NAMES = Object.keys(notificationsMessages.rules) as RuleName[];

/** A share 0..1 as whole percent. */
const percentOf = (share: number): number => Math.round(share * 100);

const { waitMinutes, waitingItems, deadlineShare } = NOTIFICATION_LIMITS;
/** The rules that have a limit, with its bounds as they are typed, and what a new one begins with. */
const LIMITS = {
  waiting_longer_than: { ...waitMinutes, initial: 30 },
  queue_deeper_than: { ...waitingItems, initial: 100 },
  deadline_near: {
    least: percentOf(deadlineShare.least),
    most: percentOf(deadlineShare.most),
    initial: percentOf(deadlineShare.usual),
  },
} as const;
type Limited = keyof typeof LIMITS;

export const isLimited = (rule: RuleName): rule is Limited => rule in LIMITS;

export interface NotificationDraft {
  /** What is edited, as it was; null for a new one. */
  before: Notification | null;
  /** The same as it is saved now, which edits are compared with; null for a new one, and where somebody else removed it. */
  saved: Notification | null;
  /** What a save sent whose answer never came, or was an error: it may be saved. */
  unconfirmed: Notification | null;
  kind: NotificationKind;
  url: string;
  chosen: RuleName[];
  limits: Record<Limited, string>;
  /** What both changed, until the next save answers it (ST1). */
  conflicts: Partial<Record<'url' | RuleName, string>>;
}

/** A new notification, or one to edit. */
export function draftOf(before: Notification | null): NotificationDraft {
  const limits = {
    waiting_longer_than: String(LIMITS.waiting_longer_than.initial),
    queue_deeper_than: String(LIMITS.queue_deeper_than.initial),
    deadline_near: String(LIMITS.deadline_near.initial),
  };
  for (const rule of before?.rules ?? []) {
    if (rule.rule === 'waiting_longer_than') limits[rule.rule] = String(rule.minutes);
    else if (rule.rule === 'queue_deeper_than') limits[rule.rule] = String(rule.items);
    else if (rule.rule === 'deadline_near') limits[rule.rule] = String(percentOf(rule.share));
  }
  const chosen = before?.rules.map(({ rule }) => rule) ?? ['waiting_longer_than', 'deadline_near', 'expired'];
  const target = { kind: before?.kind ?? 'slack', url: before?.url ?? '' };
  return { before, saved: before, unconfirmed: null, ...target, chosen, limits, conflicts: {} };
}

export type Faults = Partial<Record<'url' | 'rules' | Limited, string>>;

const texts = notificationsMessages.form;

/**
 * The draft, based on the list as it is now. Takes the rules that only others changed. `conflicts`: saving would replace what somebody
 * else saved, or add a channel that they removed (ST1).
 */
export function rebase(draft: NotificationDraft, list: readonly Notification[]): NotificationDraft {
  const saved = savedIn(list, draft);
  if (saved === null) return { ...draft, conflicts: {} };
  const now = list.find((one) => targetKey(one) === targetKey(saved));
  if (now === undefined) return { ...draft, saved: null, conflicts: { url: texts.removedChannel } };
  const theirs = typedRules(draftOf(now));
  const { taken, conflicts } = mergeFields({
    ...{ was: typedRules(draftOf(saved)), mine: typedRules(draft), now: theirs },
  });
  const names = RULE_NAMES.filter((rule) =>
    taken[rule] === undefined ? draft.chosen.includes(rule) : taken[rule] !== OFF,
  );
  const limits = { ...draft.limits };
  for (const rule of names.filter(isLimited)) limits[rule] = taken[rule] ?? limits[rule];
  const questions = Object.fromEntries(conflicts.map((rule) => [rule, questionOf(rule, theirs[rule])]));
  return { ...draft, saved: now, chosen: names, limits, conflicts: questions };
}

/** What is edited, as this owner knows it: what a save without an answer sent is their own change. */
function savedIn(list: readonly Notification[], { saved, unconfirmed }: NotificationDraft): Notification | null {
  if (unconfirmed === null) return saved;
  const sent = typedRules(draftOf(unconfirmed));
  const isSent = (one: Notification) =>
    targetKey(one) === targetKey(unconfirmed) && isSame(typedRules(draftOf(one)), sent);
  return list.find(isSent) ?? saved;
}

const OFF = 'off';

/** Each rule as it is typed: its limit, empty for one without, or off. */
const typedRules = ({ chosen, limits }: NotificationDraft) =>
  Object.fromEntries(
    RULE_NAMES.map((rule) => [rule, !chosen.includes(rule) ? OFF : isLimited(rule) ? limits[rule].trim() : '']),
  ) as Record<RuleName, string>;

/** Rules without a limit are on or off: two owners who both changed one agree. */
const questionOf = (rule: RuleName, theirs: string): string =>
  theirs === OFF || !isLimited(rule)
    ? texts.turnedOff
    : texts.changedLimit(theirs, notificationsMessages.rules[rule].unit);

/** What is wrong, by field; empty when it can be added to this list. */
export function faultsOf(draft: NotificationDraft, list: readonly Notification[]): Faults {
  const { kind, url, chosen, limits } = draft;
  const faults: Faults = {};
  const saved = savedIn(list, draft);
  const others = list.filter((one) => saved === null || targetKey(one) !== targetKey(saved));
  if (url.trim() === '') faults.url = texts.noUrl;
  else if (others.some((one) => targetKey(one) === targetKey({ kind, url: url.trim() }))) faults.url = texts.twice;
  if (chosen.length === 0) faults.rules = texts.noRule;
  for (const rule of chosen.filter(isLimited)) {
    const { least, most } = LIMITS[rule];
    if (!isWithin(limits[rule], least, most)) faults[rule] = texts.wrongNumber(least, most);
  }
  return faults;
}

const isWithin = (typed: string, least: number, most: number): boolean =>
  /^\d{1,6}$/.test(typed.trim()) && Number(typed) >= least && Number(typed) <= most;

/** A draft without faults as it is saved. */
export const notificationOf = ({ kind, url, chosen, limits }: NotificationDraft): Notification => ({
  ...{ kind, url: url.trim() },
  rules: RULE_NAMES.filter((rule) => chosen.includes(rule)).map((rule) => ruleOf(rule, limits)),
});

function ruleOf(rule: RuleName, limits: NotificationDraft['limits']): NotificationRule {
  if (rule === 'waiting_longer_than') return { rule, minutes: Number(limits[rule]) };
  if (rule === 'queue_deeper_than') return { rule, items: Number(limits[rule]) };
  if (rule === 'deadline_near') return { rule, share: Number(limits[rule]) / 100 };
  return { rule };
}

/** The list with this notification: in the place of the one that was edited, or at the end. */
export function listWith(
  list: readonly Notification[],
  before: Notification | null,
  saved: Notification,
): Notification[] {
  const isEdited = (one: Notification) => before !== null && targetKey(one) === targetKey(before);
  // Somebody else removed the edited one, and the owner was asked: it is added.
  return list.some(isEdited) ? list.map((one) => (isEdited(one) ? saved : one)) : [...list, saved];
}
