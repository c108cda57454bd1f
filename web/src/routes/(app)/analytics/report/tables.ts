// The figures of every plot as a table, for "show as a table" and the CSV.
import type { PlotTable } from '#lib/components/charts/table.ts';
import { count, length, share } from '#lib/format/format.ts';
import type { TimeBucket } from '#lib/components/charts/steps.ts';
import type { Analytics, Times } from '@countersign/shared/schemas/analytics';
import { EXPIRED_SPLITS, expiredRatesOf, invalidRatesOf, ratesOf, SPLITS, type Rate } from './overrides.ts';
import { type FlowBucket, momentName } from '../range.ts';
import type { MixPart } from './mix.ts';
import { messages } from '../messages.ts';

/** A share 0..1: four decimals in a file, whole percent on the page. */
const rate = (value: number) => ({ value: Math.round(value * 10_000) / 10_000, shown: share(value, 1) });

/** A time (ms): ISO 8601 in a file; on the page the date and time in the project's zone, as in the plot (AN6). */
const time = (at: number, zone: string) => ({ value: new Date(at).toISOString(), shown: momentName(at, zone) });

export function mixTable(parts: readonly (MixPart & { word: string })[], arrived: number): PlotTable {
  const { status, items, share: part } = messages.mix.columns;
  return {
    columns: [{ name: status }, { name: items, numeric: true }, { name: part, numeric: true }],
    rows: parts.map(({ key, word, n, share: shown }) => [
      { value: key, shown: word },
      n,
      { ...rate(n / arrived), shown },
    ]),
  };
}

export function flowTable(steps: readonly FlowBucket[], zone: string): PlotTable {
  const { from, to, enqueued, decided, whole } = messages.flow.columns;
  return {
    columns: [
      { name: from },
      { name: to },
      { name: enqueued, numeric: true },
      { name: decided, numeric: true },
      { name: whole },
    ],
    rows: steps.map((step) => [
      time(step.start, zone),
      time(step.end, zone),
      step.enqueued,
      step.decided,
      step.partial ? messages.flow.no : messages.flow.yes,
    ]),
  };
}

/** Seconds, exact in a file; the page shows tenths. */
const seconds = (value: number) => ({
  value: Math.round(value * 1000) / 1000,
  shown: count(Math.round(value * 10) / 10),
});

/** Decisions, first claims, and the project's target, in seconds. */
export function timeTable(decided: Times, claimed: Times, target: number): PlotTable {
  const { columns, names, claims, n, targetName } = messages.time;
  const line = (name: string, value: number) => [name, seconds(value), length(value)];
  const lines = (times: Times, named: (name: string) => string) =>
    PERCENTILES.flatMap((key) => (times[key] === null ? [] : [line(named(names[key]), times[key])]));
  const counted = (name: string, value: number) => [name, null, { value, shown: count(value) }];
  return {
    columns: [{ name: columns.figure }, { name: columns.seconds, numeric: true }, { name: columns.length }],
    rows: [
      ...lines(decided, (name) => name),
      line(targetName, target),
      counted(n, decided.n),
      ...lines(claimed, claims),
      counted(claims(n), claimed.n),
    ],
  };
}

const PERCENTILES = ['p50', 'p90', 'p99'] as const;

/** Buckets without a decision have no duration, which differs from 0. */
export function timeBucketsTable(timeBuckets: readonly TimeBucket[], zone: string): PlotTable {
  const { from, to, n } = messages.slower.columns;
  const figures = [n, ...PERCENTILES.map((key) => messages.slower.columns[key])];
  return {
    columns: [{ name: from }, { name: to }, ...numbers(figures)],
    rows: timeBuckets.map(({ start, end, n: decided, times }) => [
      time(start, zone),
      time(end, zone),
      decided,
      ...PERCENTILES.map((key) => (times === null ? null : seconds(times[key]))),
    ]),
  };
}

const groupOf = ({ key, kind }: Rate) => ({ value: kind === 'none' ? '' : key, shown: key });

/** n, k, their rate and its interval. */
const figuresOf = ({ k, n, low, high }: Rate) => [n, k, rate(k / n), rate(low), rate(high)];

const numbers = (names: readonly string[]) => names.map((name) => ({ name, numeric: true }));

/** What a group is grouped by, as a word in a row. */
const splitName = (group: string): string => group.replace(/^By /, '');

export function overridesTable(overrides: Analytics['overrides']): PlotTable {
  const { columns, groups } = messages.overrides;
  const { by, value, ...figures } = columns;
  return {
    columns: [{ name: by }, { name: value }, ...numbers(Object.values(figures))],
    rows: SPLITS.flatMap((split) =>
      ratesOf(overrides, split).map((each) => [splitName(groups[split]), groupOf(each), ...figuresOf(each)]),
    ),
  };
}

export function invalidTable(invalid: Analytics['invalid']): PlotTable {
  const { model, ...figures } = messages.invalid.columns;
  return {
    columns: [{ name: model }, ...numbers(Object.values(figures))],
    rows: invalidRatesOf(invalid).map((each) => [groupOf(each), ...figuresOf(each)]),
  };
}

export function expiredTable(expired: Analytics['expired']): PlotTable {
  const { groups } = messages.overrides;
  const { by, value, ...figures } = messages.expired.columns;
  return {
    columns: [{ name: by }, { name: value }, ...numbers(Object.values(figures))],
    rows: EXPIRED_SPLITS.flatMap((split) =>
      expiredRatesOf(expired, split).map((each) => [splitName(groups[split]), groupOf(each), ...figuresOf(each)]),
    ),
  };
}

export function depthTable(steps: readonly FlowBucket[], zone: string): PlotTable {
  const { from, to, queued, escalated } = messages.depth.columns;
  return {
    columns: [{ name: from }, { name: to }, { name: queued, numeric: true }, { name: escalated, numeric: true }],
    rows: steps.map((step) => [time(step.start, zone), time(step.end, zone), step.queued, step.escalated]),
  };
}

export function workTable(workload: Analytics['workload']): PlotTable {
  const { name, ...figures } = messages.work.columns;
  return {
    columns: [{ name }, ...numbers(Object.values(figures))],
    rows: workload.map((one) => [one.name, one.decided, one.overridden, one.moved, one.claimed, one.holding]),
  };
}

export function webhookTable(parts: readonly { word: string; n: number }[]): PlotTable {
  const { outcome, attempts } = messages.webhook.columns;
  return {
    columns: [{ name: outcome }, { name: attempts, numeric: true }],
    rows: parts.map(({ word, n }) => [word, n]),
  };
}
