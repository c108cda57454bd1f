// Rows that the database refuses, wherever they are in the order, stop no other row.
import { describe, expect, it } from 'vitest';
import { DatabaseGone } from '../db/database.ts';
import { type Part, runBatch } from './row-by-row.ts';

const LIMIT = 5;

/** Due rows in their order, `x` for one that is refused; `left` are those not done, `calls` the transactions. */
function rowsOf(text: string) {
  const rows = { left: [...text], calls: 0 };
  const run = ({ limit, offset }: Part): Promise<number> => {
    rows.calls += 1;
    const part = rows.left.slice(offset, offset + limit);
    if (part.includes('x')) return Promise.reject(new Error('refused'));
    rows.left.splice(offset, part.length);
    return Promise.resolve(part.length);
  };
  return { rows, run };
}

describe('a batch with rows that are refused', () => {
  it.each<[string, string, string]>([
    ['one among others', 'axbc', 'x'],
    ['a whole batch of them before the others', `${'x'.repeat(LIMIT)}abc`, 'xxxxx'],
    ['several batches of them before the others', `${'x'.repeat(4 * LIMIT)}a`, 'x'.repeat(4 * LIMIT)],
    ['more rows than a run does', 'xabcdefg', 'xfg'],
    ['none but them', 'xx', 'xx'],
  ])('reaches the rows after them: %s', async (_, due, left) => {
    const { rows, run } = rowsOf(due);
    await expect(runBatch(LIMIT, run)).rejects.toThrow('refused');
    expect(rows.left.join('')).toBe(left);
  });

  it('passes over ten batches of them and no more', async () => {
    const { rows, run } = rowsOf(`${'x'.repeat(10 * LIMIT)}a`);
    await expect(runBatch(LIMIT, run)).rejects.toThrow('refused');
    expect([rows.left.length, rows.calls]).toEqual([10 * LIMIT + 1, 10 * LIMIT + 1]);
  });
});

it('a batch without such rows is one transaction', async () => {
  const { rows, run } = rowsOf('abcdefg');
  expect(await runBatch(LIMIT, run)).toBe(LIMIT);
  expect(rows).toEqual({ left: ['f', 'g'], calls: 1 });
});

it('a batch ends at once where the database is gone', async () => {
  let calls = 0;
  const run = () => {
    calls += 1;
    return Promise.reject(calls === 1 ? new Error('refused') : new DatabaseGone());
  };
  await expect(runBatch(LIMIT, run)).rejects.toThrow(DatabaseGone);
  expect(calls).toBe(2);
});
