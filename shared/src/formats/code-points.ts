// Counts the characters of a text as Unicode does: the limits of texts and the keywords of JSON Schema mean these.

/** The number of code points of a text; the halves of a broken pair count as one each. */
export function codePointsOf(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count += 1;
  return count;
}
