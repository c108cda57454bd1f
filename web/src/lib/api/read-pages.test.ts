// Lists that are read on by request.
import { expect, it } from 'vitest';
import { readPages } from './read-pages.ts';

/** Seven rows in pages of three; the cursor is where the next begins. */
const read = (after = '0') => {
  const from = Number(after);
  const data = [0, 1, 2, 3, 4, 5, 6].slice(from, from + 3);
  return Promise.resolve({ data, next_cursor: from + 3 < 7 ? String(from + 3) : null });
};

it('PM9: reads as many pages as are on show, to the end of the list at most', async () => {
  expect(await readPages(read, 1)).toEqual({ rows: [0, 1, 2], more: true });
  expect(await readPages(read, 2)).toEqual({ rows: [0, 1, 2, 3, 4, 5], more: true });
  for (const pages of [3, 4])
    expect(await readPages(read, pages)).toEqual({ rows: [0, 1, 2, 3, 4, 5, 6], more: false });
});
