// ST1 in detail: merging two texts and two lists loses no input, and asks where both changed one place.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMarked, markedText, MARKS, marksIn, mergeLines, resolveConflict } from './merge-lines.ts';
import { asFlag, mergeList } from './settings-merge.ts';

const merged = (was: string, mine: string, theirs: string) => markedText(mergeLines(was, mine, theirs));
const text = (...lines: string[]) => lines.join('\n');
const both = (theirs: string[], mine: string[]) => [MARKS.theirs, ...theirs, MARKS.between, ...mine, MARKS.mine];

describe('ST1: two changes of one text', () => {
  it.each([
    ['in two places', text('a', 'b', 'c'), text('A', 'b', 'c'), text('a', 'b', 'C'), text('A', 'b', 'C')],
    ['side by side', text('a', 'b'), text('A', 'b'), text('a', 'B'), text('A', 'B')],
    ['the same', text('a', 'b'), text('a', 'x'), text('a', 'x'), text('a', 'x')],
    [
      'one removes, one adds elsewhere',
      text('a', 'b', 'c'),
      text('a', 'c'),
      text('a', 'b', 'c', 'd'),
      text('a', 'c', 'd'),
    ],
    [
      'in one place',
      text('a', 'b', 'c'),
      text('a', 'M', 'c'),
      text('a', 'T', 'c'),
      text('a', ...both(['T'], ['M']), 'c'),
    ],
    ['both at the end', 'a', text('a', 'M'), text('a', 'T'), text('a', ...both(['T'], ['M']))],
    ['one removes what the other edits', text('a', 'b'), 'a', text('a', 'B'), text('a', ...both(['B'], []))],
    ['from an empty text', '', 'M', 'T', text(...both(['T'], ['M']))],
  ])('%s', (...[, was, mine, theirs, expected]) => expect(merged(was, mine, theirs)).toBe(expected));

  const anyText = fc
    .array(fc.constantFrom('', 'a', 'b', 'c', 'd', 'e'), { maxLength: 9 })
    .map((lines) => lines.join('\n'));

  it('with an unchanged side give the other side', () => {
    fc.assert(
      fc.property(anyText, anyText, (was, now) => {
        expect(merged(was, was, now)).toBe(now);
        expect(merged(was, now, was)).toBe(now);
        expect(merged(was, now, now)).toBe(now);
      }),
    );
  });

  /** A text of distinct lines, and two changes of it whose new lines name their author. */
  const edits = fc.array(fc.tuple(fc.nat(9), fc.constantFrom('replace', 'remove', 'insert')), { maxLength: 5 });
  const old = Array.from({ length: 10 }, (_, index) => `old ${index}`);
  function edited(changes: [number, string][], author: string): string[] {
    const places = new Map(changes);
    return old.flatMap((line, index) => {
      const place = places.get(index);
      const fresh = `${author} ${index}`;
      return place === 'replace' ? [fresh] : place === 'remove' ? [] : place === 'insert' ? [line, fresh] : [line];
    });
  }

  it('never lose a typed or an untouched line', () => {
    fc.assert(
      fc.property(edits, edits, (my, their) => {
        const [mine, theirs] = [edited(my, 'mine'), edited(their, 'theirs')];
        const lines = merged(text(...old), text(...mine), text(...theirs)).split('\n');
        for (const line of [...mine, ...theirs]) if (!old.includes(line)) expect(lines).toContain(line);
        for (const line of old) if (mine.includes(line) && theirs.includes(line)) expect(lines).toContain(line);
      }),
    );
  });

  it('ask only where both overlap: apart from each other, both are applied', () => {
    fc.assert(
      fc.property(fc.nat(9), fc.nat(9), (at, other) => {
        fc.pre(at !== other);
        const [mine, theirs] = [edited([[at, 'replace']], 'mine'), edited([[other, 'replace']], 'theirs')];
        const lines = merged(text(...old), text(...mine), text(...theirs)).split('\n');
        expect(lines).toEqual(
          old.map((line, index) => (index === at ? mine[at] : index === other ? theirs[other] : line)),
        );
      }),
    );
  });

  it('are symmetric, except for the order inside a marked conflict', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (was, mine, theirs) => {
        const turned = mergeLines(was, theirs, mine).map((part) =>
          part.kind === 'both' ? { ...part, mine: part.theirs, theirs: part.mine } : part,
        );
        expect(mergeLines(was, mine, theirs)).toEqual(turned);
      }),
    );
  });
});

describe('ST1: a marked conflict', () => {
  const marked = text('a', ...both(['T'], ['M', 'N']), 'b', ...both([], ['O']));

  it('is found at any place, and resolved by selecting', () => {
    expect(marksIn(marked).map(({ mine, theirs }) => [mine, theirs])).toEqual([
      [['M', 'N'], ['T']],
      [['O'], []],
    ]);
    expect(resolveConflict(marked, 0, 'both')).toBe(text('a', 'T', 'M', 'N', 'b', ...both([], ['O'])));
    expect(resolveConflict(resolveConflict(marked, 1, 'theirs'), 0, 'mine')).toBe(text('a', 'M', 'N', 'b'));
    expect(resolveConflict(marked, 7, 'mine')).toBe(marked);
  });

  it('counts as unresolved while half of its marks remain; a line of a rule does not', () => {
    expect(isMarked(marked)).toBe(true);
    expect(isMarked(text('a', MARKS.mine))).toBe(true);
    expect(isMarked(text('a', '=======', '<<<<<<< they saved it'))).toBe(false);
  });
});

describe('ST1: two changes of one list', () => {
  it.each([
    [
      'additions of both are included, theirs first because it is saved already',
      ['a'],
      ['a', 'm'],
      ['a', 't'],
      ['a', 't', 'm'],
    ],
    ['removals of both are applied', ['a', 'b', 'c'], ['a', 'b'], ['b', 'c'], ['b']],
    ['an order that one changed stays', ['a', 'b', 'c'], ['c', 'b', 'a'], ['a', 'b', 'c', 't'], ['c', 't', 'b', 'a']],
    ['their order stays while mine is the old one', ['a', 'b'], ['a', 'b', 'm'], ['b', 'a'], ['b', 'm', 'a']],
    ['an entry that both added occurs once', ['a'], ['a', 'x'], ['x', 'a'], ['x', 'a']],
    [
      'an addition between unchanged entries stays in its place',
      ['a', 'b'],
      ['a', 'm', 'b'],
      ['a', 'b', 't'],
      ['a', 'm', 'b', 't'],
    ],
  ])('%s', (...[, was, mine, theirs, expected]) => expect(mergeList({ was, mine, theirs })).toEqual(expected));

  it('treat two spellings of a flag as one', () => {
    const sides = { was: ['Legal'], mine: ['legal', 'PII'], theirs: ['Legal', 'pii '] };
    expect(mergeList(sides, asFlag)).toEqual(['Legal', 'pii ']);
  });

  it('contain every addition, no removed entry, and no duplicate', () => {
    const list = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'));
    fc.assert(
      fc.property(list, list, list, (was, mine, theirs) => {
        const result = mergeList({ was, mine, theirs });
        const wanted = [...new Set([...mine, ...theirs])].filter((entry) =>
          was.includes(entry) ? mine.includes(entry) && theirs.includes(entry) : true,
        );
        expect([...result].sort()).toEqual(wanted.sort());
        expect(mergeList({ was, mine: was, theirs })).toEqual(theirs);
        expect(mergeList({ was, mine, theirs: was })).toEqual(mine);
      }),
    );
  });
});
