// Steps draw every count exactly over its bucket, and only buckets where arrivals lead are filled.
import { describe, expect, it } from 'vitest';
import { linear } from './scale.ts';
import { gaps, spread, stepAt, stepPath, type Step } from './steps.ts';

const step = (start: number, end: number, lead: number, main: number): Step => ({
  start,
  end,
  lead,
  main,
  partial: false,
});
const steps = [step(0, 10, 4, 1), step(10, 20, 2, 2), step(20, 25, 0, 3)];
const scales = { x: linear([0, 25], [0, 250]), y: linear([0, 4], [40, 0]) };

describe('stepPath', () => {
  it('draws each count over its bucket and steps at its end', () => {
    expect(stepPath(steps, 'lead', scales)).toBe('M0 0H100V20H200V40H250');
    expect(stepPath(steps, 'main', scales)).toBe('M0 30H100V20H200V10H250');
    expect(stepPath([], 'main', scales)).toBe('');
  });
});

describe('gaps', () => {
  it('fills between the lines where arrivals lead, nowhere else', () => {
    expect(gaps(steps, scales)).toEqual([{ x: 0, y: 0, width: 100, height: 30 }]);
  });
});

describe('stepAt', () => {
  it('finds the bucket of a time, the ends included', () => {
    expect([-5, 0, 9.9, 10, 24, 25, 99].map((at) => stepAt(steps, at))).toEqual([0, 0, 0, 1, 2, 2, 2]);
    expect(stepAt([], 3)).toBe(-1);
  });
});

describe('spread', () => {
  it('moves labels apart only as far as they overlap', () => {
    expect(spread([10, 50], 16)).toEqual([10, 50]);
    expect(spread([10, 14], 16)).toEqual([4, 20]);
    expect(spread([14, 10], 16)).toEqual([20, 4]);
    expect(spread([10, 10], 16)).toEqual([2, 18]);
  });
});
