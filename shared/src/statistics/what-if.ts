// Replays recent arrivals and human decisions with other thresholds (AN23 to AN26).
import type { ThresholdSample } from '../schemas/thresholds.ts';
import { predictCount, sumOf, type Estimate, type Interval } from './statistics.ts';
import type { BelowReview } from '../enums.ts';

/** The thresholds to try. */
export interface Trial {
  auto: number;
  review: number;
  below: BelowReview;
}

interface Sums {
  arrived: number;
  reviewed: number;
  wrong: number;
}

/** A sample prepared for one choice of escalating flags: each query then costs a binary search, regardless of the size. */
export interface Replay {
  arrived: number;
  /** Arrivals that a flag escalates, regardless of their confidence. */
  flagged: number;
  /** The confidences without an escalating flag, ascending. */
  confidences: readonly number[];
  /** Per kind: suffix sums from the confidence at this index; one entry more than there are confidences. */
  kinds: readonly (readonly Sums[])[];
  /** Per kind: whether a threshold can approve its items (TS1). */
  fits: readonly boolean[];
  dispersion: ThresholdSample['dispersion'];
}

/** For the next batch of as many items as the sample has. */
export interface Prediction {
  arrived: number;
  automatic: Estimate;
  people: Estimate;
  /** Rejected by confidence alone. */
  refused: Estimate;
  /** Automatic decisions that reviewers would have changed, among those of `known`; null when `known` is zero. */
  wrong: Estimate | null;
  /** The same as a share of `known`. */
  rate: Estimate | null;
  /** Automatic items of a kind that reviewers have looked at. */
  known: number;
  /** Automatic items of a kind that no reviewer has looked at: their error rate is unknown. */
  unreviewed: number;
}

/** @param escalating places in `sample.flags` */
export function replay(
  sample: Pick<ThresholdSample, 'cells' | 'flag_sets' | 'kinds' | 'arrivals' | 'dispersion'>,
  escalating: ReadonlySet<number>,
): Replay {
  const escalates = sample.flag_sets.map((flags) => flags.some((flag) => escalating.has(flag)));
  const free = sample.cells.filter(([, flags]) => escalates[flags] !== true);
  const confidences = [...new Set(free.map(([confidence]) => confidence))].sort((a, b) => a - b);
  const place = new Map(confidences.map((confidence, index) => [confidence, index]));
  const kinds = sample.kinds.map(() => Array.from({ length: confidences.length + 1 }, none));
  for (const [confidence, , kind, arrived, reviewed, wrong] of free) {
    const at = kinds[kind]?.[place.get(confidence) ?? -1];
    if (at !== undefined) add(at, { arrived, reviewed, wrong });
  }
  for (const sums of kinds) for (let at = sums.length - 2; at >= 0; at -= 1) add(sums[at]!, sums[at + 1]!);
  const unflagged = kinds.reduce((sum, sums) => sum + (sums[0]?.arrived ?? 0), 0);
  const fits = sample.kinds.map(({ kind }) => kind !== 'needs_person');
  const { arrivals, dispersion } = sample;
  return { arrived: arrivals.n, flagged: arrivals.n - unflagged, confidences, kinds, fits, dispersion };
}

const none = (): Sums => ({ arrived: 0, reviewed: 0, wrong: 0 });

function add(to: Sums, more: Sums): void {
  to.arrived += more.arrived;
  to.reviewed += more.reviewed;
  to.wrong += more.wrong;
}

/** Routes the replay by RT1 to RT4 and RT8 with other thresholds; null without arrivals. */
export function predict(of: Replay, { auto, review, below }: Trial): Prediction | null {
  if (of.arrived === 0) return null;
  const from = (threshold: number) => of.kinds.map((sums) => sums[firstFrom(of.confidences, threshold)] ?? none());
  const above = from(auto).filter((_, kind) => of.fits[kind]);
  const automatic = arrivedOf(above);
  const refused = below === 'reject' ? of.arrived - of.flagged - arrivedOf(from(Math.min(review, auto))) : 0;
  const known = above.filter(({ reviewed }) => reviewed > 0);
  return {
    arrived: of.arrived,
    automatic: nextOf(of, automatic),
    people: nextOf(of, of.arrived - automatic - refused),
    refused: nextOf(of, refused),
    ...errors(of, known),
    known: arrivedOf(known),
    unreviewed: automatic - arrivedOf(known),
  };
}

const arrivedOf = (kinds: readonly Pick<Sums, 'arrived'>[]): number =>
  kinds.reduce((sum, { arrived }) => sum + arrived, 0);

/** How many of the next batch of the same size to expect, given `count` in this sample. */
function nextOf({ arrived, dispersion }: Replay, count: number): Estimate {
  const seen = { k: count, n: arrived, reviewed: 1 };
  return { value: count, ...predictionInterval(seen, arrived, dispersion.arrivals) };
}

/**
 * AN24: how many of the next `m`, given `k` of `n`, where both samples are overdispersed. The smaller the reviewed
 * share, the fewer similar neighbours a sample contains, so audits carry almost as much information as independent
 * items.
 */
