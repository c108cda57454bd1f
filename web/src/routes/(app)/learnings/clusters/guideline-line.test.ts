// Tests how a guideline is appended to the text of the guidelines.
import { expect, it } from 'vitest';
import { withGuideline } from './guideline-line.ts';

it.each([
  ['', 'Check the sum.', '- Check the sum.'],
  ['Be kind.', 'Check the sum.', 'Be kind.\n\n- Check the sum.'],
  ['- Be kind.\n', ' Check\nthe sum. ', '- Be kind.\n- Check the sum.'],
  ['Rules\r\n* Be kind.\r\n\r\n', 'Check.', 'Rules\r\n* Be kind.\r\n* Check.'],
])('appends to %j', (guidelines, line, expected) => {
  expect(withGuideline(guidelines, line)).toBe(expected);
});
