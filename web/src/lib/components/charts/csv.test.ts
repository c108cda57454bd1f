// CSV by RFC 4180, and texts that a spreadsheet would run as formulas.
import fc from 'fast-check';
import { escapeFormula } from '#lib/format/escape-csv-formula.ts';
import { describe, expect, it } from 'vitest';
import { csvName, toCsv } from './csv.ts';

const one = (...cells: (string | number | null)[]) =>
  toCsv({ columns: cells.map((_, index) => ({ name: `c${index}` })), rows: [cells] }).split('\r\n')[1];

/** Parses RFC 4180: quoted fields may contain commas, doubled quotes and line breaks. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    if (end === '\r\n') rows.push([]);
  }
  rows.pop();
  return rows;
}

describe('toCsv', () => {
  it('ends every line in CRLF, header first (RFC 4180, 2.1-2.3)', () => {
    const table = { columns: [{ name: 'from' }, { name: 'arrived', numeric: true }], rows: [['12:00', 3]] };
    expect(toCsv(table)).toBe('from,arrived\r\n12:00,3\r\n');
  });

  it('quotes commas, line breaks and quotes, and doubles the quotes (RFC 4180, 2.6-2.7)', () => {
    expect(one('a,b')).toBe('"a,b"');
    expect(one('say "no"')).toBe('"say ""no"""');
    expect(toCsv({ columns: [{ name: 'a' }], rows: [['one\r\ntwo']] })).toBe('a\r\n"one\r\ntwo"\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])('disables the formula in %j', (text) => {
    expect(one(text)?.replace('"', '').startsWith("'")).toBe(true);
  });

  it('writes numbers as numbers, negative ones too', () => {
    expect(one(-3, 0.25, null)).toBe('-3,0.25,');
  });

  it('writes the value of a cell, not its label', () => {
    const rows = [[{ value: '2026-11-20T13:00:00.000Z', shown: '13:00' }]];
    expect(toCsv({ columns: [{ name: 'from' }], rows })).toBe('from\r\n2026-11-20T13:00:00.000Z\r\n');
  });

  it('is parsed back unchanged, except for formulas', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '"', ',', '\r\n', '\n', ' ', 'é', '=') });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text)), (rows) => {
        const csv = toCsv({ columns: [{ name: 'one' }, { name: 'two' }], rows });
        expect(parse(csv)).toEqual([['one', 'two'], ...rows.map((row) => row.map(escapeFormula))]);
      }),
    );
  });
});

describe('csvName', () => {
  it('is valid on every file system', () => {
    expect(csvName(['Maths / Ångström', 'keeping up', '2026-11-20'])).toBe('maths-angstrom-keeping-up-2026-11-20.csv');
    expect(csvName(['日本'])).toBe('table.csv');
  });
});
