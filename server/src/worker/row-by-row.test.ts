// Rows that the database refuses, wherever they are in the order, stop no other row.
import { describe, expect, it } from 'vitest';
import { DatabaseGone } from '../db/database.ts';
import { type Part, runBatch, runEach } from './row-by-row.ts';

const LIMIT = 5;

/** Due rows in their order, `x` for one that is refused; `left` are those not done, `calls` the transactions. */
function rowsOf(text: string) {
  const rows = { left: [...text], calls: 0 };
  const take = (part: readonly string[]): Promise<void> => {
    rows.calls += 1;
    if (part.includes('x')) return Promise.reject(new Error('refused'));
    rows.left = rows.left.filter((row) => !part.includes(row));
    return Promise.resolve();
  };
  const read = ({ limit, offset }: Part) => rows.left.slice(offset, offset + limit);
  const inBatches = () =>
    runBatch(LIMIT, async (part) => {
      const due = read(part);
      await take(due);
      return due.length;
    });
  const oneByOne = () =>
    runEach(
      LIMIT,
      (part) => Promise.resolve(read(part)),
      (row) => take([row]),
    );
  return { rows, inBatches, oneByOne };
}

describe.each(['inBatches', 'oneByOne'] as const)('rows that are refused, %s', (way) => {
  it.each<[string, string, string]>([
    ['one among others', 'axbc', 'x'],
    ['a whole batch of them before the others', `${'x'.repeat(LIMIT)}abc`, 'xxxxx'],
    ['several batches of them before the others', `${'x'.repeat(4 * LIMIT)}a`, 'x'.repeat(4 * LIMIT)],
    ['more rows than a run does', 'xabcdefg', 'xfg'],
    ['none but them', 'xx', 'xx'],
  ])('do not stop the rows after them: %s', async (_, due, left) => {
    const { rows, [way]: run } = rowsOf(due);
    await expect(run()).rejects.toThrow('refused');
    expect(rows.left.join('')).toBe(left);
  });

  it('are passed over up to ten batches of them and no more', async () => {
    const { rows, [way]: run } = rowsOf(`${'x'.repeat(10 * LIMIT)}a`);
    await expect(run()).rejects.toThrow('refused');
    expect(rows.left).toHaveLength(10 * LIMIT + 1);
    // The batch itself comes first.
    expect(rows.calls).toBe(10 * LIMIT + (way === 'inBatches' ? 1 : 0));
  });
});

it.each([
  ['inBatches', 1],
  ['oneByOne', LIMIT],
] as const)('%s, a run without such rows does as many as it may', async (way, calls) => {
  const { rows, [way]: run } = rowsOf('abcdefg');
  expect(await run()).toBe(LIMIT);
  expect(rows).toEqual({ left: ['f', 'g'], calls });
});

it.each([
  ['a batch', (run: () => Promise<number>) => runBatch(LIMIT, run)],
  [
    'a run one by one',
    (run: () => Promise<number>) =>
      runEach(
        LIMIT,
        () => Promise.resolve(['a', 'b', 'c']),
        async () => void (await run()),
      ),
  ],
])('%s ends at once where the database is gone', async (_, start) => {
  let calls = 0;
  const run = () => {
    calls += 1;
    return Promise.reject(calls === 1 ? new Error('refused') : new DatabaseGone());
  };
  await expect(start(run)).rejects.toThrow(DatabaseGone);
  expect(calls).toBe(2);
});
