// Texts that a spreadsheet would take for a formula.
import { expect, it } from 'vitest';
import { escapeFormula } from './escape-csv-formula.ts';

const BLANKS = ['', ' ', '\t', '\r', '\n', '\r\n', '\u00a0', '\u3000', '\ufeff', '\u200b', '\0', ' \t '];
const SIGNS = ['=', '+', '-', '@', '|', '%', '＝', '＋', '－', '＠', '｜', '％'];

it.each(SIGNS)('LX7: %s begins a formula, after any white space too', (sign) => {
  for (const blank of BLANKS)
    expect(escapeFormula(`${blank}${sign}1`), JSON.stringify(blank)).toBe(`'${blank}${sign}1`);
});

it.each(['\tx', '\rx', '\nx'])('LX7: escapes the CSV cell %j', (text) => {
  expect(escapeFormula(text)).toBe(`'${text}`);
});

it.each(['', 'a=1', 'x', ' a', '1-2', 'größer', '日本', "'=1"])('leaves the CSV cell %j unchanged', (text) => {
  expect(escapeFormula(text)).toBe(text);
});
