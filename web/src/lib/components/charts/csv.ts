// Writes a table as CSV by RFC 4180, with formulas disabled.
import { escapeFormula } from '../../format/escape-csv-formula.ts';
import { saveText } from '../../format/save-file.ts';
import { valueOf, type PlotTable, type Value } from './table.ts';

const NEEDS_QUOTES = /[",\r\n]/;

/** The table with its header line; every line ends in CRLF. Texts that would be formulas get a leading apostrophe. */
export function toCsv({ columns, rows }: PlotTable): string {
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => row.map(valueOf))];
  return lines.map((line) => `${line.map(field).join(',')}\r\n`).join('');
}

function field(value: Value): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = escapeFormula(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A file name of letters, digits and dashes: `maths-answers-keeping-up-2026-11-20.csv`. */
export function csvName(parts: readonly string[]): string {
  const words =
    parts
      .join(' ')
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return `${words.join('-').slice(0, 120) || 'table'}.csv`;
}

/** Saves a CSV text as a download. The byte order mark tells spreadsheets that it is UTF-8. */
export const saveCsv = (name: string, text: string): void => saveText(name, `\ufeff${text}`, 'text/csv;charset=utf-8');
