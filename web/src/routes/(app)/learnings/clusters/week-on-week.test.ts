// Tests the sentence that compares two weeks of a cluster.
import { expect, it } from 'vitest';
import { weekOnWeek } from './week-on-week.ts';

const trend = (before: number, last: number) => [before, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last];

it.each([
  [0, 0, 'None in the last two weeks.'],
  [3, 6, '6 in the last 7 days, 3 in the 7 days before.'],
  [0, 12, 'New in the last 7 days: 12, 0 in the 7 days before.'],
  [10, 21, 'More than twice as common as the week before: 21, 10 in the 7 days before.'],
  [10, 20, 'More common than the week before: 20, 10 in the 7 days before.'],
  [10, 12, 'About as common as the week before: 12, 10 in the 7 days before.'],
  [20, 15, 'Less common than the week before: 15, 20 in the 7 days before.'],
  [20, 9, 'Less than half as common as the week before: 9, 20 in the 7 days before.'],
])('after %i, %i reads "%s"', (before, last, sentence) => {
  expect(weekOnWeek(trend(before, last))).toBe(sentence);
});
