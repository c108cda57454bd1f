// Appends a line to guidelines, in the form of the list that they end with.

/** The guidelines with one more list entry. Line breaks within the line become spaces: an entry is one line. */
export function withGuideline(guidelines: string, line: string): string {
  const lines = guidelines.trimEnd().split(/\r\n|\r|\n/);
  const last = lines.at(-1) ?? '';
  const mark = /^\s{0,3}([-*+])\s/.exec(last)?.[1] ?? '-';
  const inList = /^\s{0,3}[-*+]\s/.test(last);
  const entry = `${mark} ${line.trim().replaceAll(/\s*[\r\n]+\s*/g, ' ')}`;
  const before = guidelines.trimEnd();
  if (before === '') return entry;
  const eol = /\r\n|\r|\n/.exec(guidelines)?.[0] ?? '\n';
  return `${before}${inList ? eol : eol + eol}${entry}`;
}
