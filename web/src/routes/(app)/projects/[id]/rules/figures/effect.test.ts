// Tests what the rules of a form would have done with a sample, and the counts of flags.
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import type { Project } from '@countersign/shared/schemas/projects';
import { expect, it } from 'vitest';
import { draftOf } from '../../settings/settings-draft.ts';
import { binsOf, effectOf, rulesOf, savedRules } from './effect.ts';
import { arrivedWith, otherFlags } from './flags.ts';
import { aSample } from './sample.fixture.ts';

const draft = (changes: Partial<Record<'auto_threshold' | 'review_threshold' | 'audit_rate', string>> = {}) => ({
  ...draftOf({ ...DEFAULT_SETTINGS } as Project),
  escalate_flags: ['legal'],
  ...changes,
});
const saved = { auto: 0.9, review: 0.7, below: 'queue', flags: ['legal'], auditRate: 0.1 } as const;

it('reads the rules of the form, and the saved ones where a number is invalid', () => {
  const typed = { auto_threshold: '0.8', review_threshold: '0,5', audit_rate: '0.2' };
  expect(rulesOf(draft(typed), saved)).toMatchObject({ auto: 0.8, review: 0.5, auditRate: 0.2 });
  expect(rulesOf(draft({ ...typed, auto_threshold: '0.4' }), saved)).toMatchObject({ auto: 0.9, review: 0.7 });
  expect(rulesOf(draft({ ...typed, auto_threshold: 'x' }), saved)).toMatchObject({ auto: 0.9, review: 0.7 });
  expect(rulesOf(draft({ ...typed, audit_rate: '2' }), saved)).toMatchObject({ auto: 0.8, auditRate: 0.1 });
});

it('counts what passes, goes to people, is escalated and is rejected, with expected errors and their interval', () => {
  const sample = aSample();
  expect(effectOf(sample, savedRules(sample))).toMatchObject({
    arrived: 100,
    automatic: 40,
    people: 60,
    escalated: 10,
    refused: 0,
    audited: 4,
    unreviewed: 0,
    hours: 0.2,
  });
  const lower = effectOf(sample, { ...savedRules(sample), auto: 0.7, below: 'reject', auditRate: 0.5 });
  expect(lower).toMatchObject({ automatic: 70, people: 10, escalated: 10, refused: 20, audited: 35 });
  expect(lower?.wrong?.value).toBeCloseTo(3, 9);
  expect(lower?.wrong?.low).toBeLessThan(3);
  expect(lower?.wrong?.high).toBeGreaterThan(3);
  expect(effectOf({ ...sample, cells: [], arrivals: { ...sample.arrivals, n: 0 } }, savedRules(sample))).toBeNull();
});

it('sorts the arrivals into bins, whose outcomes follow flags in any spelling', () => {
  const sample = aSample();
  const bins = binsOf(sample, { ...savedRules(sample), flags: ['LEGAL '] }, 50).filter(({ n }) => n > 0);
  expect(bins.map(({ low, n, automatic, reviewed, escalated }) => [low, n, automatic, reviewed, escalated])).toEqual([
    [0.3, 20, 0, 20, 0],
    [0.8, 30, 0, 30, 0],
    [0.94, 50, 40, 0, 10],
  ]);
});

it('counts flags in any spelling, and offers those that are not listed', () => {
  const sample = aSample();
  expect([arrivedWith(sample, 'Legal'), arrivedWith(sample, 'unseen')]).toEqual([10, undefined]);
  expect(otherFlags(sample, ['LEGAL']).map(({ flag }) => flag)).toEqual(['odd']);
  expect(otherFlags(sample, []).map(({ flag }) => flag)).toEqual(['odd', 'legal']);
});
