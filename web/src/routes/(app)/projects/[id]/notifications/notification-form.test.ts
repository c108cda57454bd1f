// The form of a notification: what it refuses, and that it changes nothing that was not touched.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  notifications,
  type Notification,
  type NotificationRule,
} from '@countersign/shared/schemas/parts/notifications';
import { draftOf, faultsOf, listWith, notificationOf, rebase } from './notification-form.ts';

const SLACK: Notification = { kind: 'slack', url: 'https://a.example/x', rules: [{ rule: 'expired' }] };
const TEAMS: Notification = { kind: 'teams', url: 'https://b.example/y', rules: [{ rule: 'project_stopped' }] };

it('begins with rules about waiting and deadlines, and cannot be saved without a URL', () => {
  const draft = draftOf(null);
  expect(faultsOf(draft, [])).toEqual({ url: 'Enter a URL.' });
  expect(notificationOf({ ...draft, url: ' https://a.example/x ' })).toEqual({
    ...{ kind: 'slack', url: 'https://a.example/x' },
    rules: [{ rule: 'waiting_longer_than', minutes: 30 }, { rule: 'deadline_near', share: 0.8 }, { rule: 'expired' }],
  });
});

it.each([
  ['no rule', { chosen: [] }, 'rules', 'Select at least one rule.'],
  [
    'a channel twice',
    { url: TEAMS.url, kind: 'teams' },
    'url',
    'This channel is in the list already. Edit it instead.',
  ],
  ['a share of a hundred', { limits: { deadline_near: '100' } }, 'deadline_near', 'Enter a whole number from 1 to 99.'],
  [
    'half a minute',
    { limits: { waiting_longer_than: '0.5' } },
    'waiting_longer_than',
    'Enter a whole number from 1 to 43200.',
  ],
  [
    'no number of items',
    { limits: { queue_deeper_than: '' } },
    'queue_deeper_than',
    'Enter a whole number from 1 to 9999.',
  ],
] as const)('refuses %s', (_, changes, field, fault) => {
  const draft = draftOf(null);
  draft.url = 'https://c.example/z';
  draft.chosen = ['waiting_longer_than', 'queue_deeper_than', 'deadline_near'];
  const limits = { ...draft.limits, ...('limits' in changes ? changes.limits : {}) };
  const changed = { ...draft, ...changes, limits } as typeof draft;
  expect(faultsOf(changed, [TEAMS])).toEqual({ [field]: fault });
});

it('takes the channel of the edited notification as its own', () => {
  expect(faultsOf(draftOf(TEAMS), [SLACK, TEAMS])).toEqual({});
});

const rules = fc.uniqueArray(
  fc.oneof(
    fc.record({ rule: fc.constant('waiting_longer_than' as const), minutes: fc.integer({ min: 1, max: 43_200 }) }),
    fc.record({ rule: fc.constant('queue_deeper_than' as const), items: fc.integer({ min: 1, max: 9999 }) }),
    fc.record({
      rule: fc.constant('deadline_near' as const),
      share: fc.integer({ min: 1, max: 99 }).map((percent) => percent / 100),
    }),
    ...(['expired', 'project_stopped', 'webhook_paused', 'over_budget'] as const).map((rule) => fc.constant({ rule })),
  ),
  { minLength: 1, selector: ({ rule }: NotificationRule) => rule },
);

it('saves what was not touched as it was, in the form of the API', () => {
  fc.assert(
    fc.property(rules, (some) => {
      const saved = notificationOf(draftOf({ ...SLACK, rules: some }));
      expect(saved.rules).toHaveLength(some.length);
      expect(saved.rules).toEqual(expect.arrayContaining(some));
      expect(notifications.safeParse([saved]).success).toBe(true);
    }),
  );
});

it('ST1: takes a save of its own that was never answered for no change by somebody else', () => {
  const sent: Notification = { ...SLACK, url: 'https://a.example/new' };
  const retried = { ...draftOf(SLACK), url: sent.url, unconfirmed: sent };
  // The service orders the members in its own way.
  const list = [{ rules: sent.rules, url: sent.url, kind: sent.kind }, TEAMS];
  const { saved, conflicts } = rebase(retried, list);
  expect([saved, conflicts, faultsOf(retried, list)]).toEqual([sent, {}, {}]);
  expect(rebase({ ...draftOf(null), url: sent.url, unconfirmed: sent }, list)).toMatchObject({ saved, conflicts });
  // It did not arrive.
  expect(rebase(retried, [SLACK, TEAMS])).toMatchObject({ saved: SLACK, conflicts: {} });
});

it('ST1: takes a rule with the limit that only others changed, and leaves one out that they removed', () => {
  const before: Notification = { ...SLACK, rules: [{ rule: 'queue_deeper_than', items: 5 }, { rule: 'expired' }] };
  const now: Notification = { ...SLACK, rules: [{ rule: 'queue_deeper_than', items: 9 }] };
  const draft = { ...draftOf(before), url: 'https://a.example/new' };
  const { conflicts, ...merged } = rebase(draft, [now]);
  expect([notificationOf({ ...merged, conflicts }), conflicts]).toEqual([{ ...now, url: draft.url }, {}]);
});

it('replaces the edited one in its place, adds a new one, and adds one that was removed meanwhile', () => {
  const saved: Notification = { ...SLACK, url: 'https://a.example/new' };
  expect(listWith([SLACK, TEAMS], SLACK, saved)).toEqual([saved, TEAMS]);
  expect(listWith([TEAMS], null, saved)).toEqual([TEAMS, saved]);
  expect(listWith([TEAMS], SLACK, saved)).toEqual([TEAMS, saved]);
});
