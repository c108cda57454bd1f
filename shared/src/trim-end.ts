// Cuts characters off the end of a text, in a time that grows with its length only.

/**
 * `text` without any of `characters` (each one UTF-16 unit) at its end. An expression such as `/[.,]+$/` would try every
 * run of them in a longer text from each of its characters on: a minute for a quarter of a megabyte of dots.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
