// The rows of a table: sorted by one column, as CSV, and compared with the table of the input.
import type { Json } from '@countersign/shared/json/json';
import { atFirstUse } from '../../format/at-first-use.ts';
import { escapeFormula } from '../../format/escape-csv-formula.ts';
import { entriesOf, isArray, isObject, kindOf, numberText, printJson, type JsonObject } from '../json/lossless.ts';

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

const words = atFirstUse(() => new Intl.Collator(undefined, { numeric: true }));

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
  return words().compare(text(left), text(right));
}

interface RowChange {
  /** The row is not in the input. */
  readonly fresh: boolean;
  /** The columns that differ, with the value in the input; undefined where it has none. */
  readonly cells: ReadonlyMap<string, Json | undefined>;
}

interface TableChange {
  /** By the index of the row in the value. */
  readonly rows: readonly RowChange[];
  readonly cells: number;
  /** The rows of the input without a counterpart. */
  readonly gone: number;
}

const DEEPEST = 6;

/** The table of the input that shares most columns with this one, at least half of them; null when there is none. */
export function counterpart(columns: readonly string[], reference: Json): JsonObject[] | null {
  let best: JsonObject[] | null = null;
  let most = columns.length / 2;
  const visit = (value: Json, depth: number): void => {
    if (depth > DEEPEST) return;
    const members = isArray(value) ? value : isObject(value) ? entriesOf(value).map(([, member]) => member) : [];
    if (isArray(value) && value.length > 0 && value.every(isObject)) {
      const known = new Set(value.flatMap((row) => Object.keys(row)));
      const shared = columns.filter((column) => known.has(column)).length;
      if (shared > most || (best === null && shared === most)) [best, most] = [value, shared];
    }
    for (const member of members) visit(member, depth + 1);
  };
  visit(reference, 0);
  return best;
}

/** Rows belong together by the first column that names each row of both tables, else by their position. */
export function compareTables(
  columns: readonly string[],
  rows: readonly JsonObject[],
  others: readonly JsonObject[],
): TableChange {
  const key = keyColumn(columns, rows, others);
  const byKey = new Map(key === null ? [] : others.map((row) => [textOf(row, key), row]));
  const otherOf = (row: JsonObject, at: number) => (key === null ? others[at] : byKey.get(textOf(row, key)));
  const known = new Set(others.flatMap((row) => Object.keys(row)));
  // A column that the input does not have at all is an answer, not a change.
  const compared = columns.filter((column) => known.has(column));
  const changes = rows.map((row, at) => changeOf(row, otherOf(row, at), compared));
  const matched = new Set(rows.map(otherOf).filter((row) => row !== undefined));
  return {
    rows: changes,
    cells: changes.reduce((sum, { cells }) => sum + cells.size, 0),
    gone: others.length - matched.size,
  };
}

function changeOf(row: JsonObject, other: JsonObject | undefined, columns: readonly string[]): RowChange {
  if (other === undefined) return { fresh: true, cells: new Map() };
  const differ = columns.filter((column) => textOf(row, column) !== textOf(other, column));
  return { fresh: false, cells: new Map(differ.map((column) => [column, memberOf(other, column)])) };
}

/** Each of its values is there once, and the tables share at least half of them. */
function keyColumn(
  columns: readonly string[],
  rows: readonly JsonObject[],
  others: readonly JsonObject[],
): string | null {
  const keyed = columns.find((column) => {
    const own = new Set(rows.map((row) => textOf(row, column)));
    const theirs = new Set(others.map((row) => textOf(row, column)));
    if (own.has('') || theirs.has('') || own.size !== rows.length || theirs.size !== others.length) return false;
    const shared = [...own].filter((value) => theirs.has(value)).length;
    return shared * 2 >= Math.min(own.size, theirs.size) && shared > 0;
  });
  return keyed ?? null;
}

const memberOf = (row: JsonObject, column: string): Json | undefined =>
  Object.hasOwn(row, column) ? row[column] : undefined;

/** Numbers as they were sent: 1.0 and 1 differ. */
function textOf(row: JsonObject, column: string): string {
  const value = memberOf(row, column);
  return value === undefined ? '' : printJson(value, 0);
}

const NUMERIC = /^[-+−]?(?:[$€£¥] ?)?\d[\d.,' ]*(?: ?(?:%|[$€£¥]|[A-Z]{3}))?$/;

/** The columns whose cells are all numbers or amounts: they are aligned at the right. */
export function numericColumns(columns: readonly string[], rows: readonly JsonObject[]): ReadonlySet<string> {
  const isNumber = (value: Json) =>
    kindOf(value) === 'number' || (typeof value === 'string' && value.length <= 24 && NUMERIC.test(value));
  return new Set(
    columns.filter((column) => {
      const cells = rows.map((row) => memberOf(row, column)).filter((cell) => cell !== undefined && cell !== null);
      return cells.length > 0 && cells.every((cell) => isNumber(cell));
    }),
  );
}
