// Reads the first pages of a list that loads more on request: as many as are shown, one after the other.

interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/** The rows of that many pages, and whether there are more. Throws as `read` does. */
export async function readPages<T>(
  read: (after: string | undefined) => Promise<Page<T>>,
  pages: number,
): Promise<{ rows: T[]; more: boolean }> {
  const rows: T[] = [];
  let after: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const { data, next_cursor } = await read(after);
    rows.push(...data);
    if (next_cursor === null) return { rows, more: false };
    after = next_cursor;
  }
  return { rows, more: true };
}
