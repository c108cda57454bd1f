// Tests which line of the guidelines names a reason, and since which version (CT6).
import { expect, it } from 'vitest';
import { lineNaming, versionNaming } from './named-reasons.ts';

it.each([
  ['Be kind.\n- **Wrong sum**: add up the rows.', ['Wrong sum'], '- **Wrong sum**: add up the rows.'],
  ['- The sum is WRONG: check it.', ['sum is wrong'], '- The sum is WRONG: check it.'],
  ['- Wrong summary', ['Wrong sum'], null],
  ['- No reply', ['No'], null],
  ['', ['Wrong sum'], null],
])('CT6: in %j, %j are named by %j', (guidelines, reasons, line) => {
  expect(lineNaming(guidelines, reasons)).toBe(line);
});

it('CT6: finds the version since which a reason has been named without a break', () => {
  const versions = ['Wrong sum: b', 'Wrong sum: a', 'Be kind.', 'Wrong sum'].map((text, at) => ({ text, at }));
  expect(versionNaming(versions, ['Wrong sum'])?.at).toBe(1);
  expect(versionNaming(versions, ['Be kind'])).toBeNull();
  expect(versionNaming(versions.slice(0, 2), ['Wrong sum'])?.at).toBe(1);
  expect(versionNaming([], ['Wrong sum'])).toBeNull();
});
