// Rule DL as tables: which deadline an item gets, what its deadline does, and what can be extended.
import { describe, expect, it } from 'vitest';
import { ON_DEADLINE, OPEN_STATUSES } from '@countersign/shared/enums';
import { deadlineFault, isExtendable, newDeadline, nextDeadline, passingOf, type AskedDeadline } from './deadline.ts';

const now = new Date('2026-03-28T23:00:00.000Z');
const at = (text: string) => ({ at: new Date(text) });
const none = { deadline_minutes: null, on_deadline: 'expire' } as const;
const hour = { deadline_minutes: 60, on_deadline: 'reject' } as const;

describe('DL6: the deadline of an item', () => {
  it.each<[string, AskedDeadline, typeof none | typeof hour, string | null, string, number]>([
    ['is the one it says', { until: at('2026-03-28T23:10:00.000Z') }, none, '2026-03-28T23:10:00.000Z', 'expire', 600],
    ['is counted from its arrival', { until: { seconds: 90 } }, none, '2026-03-28T23:01:30.000Z', 'expire', 90],
    ['is that of the project', {}, hour, '2026-03-29T00:00:00.000Z', 'reject', 3600],
    ['is its own, not that of the project', { until: { seconds: 10 } }, hour, '2026-03-28T23:00:10.000Z', 'reject', 10],
    ['does what the item says', { onDeadline: 'escalate' }, hour, '2026-03-29T00:00:00.000Z', 'escalate', 3600],
    [
      'has a span in whole seconds',
      { until: at('2026-03-28T23:00:00.001Z') },
      none,
      '2026-03-28T23:00:00.001Z',
      'expire',
      1,
    ],
    ['does not exist where nobody sets one', {}, none, null, '', 0],
    ['does not exist where only an effect is said', { onDeadline: 'reject' }, none, null, '', 0],
    ['does not exist where the item says null', { until: null }, hour, null, '', 0],
  ])('%s', (_, asked, project, ...[expected, onDeadline, spanSeconds]) => {
    const deadline = newDeadline(asked, project, now);
    expect(deadline).toEqual(expected === null ? null : { at: new Date(expected), onDeadline, spanSeconds });
  });

  it.each([
    ['2026-03-28T22:59:59.999Z', /future/],
    ['2026-03-28T23:00:00.000Z', /future/],
    ['2026-03-28T23:00:00.001Z', null],
    ['2027-03-28T23:00:00.000Z', null],
    ['2027-03-28T23:00:00.001Z', /year/],
  ])('at %s is refused as %s', (text, fault) => {
    const found = deadlineFault(new Date(text), now);
    if (fault === null) expect(found).toBeNull();
    else expect(found).toMatch(fault);
  });
});

describe('DL1: at its deadline', () => {
  it.each([
    ['queued', false, 'expire', 'ended', 'expired'],
    ['queued', false, 'reject', 'ended', 'rejected'],
    ['queued', false, 'escalate', 'escalated', 'escalated'],
    ['escalated', false, 'expire', 'ended', 'expired'],
    ['escalated', false, 'reject', 'ended', 'rejected'],
    ['escalated', false, 'escalate', 'prolonged', 'escalated'],
    ['queued', true, 'expire', 'ended', 'auto_approved'],
    ['queued', true, 'reject', 'ended', 'auto_approved'],
    ['queued', true, 'escalate', 'escalated', 'escalated'],
    ['escalated', true, 'expire', 'ended', 'auto_approved'],
  ] as const)('an item that is %s (audit: %s) with “%s” is %s as %s', (status, audit, onDeadline, ...[step, to]) => {
    expect(passingOf({ status, audit, onDeadline })).toEqual({ step, status: to });
  });

  it('DL2: nothing that waits for people is approved', () => {
    for (const status of OPEN_STATUSES)
      for (const onDeadline of ON_DEADLINE)
        expect(passingOf({ status, audit: false, onDeadline }).status).toMatch(/^(escalated|expired|rejected)$/);
  });

  it('supervisors get the span again from now on', () => {
    expect(nextDeadline(now, 90).toISOString()).toBe('2026-03-28T23:01:30.000Z');
  });
});

describe('DL5: extending', () => {
  it.each([
    [now, false, true],
    [now, true, false],
    [null, false, false],
    [undefined, false, false],
  ])('a deadline at %s that was extended before: %s can be extended: %s', (deadline, deadlineExtended, expected) => {
    expect(isExtendable({ deadline, deadlineExtended })).toBe(expected);
  });
});
