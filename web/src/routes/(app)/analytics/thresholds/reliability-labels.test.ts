// Labels beside the dots of the reliability diagram: never over another dot, and never over each other.
import { describe, expect, it } from 'vitest';
import { labelSides } from './reliability.ts';

const plot = { left: 40, right: 560 };

describe('the labels beside the dots', () => {
  it.each([
    ['a dot in the left half', [100], ['right']],
    ['a dot in the right half', [500], ['left']],
    ['no dot on the plot', [], []],
    ['neighbours: the outer sides alone', [300, 330], ['left', 'right']],
    ['a row of neighbours: the ends alone', [300, 320, 340], ['left', null, 'right']],
    ['two dots in one place: one label on each side', [300, 300], ['right', 'left']],
    ['two overlapping labels: the second one changes its side', [150, 310], ['right', 'right']],
    ['no room at the edge', [60, 90], [null, 'right']],
  ])('%s', (_, places, sides) => {
    expect(labelSides(places, plot)).toEqual(sides);
  });

  it('are omitted on a narrow plot', () => {
    expect(labelSides([100, 200], { left: 44, right: 240 })).toEqual([null, null]);
  });
});
