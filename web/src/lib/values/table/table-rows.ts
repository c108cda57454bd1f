// The rows of a table: sorted by one column, and as CSV.
import type { Json } from '@countersign/shared/json/json';
import { escapeFormula } from '../../format/escape-csv-formula.ts';
import { kindOf, printJson, type JsonObject, numberText } from '../json/lossless.ts';

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

export interface Order {
  readonly column: string;
  readonly down: boolean;
}

const words = new Intl.Collator(undefined, { numeric: true });

/** A sorted copy, or the rows unchanged. Each row retains its index in the value as `at`. */
export function ordered(rows: readonly JsonObject[], order: Order | null): { row: JsonObject; at: number }[] {
  const placed = rows.map((row, at) => ({ row, at }));
  if (order === null) return placed;
  const of = (row: JsonObject) => (Object.hasOwn(row, order.column) ? row[order.column] : undefined);
  const turn = order.down ? -1 : 1;
  return placed.sort((one, other) => {
    const [left, right] = [of(one.row), of(other.row)];
    if (left === undefined || right === undefined)
      return left === right ? one.at - other.at : left === undefined ? 1 : -1;
    return turn * compared(left, right) || one.at - other.at;
  });
}

function compared(left: Json, right: Json): number {
  if (kindOf(left) === 'number' && kindOf(right) === 'number')
    return Number(numberText(left)) - Number(numberText(right));
  const text = (value: Json) => (typeof value === 'string' ? value : printJson(value, 0));
  return words.compare(text(left), text(right));
}
