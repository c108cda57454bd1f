// The figures of every plot as a table: what "show as a table" shows and the CSV carries.
import type { PlotTable } from '#lib/components/charts/table.ts';
import { count, share } from '#lib/format.ts';
import type { Analytics } from '@countersign/shared/api/insights';
import type { ItemStatus } from '@countersign/shared/words';
import { length } from './answers.ts';
import { ratesOf, SPLITS } from './overrides.ts';
import type { Stretch } from './range.ts';
import { words } from './text.ts';

/** A share 0..1: four decimals in a file, whole percent on the page. */
const rate = (value: number) => ({ value: Math.round(value * 10_000) / 10_000, shown: share(value, 1) });

const minutes = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A moment (ms): ISO 8601 in a file, the reader's date and time on the page. */
function time(at: number) {
  return { value: new Date(at).toISOString(), shown: minutes.format(at) };
}

export function mixTable(parts: readonly { key: ItemStatus; word: string; n: number }[], arrived: number): PlotTable {
  const { status, items, share: part } = words.mix.columns;
  return {
    columns: [{ name: status }, { name: items, numeric: true }, { name: part, numeric: true }],
    rows: parts.map(({ key, word, n }) => [{ value: key, shown: word }, n, rate(n / arrived)]),
  };
}

export function flowTable(steps: readonly Stretch[]): PlotTable {
  const { from, to, arrived, decided, whole } = words.flow.columns;
  return {
    columns: [
      { name: from },
      { name: to },
      { name: arrived, numeric: true },
      { name: decided, numeric: true },
      { name: whole },
    ],
    rows: steps.map((step) => [
      time(step.start),
      time(step.end),
      step.arrived,
      step.decided,
      step.partial ? words.flow.no : words.flow.yes,
    ]),
  };
}

/** Seconds; `target` is the project's. */
export function timeTable({ n, p50, p90 }: Analytics['time_to_decision'], target: number): PlotTable {
  const { figure, seconds, length: said } = words.time.columns;
  const line = (name: string, value: number) => [
    name,
    { value: Math.round(value * 1000) / 1000, shown: count(Math.round(value * 10) / 10) },
    length(value),
  ];
  return {
    columns: [{ name: figure }, { name: seconds, numeric: true }, { name: said, numeric: true }],
    rows: [
      ...(p50 === null ? [] : [line(words.time.median, p50)]),
      ...(p90 === null ? [] : [line(words.time.slow, p90)]),
      line(words.time.targetName, target),
      [words.time.n, null, { value: n, shown: count(n) }],
    ],
  };
}

export function overridesTable(overrides: Analytics['overrides']): PlotTable {
  const { columns, groups } = words.overrides;
  const { by, value, decided, overridden, rate: part, low, high } = columns;
  return {
    columns: [
      { name: by },
      { name: value },
      ...[decided, overridden, part, low, high].map((name) => ({ name, numeric: true })),
    ],
    rows: SPLITS.flatMap((split) =>
      ratesOf(overrides, split).map(({ key, k, n, ...bounds }) => [
        groups[split].replace(/^By /, ''),
        key,
        n,
        k,
        rate(k / n),
        rate(bounds.low),
        rate(bounds.high),
      ]),
    ),
  };
}
