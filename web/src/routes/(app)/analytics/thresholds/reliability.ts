// The reliability diagram: bins as points with intervals, its answer as text, and its table; without audits.
import type { PlotTable } from '#lib/components/charts/table.ts';
import { confidence, count, share } from '#lib/format/format.ts';
import type { ConfidenceBin } from '@countersign/shared/schemas/thresholds';
import { expectedCalibrationError, wilson, type Interval } from '@countersign/shared/statistics/statistics';
import { messages } from './messages.ts';

const { reliability } = messages;

export interface Point extends ConfidenceBin, Record<'mean' | 'rate', number> {
  interval: Interval;
}

/** Empty bins have no point: their rate is unknown. By confidence, items that waited before those that were audited. */
export function pointsOf(bins: readonly ConfidenceBin[]): Point[] {
  return bins
    .flatMap((bin) => {
      const interval = wilson(bin.unchanged, bin.n);
      return interval ? [{ ...bin, interval, mean: bin.confidence_sum / bin.n, rate: bin.unchanged / bin.n }] : [];
    })
    .sort((a, b) => a.mean - b.mean || Number(a.audit) - Number(b.audit));
}

const decided = (bins: readonly ConfidenceBin[]) => bins.reduce((sum, { n }) => sum + n, 0);

export function reliabilityAnswer(bins: readonly ConfidenceBin[]) {
  const [audits, waited] = [bins.filter(({ audit }) => audit), bins.filter(({ audit }) => !audit)];
  const part = (of: readonly ConfidenceBin[], say: (error: string, n: string) => string) => {
    const error = expectedCalibrationError(of);
    return error === null ? [] : [say(confidence(Math.round(error * 1000) / 1000), count(decided(of)))];
  };
  const said = [...part(waited, reliability.answer), ...part(audits, reliability.audits)];
  return {
    answer: said.join(' ') || reliability.empty,
    unit: reliability.unit(count(decided(waited)), count(decided(audits))),
    known: said.length > 0,
  };
}

/** `0.75 to 0.80`, or one confidence when the bin has no other. */
const rangeOf = ({ low, high }: ConfidenceBin) =>
  low === high ? reliability.one(confidence(low)) : `${confidence(low)} – ${confidence(high)}`;

const kindOf = ({ audit }: ConfidenceBin) => (audit ? reliability.audited : reliability.queued);

export const readPoint = (point: Point): string =>
  reliability.read({
    range: rangeOf(point),
    kind: kindOf(point),
    rate: share(point.rate, 1),
    low: share(point.interval.low, 1),
    high: share(point.interval.high, 1),
    n: reliability.n(count(point.n)),
  });

const rounded = (value: number) => Math.round(value * 10_000) / 10_000;
const part = (value: number) => ({ value: rounded(value), shown: share(value, 1) });

export function reliabilityTable(points: readonly Point[]): PlotTable {
  const { from, to, kind, ...numbers } = reliability.columns;
  return {
    columns: [
      ...[from, to].map((name) => ({ name, numeric: true })),
      { name: kind },
      ...Object.values(numbers).map((name) => ({ name, numeric: true })),
    ],
    rows: points.map((point) => [
      point.low,
      point.high,
      kindOf(point),
      point.n,
      point.unchanged,
      part(point.rate),
      part(point.interval.low),
      part(point.interval.high),
      rounded(point.mean),
    ]),
  };
}

/** The size of a label beside a dot, and its distance, in px. */
const LABEL = { width: 96, gap: 12 };

export type Side = 'left' | 'right';

/**
 * The side of each dot with room for its label, by the dots' positions in px; null where it would cover another dot, its interval
 * or its label. The half of the plot determines which side is tried first.
 */
export function labelSides(places: readonly number[], plot: { left: number; right: number }): (Side | null)[] {
  const taken: [number, number][] = [];
  return places.map((at, index) => {
    const others = places.filter((_, other) => other !== index);
    const box = (side: Side): [number, number] =>
      side === 'left' ? [at - LABEL.gap - LABEL.width, at - LABEL.gap] : [at + LABEL.gap, at + LABEL.gap + LABEL.width];
    const hasRoom = (side: Side) => {
      const [low, high] = box(side);
      const free = !others.some((other) => other > low - LABEL.gap && other < high + LABEL.gap);
      return low >= plot.left && high <= plot.right && free && !taken.some(([from, to]) => from < high && to > low);
    };
    const first: Side = at > (plot.left + plot.right) / 2 ? 'left' : 'right';
    const side = [first, first === 'left' ? ('right' as const) : ('left' as const)].find(hasRoom) ?? null;
    if (side !== null) taken.push(box(side));
    return side;
  });
}
