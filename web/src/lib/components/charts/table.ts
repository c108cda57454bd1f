// The figures behind a plot: what the table beside it shows and what its CSV carries.

export type Value = string | number | null;

/** A figure as a file wants it, and as a person reads it where that differs. */
export type Cell = Value | { value: Value; shown: string };

export interface PlotTable {
  columns: readonly { name: string; numeric?: boolean }[];
  rows: readonly (readonly Cell[])[];
}

const isPair = (cell: Cell): cell is { value: Value; shown: string } => typeof cell === 'object' && cell !== null;

/** What a file gets: numbers plain, times as ISO 8601. */
export const valueOf = (cell: Cell): Value => (isPair(cell) ? cell.value : cell);

/** What a person reads; null when there is nothing to read. */
export const shownOf = (cell: Cell): Value => (isPair(cell) ? cell.shown : cell);
