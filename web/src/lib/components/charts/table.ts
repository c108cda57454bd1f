// The figures behind a plot, for the table beside it and its CSV.

export type Value = string | number | null;

/** A figure as a file contains it, and as people read it where that differs. */
export type Cell = Value | { value: Value; shown: string };

export interface PlotTable {
  columns: readonly { name: string; numeric?: boolean }[];
  rows: readonly (readonly Cell[])[];
}

const isPair = (cell: Cell): cell is { value: Value; shown: string } => typeof cell === 'object' && cell !== null;

/** The value for a file: numbers plain, times as ISO 8601. */
export const valueOf = (cell: Cell): Value => (isPair(cell) ? cell.value : cell);

/** The text for people; null when there is none. */
export const shownOf = (cell: Cell): Value => (isPair(cell) ? cell.shown : cell);