function predictionInterval(
  { k, n, reviewed }: { k: number; n: number; reviewed: number },
  m: number,
  dispersion: number,
): Interval {
  const seen = 1 + Math.min(1, reviewed) * (dispersion - 1);
  const interval = predictCount(k / seen, n / seen, m / dispersion);
  return interval ? { low: interval.low * dispersion, high: interval.high * dispersion } : { low: 0, high: m };
}

/**
 * AN24: each kind is a stratum. Within one, the reviewed sample does not depend on confidence: everything queued or
 * escalated, over time, and of the auto-approved items those sampled for an audit. So the error share of a kind is
 * estimated from its reviewed items and applies to all its arrivals: each decision weighs arrived / reviewed, which for
 * audits is about 1 / audit rate (the ratio estimator of W. G. Cochran, "Sampling Techniques", 3rd ed. 1977, sections
 * 5.3 and 6.1). Kinds are independent, and add up by MOVER.
 */
function errors(of: Replay, kinds: readonly Sums[]): Pick<Prediction, 'wrong' | 'rate'> {
  const strata = kinds.filter(({ arrived }) => arrived > 0);
  const total = arrivedOf(strata);
  if (total === 0) return { wrong: null, rate: null };
  const wrong = sumOf(strata.map((sums) => wrongOf(of, sums)));
  const among = sumOf(strata.map((sums) => wrongAmong(sums, of.dispersion.wrong)));
  return { wrong: inside(wrong, of.arrived), rate: scaled(inside(among, total), total) };
}

/**
 * The wrong items of a kind among the next batch of arrivals. The reviewed items represent `reviewed / arrived` of all
 * arrivals, so the interval also covers the size of the kind in the next batch.
 */
function wrongOf(of: Replay, { arrived, reviewed, wrong }: Sums): Estimate {
  const share = reviewed / arrived;
  const { low, high } = predictionInterval(
    { k: wrong, n: of.arrived * share, reviewed: share },
    of.arrived,
    of.dispersion.wrong,
  );
  const most = nextOf(of, arrived).high;
  return { value: wrong / share, low: Math.min(low, most), high: Math.min(high, most) };
}

/** The wrong items of a kind if exactly as many of it arrive again. */
function wrongAmong({ arrived, reviewed, wrong }: Sums, dispersion: number): Estimate {
  const share = reviewed / arrived;
  return {
    value: wrong / share,
    ...predictionInterval({ k: wrong, n: reviewed, reviewed: share }, arrived, dispersion),
  };
}

const inside = ({ value, low, high }: Estimate, most: number): Estimate => ({
  value,
  low: Math.max(0, low),
  high: Math.min(most, high),
});

const scaled = ({ value, low, high }: Estimate, by: number): Estimate => ({
  value: value / by,
  low: low / by,
  high: high / by,
});

/** The first index whose confidence is at or above the threshold, as routing compares them (RT2). */
function firstFrom(confidences: readonly number[], threshold: number): number {
  let [low, high] = [0, confidences.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (confidences[middle]! >= threshold) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Thresholds above `low`, up to `high`, at which items of a never-reviewed kind would be auto-approved. */
export interface UnreviewedRange {
  low: number;
  high: number;
}

/** AN25: the ranges without review data, in order and disjoint. */
export function unreviewedRanges({ confidences, kinds, fits }: Replay): UnreviewedRange[] {
  const ranges: UnreviewedRange[] = [];
  const extend = (low: number, high: number) => {
    const last = ranges.at(-1);
    if (last?.high === low) last.high = high;
    else ranges.push({ low, high });
  };
  confidences.forEach((confidence, at) => {
    const here = kinds
      .filter((_, kind) => fits[kind])
      .map((sums) => ({
        arrived: sums[at]!.arrived - sums[at + 1]!.arrived,
        reviewed: sums[at]!.reviewed,
      }));
    const known = here.filter(({ reviewed }) => reviewed > 0);
    const unreviewed = arrivedOf(here) - arrivedOf(known);
    if (unreviewed > arrivedOf(known) || known.length === 0) extend(confidences[at - 1] ?? 0, confidence);
  });
  const last = confidences.at(-1) ?? 0;
  if (last < 1) extend(last, 1);
  return ranges;
}

const DAY_MS = 86_400_000;

/** Days that the arrivals of the sample span: at least one, because an hour says little about a day. */
export function daysOf({ from, to, arrivals }: Pick<ThresholdSample, 'from' | 'to' | 'arrivals'>): number {
  const since = Math.max(Date.parse(from), Date.parse(arrivals.since ?? from));
  return Math.max(1, (Date.parse(to) - since) / DAY_MS);
}

/** AN26: review hours per day at the pace of the newest decisions, audits included; null while no pace is known. */
export function hoursADay(
  sample: Pick<ThresholdSample, 'from' | 'to' | 'arrivals' | 'median' | 'settings'>,
  { people, automatic }: Pick<Prediction, 'people' | 'automatic'>,
): number | null {
  if (sample.median.seconds === null) return null;
  const items = people.value + automatic.value * sample.settings.audit_rate;
  return (items / daysOf(sample)) * (sample.median.seconds / 3600);
}
