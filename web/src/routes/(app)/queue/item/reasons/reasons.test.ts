// The reasons of each action, and what typing finds among them.
import { describe, expect, it } from 'vitest';
import { ESCALATE_REASONS } from '@countersign/shared/review-actions';
import { matchingReasons, reasonsFor } from './reasons.ts';

const project = { reasons: ['Wrong fact', 'Policy', 'Bad format', 'Not for customers'], own: 'Other reason…' };
const labels = (found: readonly { label: string }[]) => found.map(({ label }) => label);

describe('reasonsFor', () => {
  it.each([null, 'reject', 'edit', 'finalize'] as const)("offers the project's reasons for %s", (action) => {
    expect(labels(reasonsFor(action, project))).toEqual([...project.reasons, 'Other reason…']);
  });

  it('offers reasons of its own for escalating', () => {
    expect(labels(reasonsFor('escalate', project))).toEqual([...ESCALATE_REASONS, 'Other reason…']);
  });
});

describe('matchingReasons', () => {
  const offered = reasonsFor('reject', project);

  it.each([
    ['', ['Wrong fact', 'Policy', 'Bad format', 'Not for customers', 'Other reason…']],
    ['for', ['Bad format', 'Not for customers', 'Other reason…']],
    ['ormat', ['Bad format', 'Other reason…']],
    ['  POL ', ['Policy', 'Other reason…']],
    ['rong', ['Wrong fact', 'Other reason…']],
    ['a', ['Wrong fact', 'Bad format', 'Other reason…']],
    ['c', ['Not for customers', 'Wrong fact', 'Policy', 'Other reason…']],
    ['nothing like it', ['Other reason…']],
  ])('finds for %j: %j', (typed, found) => expect(labels(matchingReasons(offered, typed))).toEqual(found));

  it('retains the number of each reason', () => {
    expect(matchingReasons(offered, 'form')[0]).toEqual({ index: 2, label: 'Bad format', open: false });
  });
});
