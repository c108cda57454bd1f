// Every string of the editor. English first.
import { plural } from './item-messages.ts';

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
  opening: 'Opening the editor',
  failed: 'The editor could not be loaded',
  mode: 'How it is edited',
  form: 'Form',
  json: 'JSON',
  notForm: 'Not one flat object any more: only as JSON.',
  field: {
    number: 'Write a number: 12, -0.5 or 1e3.',
    true: 'true',
    false: 'false',
    null: 'null, kept as it is',
    reset: (name: string) => `Reset ${name}`,
  },
  others: {
    label: 'Other drafts of this item',
    heading: (count: number) =>
      count === 1
        ? 'Another draft of this item is kept, typed in another tab.'
        : `${count} other drafts of this item are kept, typed in other tabs.`,
    kept: (at: string) => `Kept ${at}`,
    empty: 'empty text',
    show: 'Switch',
    showOf: (at: string) => `Switch to the draft kept ${at}`,
    discard: 'Discard',
    discardOf: (at: string) => `Discard the draft kept ${at}`,
  },
  words: 'Words',
  lines: 'Lines',
  layout: 'How changes are shown',
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
  plainOnly: 'The JSON editor could not be loaded. This field does the same, without colours.',
  badJson: (detail: string) => `This is not valid JSON yet. ${detail}`,
  limits: {
    bytes: 'This is larger than 256 KiB. Make it shorter before you submit.',
    depth: 'This is nested deeper than 32 levels. Make it flatter before you submit.',
    values: 'This has more than 10 000 values. Take some out before you submit.',
    keys: 'A key is longer than 256 characters. Make it shorter before you submit.',
    integer: 'A whole number is beyond 9 007 199 254 740 991 and would lose digits. Write it as text.',
    number: 'A number is too large for JSON readers. Write it as text.',
    nul: 'There is a NUL character in it. Take it out before you submit.',
    surrogate: 'There is half a character in it. Take it out before you submit.',
  },
  breach: {
    missing: (path: string) => `${path} is missing`,
    emptied: (path: string) => `${path} is an empty list now`,
    type: (path: string, was: string, is: string) => `${path} was ${kind(was)}, now it is ${kind(is)}`,
  },
  breaches: 'Other than the suggestion:',
  again: 'Submit once more to send it all the same.',
} as const;
