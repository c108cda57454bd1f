// Rules NO1 and NO2: what the rules of a notification find in a project, in plain sentences without content.
import type { NotificationRule } from '@countersign/shared/schemas/parts/notifications';

/** NO2: a rule speaks at most once in this many seconds. */
export const SILENCE_SECONDS = 15 * 60;
/** Counts stop here, so that a long queue costs the same. */
export const COUNT_LIMIT = 10_000;

/** A project as its rules see it; counts end at `COUNT_LIMIT`. */
export interface Facts {
  waiting: number;
  /** How many items have waited longer than the minutes of the rule; 0 without one. */
  waitingLonger: number;
  /** How many items have used the share of their time that the rule names; 0 without one. */
  nearDeadline: number;
  /** How many deadlines passed without a decision since the rule last spoke; 0 without the rule. */
  expired: number;
  stopped: boolean;
  webhookPaused: boolean;
  /** The names of the paused endpoints, where the project has several. */
  pausedEndpoints: readonly string[];
  overBudget: boolean;
}

/** What one rule found. `count`, `limit` and `names` (of endpoints) are set only for rules that have them. */
export interface Finding {
  rule: NotificationRule['rule'];
  count: number | null;
  limit: number | null;
  names?: readonly string[];
}

type Check = {
  [Name in NotificationRule['rule']]: (rule: Extract<NotificationRule, { rule: Name }>, facts: Facts) => Finding | null;
};

const state = (rule: Finding['rule'], applies: boolean): Finding | null =>
  applies ? { rule, count: null, limit: null } : null;

const CHECKS: Check = {
  waiting_longer_than: ({ rule, minutes }, { waitingLonger: count }) =>
    count > 0 ? { rule, count, limit: minutes } : null,
  queue_deeper_than: ({ rule, items }, { waiting: count }) => (count > items ? { rule, count, limit: items } : null),
  deadline_near: ({ rule, share }, { nearDeadline: count }) =>
    count > 0 ? { rule, count, limit: Math.round(share * 100) } : null,
  expired: ({ rule }, { expired: count }) => (count > 0 ? { rule, count, limit: null } : null),
  project_stopped: ({ rule }, { stopped }) => state(rule, stopped),
  webhook_paused: ({ rule }, { webhookPaused, pausedEndpoints: names }) => {
    const found = state(rule, webhookPaused);
    return found && { ...found, names };
  },
  over_budget: ({ rule }, { overBudget }) => state(rule, overBudget),
};

/** NO1: what these rules find, in their order. */
export function findingsOf(rules: readonly NotificationRule[], facts: Facts): Finding[] {
  // Each rule meets the check of its own name.
  return rules.flatMap(
    (rule) => (CHECKS[rule.rule] as (rule: NotificationRule, facts: Facts) => Finding | null)(rule, facts) ?? [],
  );
}

const formatted = (count: number): string =>
  `${count.toLocaleString('en-US')}${count >= COUNT_LIMIT ? ' or more' : ''}`;
const counted = (count: number, noun: string): string => `${formatted(count)} ${noun}${count === 1 ? '' : 's'}`;

/** The name of an endpoint may have several lines, and a sentence is one (`sentencesIn`). */
const listed = (names: readonly string[]): string => names.map((name) => name.replaceAll(/\s+/g, ' ')).join(', ');

const SENTENCES: Record<Finding['rule'], (count: number, limit: number, names: readonly string[]) => string> = {
  waiting_longer_than: (count, limit) =>
    `${counted(count, 'item')} ${count === 1 ? 'has' : 'have'} waited longer than ${counted(limit, 'minute')}.`,
  queue_deeper_than: (count, limit) => `${counted(count, 'item')} are waiting, more than ${formatted(limit)}.`,
  deadline_near: (count, limit) =>
    `${counted(count, 'item')} ${count === 1 ? 'is near its deadline' : 'are near their deadlines'}: ${limit}% of the time has passed.`,
  expired: (count) =>
    `${counted(count, 'item')} ended at ${count === 1 ? 'its deadline' : 'their deadlines'} without a decision.`,
  project_stopped: () => 'Manual review is on: every new item goes to a reviewer.',
  webhook_paused: (_count, _limit, names) =>
    names.length === 0
      ? 'The webhook is paused: decisions are not delivered.'
      : `Decisions are not delivered to ${names.length === 1 ? 'a paused webhook endpoint' : `${names.length} paused webhook endpoints`}: ${listed(names)}.`,
  over_budget: () => 'Automatic decisions may be wrong more often than the error budget allows.',
};

/** NO3: a finding as a sentence: how many items, never which. */
export const sentenceOf = ({ rule, count, limit, names = [] }: Finding): string =>
  SENTENCES[rule](count ?? 0, limit ?? 0, names);
