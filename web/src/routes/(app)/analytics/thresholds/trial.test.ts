// The changes of applying a trial, and where a curve ends.
import { describe, expect, it } from 'vitest';
import { rangeText } from './range-text.ts';
import { changesOf, runs } from './trial.ts';

const sample = {
  settings: {
    auto_threshold: 0.95,
    review_threshold: 0.7,
    below_review: 'reject' as const,
    escalate_flags: ['Legal', 'high_value'],
    audit_rate: 0,
    settings_version: 4,
  },
  flags: [
    { flag: 'Legal', escalates: true, arrived: 3 },
    { flag: 'high_value', escalates: true, arrived: 0 },
    { flag: 'long', escalates: false, arrived: 9 },
  ],
};

describe('AN23: the changes of applying', () => {
  const now = { auto: 0.95, review: 0.7 };

  it('are empty while nothing differs, and name only the differences', () => {
    expect(changesOf(sample, now, new Set([0, 1]))).toEqual({});
    expect(changesOf(sample, { ...now, auto: 0.85 }, new Set([0, 1]))).toEqual({ auto_threshold: 0.85 });
    expect(changesOf(sample, { auto: 0.95, review: 0 }, new Set([1]))).toEqual({
      review_threshold: 0,
      escalate_flags: ['high_value'],
    });
    expect(changesOf(sample, now, new Set([0, 1, 2]))).toEqual({ escalate_flags: ['Legal', 'high_value', 'long'] });
  });
});

describe('AN25: a curve', () => {
  it('ends where values are unknown, and starts again after them', () => {
    expect(runs([null, 1, 2, null, 3], (one) => one !== null)).toEqual([[1, 2], [3]]);
    expect(runs([], () => true)).toEqual([]);
  });

  it('rounds intervals outwards to whole items', () => {
    expect(rangeText({ low: 2.9, high: 8.1 })).toBe('2–9');
    expect(rangeText({ low: 4, high: 4 })).toBe('4');
  });
});
