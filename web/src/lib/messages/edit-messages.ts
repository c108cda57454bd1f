// Texts of the editor.
import { plural } from '#lib/format/format.ts';

const KINDS: Partial<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  array: 'a list',
  object: 'an object',
};
const kind = (name: string): string => KINDS[name] ?? name;

export const editMessages = {
  opening: 'Loading the editor',
  failed: "Couldn't load the editor",
  mode: 'Editor',
  form: 'Form',
  json: 'JSON',
  notForm: 'This shape can only be edited as JSON.',
  field: {
    number: 'Enter a number, e.g. 12, -0.5 or 1e3.',
    true: 'true',
    false: 'false',
    null: 'null (unchanged)',
    reset: (name: string) => `Reset ${name}`,
  },
  others: {
    label: 'Other drafts of this item',
    heading: (count: number) =>
      count === 1
        ? 'You have another draft of this item, typed in another tab.'
        : `You have ${count} other drafts of this item, typed in other tabs.`,
    savedAt: (at: string) => `Saved ${at}`,
    empty: 'empty text',
    show: 'Switch',
    showOf: (at: string) => `Switch to the draft saved ${at}`,
    discard: 'Discard',
    discardOf: (at: string) => `Discard the draft saved ${at}`,
  },
  words: 'Words',
  lines: 'Lines',
  layout: 'Diff view',
  changes: 'Show changes',
  fieldsChanged: (paths: readonly string[], most: number) => {
    const more = paths.length - most;
    const named = paths.slice(0, most).join(', ') + (more > 0 ? ` and ${more} more` : '');
    return `${plural(paths.length, 'field', 'fields')} changed: ${named}`;
  },
  wholeChanged: 'the whole value changed',
  unchangedLines: (count: number) => `${plural(count, 'line', 'lines')} unchanged`,
  before: 'Suggestion',
  after: 'Edited',
  plainOnly: "Couldn't load the JSON editor. Using a plain text field instead.",
  answerFault: (fault: string, others: number) =>
    others === 0 ? fault : `${fault} ${plural(others, 'more field does', 'more fields do')} not fit the schema.`,
  note: (fault: string) => `Note: ${fault}`,
  badJson: (detail: string) => `Invalid JSON. ${detail}`,
  limits: {
    bytes: 'Too large (max 256 KiB). Shorten it.',
    depth: 'Nested too deeply (max 32 levels). Flatten it.',
    values: 'Too many values (max 10,000). Remove some.',
    keys: 'A key is too long (max 256 characters). Shorten it.',
    integer: 'An integer is beyond ±9,007,199,254,740,991 and would lose digits. Enter it as text.',
    number: 'A number is too large for JSON parsers. Enter it as text.',
    nul: 'Contains a NUL character. Remove it.',
    surrogate: 'Contains a broken character (half of a surrogate pair). Remove it.',
  },
  breach: {
    missing: (path: string) => `${path} is missing`,
    emptied: (path: string) => `${path} is now empty`,
    type: (path: string, was: string, is: string) => `${path} changed from ${kind(was)} to ${kind(is)}`,
  },
  breaches: 'Differs from the suggestion:',
  again: 'Submit again to send it anyway.',
} as const;
