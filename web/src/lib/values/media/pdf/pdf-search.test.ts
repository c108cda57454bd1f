// Words in the text of a PDF page are found across its pieces and lines, at the places they have in them.
import { describe, expect, it } from 'vitest';
import { hitsOn, type Piece } from './pdf-search.ts';

const pieces: Piece[] = [
  { text: 'Master ', ends: false },
  { text: 'Services', ends: true },
  { text: 'Agreement of  İstanbul', ends: true },
  { text: 'services', ends: false },
];

const found = (wanted: string) =>
  hitsOn({ page: 0, pieces }, wanted).map(({ from, to }) => [from.piece, from.at, to.piece, to.at]);

describe('a search in a PDF page', () => {
  it.each([
    [
      'services',
      [
        [1, 0, 1, 8],
        [3, 0, 3, 8],
      ],
    ],
    ['MASTER SERVICES', [[0, 0, 1, 8]]],
    ['services agreement', [[1, 0, 2, 9]]],
    ['of İstanbul', [[2, 10, 2, 22]]],
    ['stanbul', [[2, 15, 2, 22]]],
    ['  ', []],
    ['missing', []],
  ])('%j', (wanted, places) => expect(found(wanted)).toEqual(places));

  it('ends at the limit', () => {
    const long = [{ text: 'a '.repeat(5000), ends: true }];
    expect(hitsOn({ page: 0, pieces: long }, 'a', 7)).toHaveLength(7);
  });
});
