// Lists that load more pages on request.
import { expect, it } from 'vitest';
import { readPages } from './read-pages.ts';

/** Seven rows in pages of three; the cursor is the index of the next row. */
const read = (after = '0') => {
  const from = Number(after);
  const data = [0, 1, 2, 3, 4, 5, 6].slice(from, from + 3);
  return Promise.resolve({ data, next_cursor: from + 3 < 7 ? String(from + 3) : null });
};

it('PM9: reads as many pages as are shown, up to the end of the list', async () => {
  expect(await readPages(read, 1)).toEqual({ rows: [0, 1, 2], more: true });
  expect(await readPages(read, 2)).toEqual({ rows: [0, 1, 2, 3, 4, 5], more: true });
  for (const pages of [3, 4])
    expect(await readPages(read, pages)).toEqual({ rows: [0, 1, 2, 3, 4, 5, 6], more: false });
});
