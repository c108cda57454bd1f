// Writes a table as CSV for a spreadsheet. Cells that a spreadsheet would take for a formula become plain text.
import type { Json } from '@countersign/shared/json/json';
import { escapeFormula } from '../../format/escape-csv-formula.ts';
import { kindOf, printJson, type JsonObject } from '../json/lossless.ts';

export function tableCsv(columns: readonly string[], rows: readonly JsonObject[]): string {
  const lines = rows.map((row) => columns.map((column) => cell(Object.hasOwn(row, column) ? row[column] : undefined)));
  return [columns.map(quoted), ...lines].map((line) => line.join(',')).join('\r\n') + '\r\n';
}

function cell(value: Json | undefined): string {
  if (value === undefined) return '';
  // A number is no formula, with any sign.
  return kindOf(value) === 'number'
    ? printJson(value, 0)
    : quoted(typeof value === 'string' ? value : printJson(value, 0));
}

function quoted(text: string): string {
  const safe = escapeFormula(text);
  // Distinguishes an empty text from a missing cell.
  return safe === '' || /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
