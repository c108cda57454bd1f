// Sorts the rows of a table by one column; rows without that cell come last.
import type { Json } from '@countersign/shared/json/json';
import { kindOf, numberText, printJson, type JsonObject } from '../json/lossless.ts';

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
