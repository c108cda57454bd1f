// Tests the parts of the day's bench that need no database: which hour an item belongs to, its table and its picture.
import { describe, expect, it } from 'vitest';
import { deadRowsOf, figure, HEADS, hourOf, lineOf, emptyHour } from './hours.ts';
import { pictureOf, topOf } from './picture.ts';

describe('the hours of the day', () => {
  it.each([
    [0, 2400, 0],
    [99, 2400, 0],
    [100, 2400, 1],
    [2399, 2400, 23],
    [0, 5, 0],
    [4, 5, 19],
  ])('item %d of %d belongs to hour %d', (n, items, hour) => expect(hourOf(n, items)).toBe(hour));

  it('has a cell below each head, also where nothing was measured', () => {
    const hour = emptyHour();
    expect(lineOf(1, hour)).toHaveLength(HEADS.length);
    hour.submit = [3, 1, 250];
    hour.gauges = {
      waiting: 7,
      deadRows: { item: 20, event: 5 },
      walBytes: 2 ** 21,
      diskBytes: 2 ** 20,
      memoryMiB: 300,
    };
    expect(lineOf(24, hour).trim().split(/\s+/)).toEqual([
      '24',
      '3.0',
      '250',
      '-',
      '-',
      '7.0',
      '25.0',
      '2.0',
      '1.0',
      '300',
    ]);
    expect(deadRowsOf(hour)).toBe(25);
  });

  it.each([
    [NaN, '-'],
    [0, '0.0'],
    [99.94, '99.9'],
    [1234.5, '1235'],
  ])('writes %d as %s', (value, text) => expect(figure(value)).toBe(text));
});

describe('the picture of the day', () => {
  it.each([
    [[], 1],
    [[NaN, 0], 1],
    [[0.3], 0.5],
    [[7, 11], 20],
    [[500], 500],
    [[501], 1000],
  ])('a plot of %j ends at %d', (values, top) => expect(topOf(values)).toBe(top));

  it('draws each value at its hour and its height, leaves out what was not measured, and escapes texts', () => {
    const panel = { title: 'a < b', lines: [{ name: 'p99', values: [0, NaN, 10] }] };
    const picture = pictureOf('A day & a half', [panel], { from: 1, until: 2, because: 'open' });
    expect(picture).toContain('A day &amp; a half');
    expect(picture).toContain('>a &lt; b<');
    // The plot is 380 wide from 56 and 130 high from 34: the first value at its foot, the third at its top.
    expect(picture).toContain('points="119.3,164.0 372.7,34.0"');
    expect(picture).toContain('<rect class="shade" x="182.7" y="34" width="126.7" height="130"/>');
  });
});
