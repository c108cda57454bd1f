// NO1 and NO3: what rules find, and how it is said.
import type { NotificationRule } from '@countersign/shared/schemas/parts/notifications';
import { expect, it } from 'vitest';
import { COUNT_LIMIT, type Facts, findingsOf, sentenceOf } from './findings.ts';

const QUIET: Facts = {
  ...{ waiting: 0, waitingLonger: 0, nearDeadline: 0, expired: 0 },
  ...{ stopped: false, webhookPaused: false, pausedEndpoints: [], overBudget: false },
};
const LONGER: NotificationRule = { rule: 'waiting_longer_than', minutes: 30 };
const DEEPER: NotificationRule = { rule: 'queue_deeper_than', items: 100 };
const RULES: NotificationRule[] = [
  ...[LONGER, DEEPER],
  ...[{ rule: 'deadline_near', share: 0.29 } as const, { rule: 'expired' } as const],
  ...(['project_stopped', 'webhook_paused', 'over_budget'] as const).map((rule) => ({ rule })),
];

const said = (facts: Partial<Facts>, rules = RULES) => findingsOf(rules, { ...QUIET, ...facts }).map(sentenceOf);

it.each<[string, Partial<Facts>, string[]]>([
  ['nothing in a quiet project', {}, []],
  ['one item that waits too long', { waitingLonger: 1 }, ['1 item has waited longer than 30 minutes.']],
  ['a thousand as one sentence', { waitingLonger: 1000 }, ['1,000 items have waited longer than 30 minutes.']],
  [
    'a count that ended early',
    { waitingLonger: COUNT_LIMIT },
    ['10,000 or more items have waited longer than 30 minutes.'],
  ],
  ['no queue at its limit', { waiting: 100 }, []],
  ['a queue above its limit', { waiting: 101 }, ['101 items are waiting, more than 100.']],
  ['one item near its deadline', { nearDeadline: 1 }, ['1 item is near its deadline: 29% of the time has passed.']],
  [
    'a thousand near their deadlines',
    { nearDeadline: 1000 },
    ['1,000 items are near their deadlines: 29% of the time has passed.'],
  ],
  ['one item that expired', { expired: 1 }, ['1 item ended at its deadline without a decision.']],
  ['a thousand that expired', { expired: 1000 }, ['1,000 items ended at their deadlines without a decision.']],
  ['a stopped project', { stopped: true }, ['Manual review is on: every new item goes to a reviewer.']],
  ['a paused webhook', { webhookPaused: true }, ['The webhook is paused: decisions are not delivered.']],
  [
    'a paused endpoint of several, by its name in one line',
    { webhookPaused: true, pausedEndpoints: ['Mail\nserver'] },
    ['Decisions are not delivered to a paused webhook endpoint: Mail server.'],
  ],
  [
    'several paused endpoints',
    { webhookPaused: true, pausedEndpoints: ['Mail', 'hooks.example.com'] },
    ['Decisions are not delivered to 2 paused webhook endpoints: Mail, hooks.example.com.'],
  ],
  [
    'an exceeded budget',
    { overBudget: true },
    ['Automatic decisions may be wrong more often than the error budget allows.'],
  ],
  [
    'several at once, in the order of the rules',
    { waiting: 2000, waitingLonger: 2, stopped: true },
    [
      '2 items have waited longer than 30 minutes.',
      '2,000 items are waiting, more than 100.',
      'Manual review is on: every new item goes to a reviewer.',
    ],
  ],
])('NO1: finds %s', (_, facts, sentences) => expect(said(facts)).toEqual(sentences));

it('NO1: finds nothing that no rule names', () => {
  expect(said({ waitingLonger: 5, stopped: true }, [DEEPER])).toEqual([]);
});

it('NO3: says one minute as one', () => {
  expect(said({ waitingLonger: 3 }, [{ rule: 'waiting_longer_than', minutes: 1 }])).toEqual([
    '3 items have waited longer than 1 minute.',
  ]);
});
