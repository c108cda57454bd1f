// The end of a list of faults that has no room for all.

/** A sentence with a blank before it, to follow the last one that is listed; empty where none is left out. */
export function unlisted(count: number): string {
  if (count <= 0) return '';
  return count === 1 ? ' 1 more is not listed.' : ` ${count} more are not listed.`;
}
