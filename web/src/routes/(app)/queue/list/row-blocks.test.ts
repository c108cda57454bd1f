// Tests that rows keep their blocks, and so their elements, while others arrive, leave and move.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RowBlock, RowBlocks } from './row-blocks.ts';

interface Row {
  readonly id: string;
}
/** As many as a block has room for, and as many as it has at most. */
const [ROOM, MOST] = [24, 96];
const rowsOf = (count: number, prefix = ''): Row[] => Array.from({ length: count }, (_, at) => ({ id: prefix + at }));
const keysOf = (blocks: readonly RowBlock<Row>[]) =>
  new Map(blocks.flatMap(({ key, rows }) => rows.map(({ id }) => [id, key] as const)));

/** How many rows of both lists got another block. */
function replaced(before: readonly RowBlock<Row>[], after: readonly RowBlock<Row>[]): number {
  const now = keysOf(after);
  return [...keysOf(before)].filter(([id, key]) => now.has(id) && now.get(id) !== key).length;
}

/** A share of the list, as a place in it. */
const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const change = fc.record({
  kind: fc.constantFrom('arrives', 'leaves', 'moves', 'changes'),
  from: place,
  to: place,
  /** How many rows, below each other. */
  count: fc.nat({ max: 60 }),
});
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

let made = 0;
function apply(list: readonly Row[], { kind, from, to, count }: Change): readonly Row[] {
  const at = Math.floor(from * list.length);
  const chosen = list.slice(at, at + count);
  if (kind === 'changes') return list.with(at, { id: list[at]?.id ?? '' });
  if (kind === 'arrives') return list.toSpliced(at, 0, ...rowsOf(count, `n${(made += 1)}-`));
  const rest = list.toSpliced(at, count);
  return kind === 'leaves' ? rest : rest.toSpliced(Math.floor(to * (rest.length + 1)), 0, ...chosen);
}

/** How many rows may get another block: those that move, and of a block that many come into, half. */
const mayReplace = ({ kind, count }: Change) =>
  kind === 'leaves' || kind === 'changes' ? 0 : Math.min(count, MOST / 2) + (kind === 'moves' ? count : 0);

describe('the blocks of a list', () => {
  it('hold every row once, in order, few at a time, with keys of their own, and replace few', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.array(change, { maxLength: 40 }), (length, changes) => {
        const blocks = new RowBlocks<Row>();
        let list: readonly Row[] = rowsOf(length);
        let before = blocks.update(list);
        for (const each of changes) {
          if (list.length === 0) return;
          list = apply(list, each);
          const after = blocks.update(list);
          expect(after.flatMap(({ rows }) => rows)).toEqual(list);
          expect(new Set(after.map(({ key }) => key)).size).toBe(after.length);
          expect(after.every(({ rows }) => rows.length > 0 && rows.length <= MOST)).toBe(true);
          expect(replaced(before, after)).toBeLessThanOrEqual(mayReplace(each));
          before = after;
        }
      }),
    );
  });

  const LIST = rowsOf(72);
  it.each<[string, readonly Row[], number]>([
    ['a row moves to the top', [LIST[60] as Row, ...LIST.toSpliced(60, 1)], 1],
    ['a row moves between two blocks', LIST.toSpliced(60, 1).toSpliced(24, 0, LIST[60] as Row), 1],
    ['a row moves into a block', LIST.toSpliced(60, 1).toSpliced(12, 0, LIST[60] as Row), 1],
    ['30 arrive below the first row', LIST.toSpliced(1, 0, ...rowsOf(30, 'n')), 0],
    ['100 arrive below the first row', LIST.toSpliced(1, 0, ...rowsOf(100, 'n')), 1],
    ['30 arrive within a block', LIST.toSpliced(36, 0, ...rowsOf(30, 'n')), 0],
    ['100 arrive within a block', LIST.toSpliced(36, 0, ...rowsOf(100, 'n')), 12],
    ['every second row leaves', LIST.filter((_, at) => at % 2 === 0), 0],
    ['a block leaves', LIST.toSpliced(24, 24), 0],
    ['one arrives below the first row of a full block', LIST.toSpliced(25, 0, ...rowsOf(1, 'n')), 0],
    [
      '24 arrive, each below another row of a block',
      LIST.flatMap((row, at) => (at < 24 ? [row, ...rowsOf(1, `n${at}-`)] : [row])),
      0,
    ],
  ])('replaces as few as possible when %s', (_, after, count) => {
    const blocks = new RowBlocks<Row>();
    const before = blocks.update(LIST);
    expect(replaced(before, blocks.update(after))).toBe(count);
  });

  it('grow at the end without replacing a row, and are few', () => {
    const blocks = new RowBlocks<Row>();
    let before = blocks.update(rowsOf(6));
    for (let length = 7; length <= 400; length += 1) {
      const after = blocks.update(rowsOf(length));
      expect(replaced(before, after)).toBe(0);
      before = after;
    }
    expect(before).toHaveLength(Math.ceil(400 / ROOM));
  });

  it.each<[string, (list: readonly Row[], row: Row) => readonly Row[]]>([
    ['at the top', (list, row) => [row, ...list]],
    ['at the top, while as many leave at the end', (list, row) => [row, ...list.slice(0, -1)]],
    ['below the first row', (list, row) => list.toSpliced(1, 0, row)],
    ['within a block', (list, row) => list.toSpliced(30, 0, row)],
    ['between two blocks', (list, row) => list.toSpliced(24, 0, row)],
  ])('stay few while 1,000 rows arrive one by one %s', (_, arrive) => {
    const blocks = new RowBlocks<Row>();
    let list: readonly Row[] = LIST;
    let before = blocks.update(list);
    for (const row of rowsOf(1000, 'n')) {
      list = arrive(list, row);
      const after = blocks.update(list);
      expect(replaced(before, after)).toBeLessThanOrEqual(1);
      before = after;
    }
    expect(before.length).toBeLessThanOrEqual(2 + Math.ceil(list.length / (ROOM / 2)));
  });

  it('are the same objects where nothing has changed', () => {
    const blocks = new RowBlocks<Row>();
    const before = blocks.update(LIST);
    const changed = LIST.with(30, { id: '30' });
    const after = blocks.update(changed);
    expect(after.map((block, at) => block === before[at])).toEqual([true, false, true]);
    expect(blocks.update([...changed]).every((block, at) => block === after[at])).toBe(true);
  });
});
