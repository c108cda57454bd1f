// The rows of the bench and their format: a ratio to a rival, or a figure of ours alone, with its goal.

export interface Row {
  section: string;
  measure: string;
  /** Median of our turns, in the unit of the measure. */
  ours: number;
  /** Null without a rival: the goal is then one for ours. */
  rival: number | null;
  /** Ours to the rival. */
  ratio: number | null;
  /** For the ratio, such as `>= 0.45`. Null for a figure without a goal. */
  goal: string | null;
}

/** The middle value; of an even count the mean of the two in the middle. NaN of none. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = NaN, high = NaN] = sorted.length % 2 === 1 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1);
  return (low + high) / 2;
}

/** The value that this share of the values (0.99: 99 %) does not exceed. NaN of none. */
export function percentile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? NaN;
}

/** Whether a value meets a goal of the form `>= 0.45` or `<= 2`. */
export function meets(value: number, goal: string): boolean {
  const [, sign, number] = /^([<>]=) ([\d.]+)$/.exec(goal) ?? [];
  if (number === undefined) throw new Error(`A goal reads like ">= 0.45", not "${goal}".`);
  return sign === '>=' ? value >= Number(number) : value <= Number(number);
}

/** Whether it has a goal that it does not meet. */
export const isMissed = ({ ours, ratio, goal }: Row): boolean => goal !== null && !meets(ratio ?? ours, goal);

const verdictOf = (row: Row): string => (row.goal === null ? '' : isMissed(row) ? 'MISSED' : 'met');

const figure = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

export function formatTable(rows: Row[]): string {
  const heads = ['section', 'measure', 'ours', 'rival', 'ratio', 'goal', ''];
  const lines = rows.map((row) => [
    row.section,
    row.measure,
    figure(row.ours),
    row.rival === null ? '' : figure(row.rival),
    row.ratio === null ? '' : row.ratio.toFixed(2),
    row.goal ?? '',
    verdictOf(row),
  ]);
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...lines.map((line) => (line[column] ?? '').length)),
  );
  const draw = (line: string[]) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [heads, widths.map((width) => '-'.repeat(width)), ...lines].map(draw).join('\n');
}
