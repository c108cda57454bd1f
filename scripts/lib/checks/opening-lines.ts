// Finds files that do not open with one comment line, as a reader of a directory listing wants it.

/** The longest opening line, in characters, with its comment marks. */
const LONGEST = 120;
/** What must come before: instructions to programs. */
const INSTRUCTIONS = /^(?:(?:#!|\/\/ @vitest-environment|\/\/\/ <reference)[^\n]*\n)+/;

/** At most one fault: the opening comment is missing, too long or has more than one line. */
export function openingFaults(file: string, source: string): string[] {
  const text = source.replace(INSTRUCTIONS, '');
  const comment = (
    file.endsWith('.svelte') ? /^<!--[\s\S]*?-->/ : /^(?:(?:\/\/(?!\/)[^\n]*\n?)+|\/\*[\s\S]*?\*\/)/
  ).exec(text);
  const opening = comment?.[0].trimEnd();
  if (opening === undefined) return [`${file} opens without a comment: say in one line what the file is.`];
  if (opening.includes('\n'))
    return [`${file} opens with a comment of several lines: say in one line what the file is.`];
  if (opening.length <= LONGEST) return [];
  return [`${file} opens with a line of ${opening.length} characters: use at most ${LONGEST}.`];
}
