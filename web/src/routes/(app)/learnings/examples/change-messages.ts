// Texts of the comparison of two texts.
import { count } from '#lib/format/format.ts';

export const changeMessages = {
  label: 'Changes',
  unchanged: (n: number) => `${count(n)} unchanged ${n === 1 ? 'line' : 'lines'}`,
  whole: 'Show all lines',
  changed: 'Show changes only',
  compare: (characters: string) => `Show diff (${characters} characters)`,
  long: 'This text is long.',
};
