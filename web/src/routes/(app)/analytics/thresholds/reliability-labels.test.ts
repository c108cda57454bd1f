// Labels beside the dots of the reliability diagram: never over another dot, and never over each other.
import { describe, expect, it } from 'vitest';
import { labelSides } from './reliability.ts';

const plot = { left: 40, right: 560 };

describe('the labels beside the dots', () => {
  it.each([
    ['one in the left half', [100], ['right']],
    ['one in the right half', [500], ['left']],
    ['none that is on the plot', [], []],
    ['neighbours: the outer sides alone', [300, 330], ['left', 'right']],
    ['a row of neighbours: the ends alone', [300, 320, 340], ['left', null, 'right']],
    ['two on one place: one on each side', [300, 300], ['right', 'left']],
    ['two whose words would meet: the second one turns away', [150, 310], ['right', 'right']],
    ['no room to the edge', [60, 90], [null, 'right']],
  ])('%s', (_, places, sides) => {
    expect(labelSides(places, plot)).toEqual(sides);
  });

  it('are omitted on a narrow plot', () => {
    expect(labelSides([100, 200], { left: 44, right: 240 })).toEqual([null, null]);
  });
});
