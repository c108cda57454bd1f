// The ranges of the page: their spans, their queries, and how their buckets are drawn.
import { knownTimeZone } from '#lib/format/format.ts';
import type { TimeBucket } from '#lib/components/charts/steps.ts';
import type { Analytics } from '@countersign/shared/schemas/analytics';

export const RANGES = ['hour', 'day', 'week', 'month'] as const;
export type Range = (typeof RANGES)[number];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const BUCKET_MS = { minute: MINUTE, hour: HOUR, day: DAY } as const satisfies Record<Analytics['bucket'], number>;

interface Plan {
  /** The span of the range, in ms. */
  span: number;
  bucket: Analytics['bucket'];
  /** How many of the server's buckets form one step of the plot. */
  group: number;
}

const PLANS = {
  hour: { span: HOUR, bucket: 'minute', group: 5 },
  day: { span: DAY, bucket: 'hour', group: 1 },
  week: { span: 7 * DAY, bucket: 'hour', group: 6 },
  month: { span: 30 * DAY, bucket: 'day', group: 1 },
} as const satisfies Record<Range, Plan>;

/** The range of a URL's `range`; when it names none, the one that shows all of a project of this age (ms), from a day to a month. */
export const rangeOf = (asked: string | null, age: number): Range =>
  RANGES.find((range) => range === asked) ??
  (age <= PLANS.day.span ? 'day' : age <= PLANS.week.span ? 'week' : 'month');

/** The query of a range that ends now (ms). The server's own clock closes the window. */
export function queryOf(range: Range, now: number): { from: string; bucket: Analytics['bucket'] } {
  const { span, bucket } = PLANS[range];
  return { from: new Date(now - span).toISOString(), bucket };
}

/** A step of the window, in ms; `partial` when the window covers only part of it. */
export interface FlowBucket {
  start: number;
  end: number;
  /** To people. */
  enqueued: number;
  decided: number;
  /** The number waiting at its end, by status. */
  queued: number;
  escalated: number;
  partial: boolean;
}

/** The fewest steps that a plot draws. */
const LEAST_STEPS = 6;

/** The steps from the first that holds anything on, so that a young project does not fill a plot with the time before it. */
export function sinceFirst<T>(steps: readonly T[], holds: (step: T) => boolean): T[] {
  const first = steps.findIndex(holds);
  return first === -1 ? [...steps] : steps.slice(Math.max(0, Math.min(first, steps.length - LEAST_STEPS)));
}

type Flow = Pick<Analytics['flow'][number], 'at' | 'enqueued' | 'decided' | 'queued' | 'escalated'>;
type Report = Pick<Analytics, 'from' | 'to' | 'bucket' | 'time_zone'> & { flow: readonly Flow[] };

/** The server's buckets joined into the steps of the plot; only counts add up. Six-hour steps begin at the zone's midnight. */
export function flowBuckets(range: Range, { from, to, bucket, time_zone, flow }: Report): FlowBucket[] {
  const { group } = PLANS[range];
  const size = BUCKET_MS[bucket];
  // A day with a clock change has its real length.
  const endOf = (index: number, start: number) => Date.parse(flow[index + 1]?.at ?? '') || start + size;
  const joined: (FlowBucket & { buckets: number; key: string })[] = [];
  for (const [index, { at, enqueued, decided, queued, escalated }] of flow.entries()) {
    const start = Date.parse(at);
    const key = group === 1 ? at : groupOf(start, group * size, time_zone);
    const last = joined.at(-1);
    if (last?.key === key) {
      last.end = endOf(index, start);
      last.enqueued += enqueued;
      last.decided += decided;
      Object.assign(last, { queued, escalated });
      last.buckets += 1;
    } else
      joined.push({
        key,
        start,
        end: endOf(index, start),
        enqueued,
        decided,
        queued,
        escalated,
        partial: false,
        buckets: 1,
      });
  }
  const [opens, closes] = [Date.parse(from), Date.parse(to)];
  // Inside the window a shorter step is still complete: the clocks went forward in it.
  const atEdge = (index: number) => index === 0 || index === joined.length - 1;
  return joined.map(({ buckets, key: _, ...rest }, index) => ({
    ...rest,
    partial: (buckets < group && atEdge(index)) || rest.start < opens || rest.end > closes,
  }));
}

/** The server's buckets with the times of their decisions: percentiles do not add up, so they are not joined. */
export function timeBucketsOf({ bucket, flow }: Pick<Analytics, 'bucket' | 'flow'>): TimeBucket[] {
  return flow.map(({ at, time: { n, p50, p90, p99 } }, index) => {
    const start = Date.parse(at);
    const times = p50 === null || p90 === null || p99 === null ? null : { p50, p90, p99 };
    return { start, end: Date.parse(flow[index + 1]?.at ?? '') || start + BUCKET_MS[bucket], n, times };
  });
}

/** The group key of a time: minutes by the clock, hours by the zone's day and the part of it, with any clock change. */
function groupOf(at: number, size: number, zone: string): string {
  if (size < HOUR) return String(Math.floor(at / size));
  const { day, hour } = clockAt(at, zone);
  return `${day} ${Math.floor(hour / (size / HOUR))}`;
}

const FORMATS = {
  clock: { hour: '2-digit', minute: '2-digit' },
  weekday: { weekday: 'short' },
  weekdayClock: { weekday: 'short', hour: '2-digit', minute: '2-digit' },
  day: { day: 'numeric', month: 'short' },
  moment: { dateStyle: 'medium', timeStyle: 'short' },
  dayClock: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

const made = new Map<string, Intl.DateTimeFormat>();

/** Times in the user's locale and the project's zone. */
function formatOf(name: keyof typeof FORMATS, zone: string): Intl.DateTimeFormat {
  const key = `${name} ${zone}`;
  const format =
    made.get(key) ?? new Intl.DateTimeFormat(undefined, { ...FORMATS[name], timeZone: knownTimeZone(zone) });
  made.set(key, format);
  return format;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockAt(at: number, zone: string): { day: number; hour: number; minute: number } {
  const options = {
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
    timeZone: knownTimeZone(zone),
  } as const;
  const clock = clocks.get(zone) ?? new Intl.DateTimeFormat('en', options);
  clocks.set(zone, clock);
  const part = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  return { day: part.day ?? 0, hour: part.hour ?? 0, minute: part.minute ?? 0 };
}

/** Which steps have a label, and its text. */
const TICKS = {
  hour: { on: ({ minute }) => minute % 15 === 0, format: 'clock' },
  day: { on: ({ hour }) => hour % 3 === 0, format: 'clock' },
  week: { on: ({ hour }) => hour < 6, format: 'weekday' },
  month: { on: () => true, format: 'day' },
} as const satisfies Record<
  Range,
  { on: (clock: { hour: number; minute: number }) => boolean; format: keyof typeof FORMATS }
>;

/** The labels under the plot, in order. */
export function ticksOf(
  range: Range,
  steps: readonly Pick<FlowBucket, 'start'>[],
  zone: string,
): { at: number; label: string }[] {
  const { on, format } = TICKS[range];
  const labelled = steps.filter(({ start }) => on(clockAt(start, zone)));
  return labelled.map(({ start }) => ({ at: start, label: formatOf(format, zone).format(start) }));
}

/** The labels of the server's own buckets: the same as those of the steps, which begin with them. */
export function timeBucketTicks(
  range: Range,
  timeBuckets: readonly TimeBucket[],
  zone: string,
): { at: number; label: string }[] {
  const midnights = timeBuckets.filter(({ start }) => range !== 'week' || clockAt(start, zone).hour === 0);
  return ticksOf(range, midnights, zone);
}

/** One of the server's buckets as text. */
export const timeBucketName = (range: Range, timeBucket: TimeBucket, zone: string): string =>
  range === 'hour' ? formatOf('clock', zone).format(timeBucket.start) : flowBucketName(range, timeBucket, zone);

/** A step as text: `13:30 – 13:35`, `Mon 12:00 – 18:00`, `12 Nov`. */
export function flowBucketName(range: Range, { start, end }: Pick<FlowBucket, 'start' | 'end'>, zone: string): string {
  if (range === 'month') return formatOf('day', zone).format(start);
  return formatOf(range === 'week' ? 'weekdayClock' : 'clock', zone).formatRange(start, end);
}

/** A time (ms) with its day, in the project's zone. */
export const momentName = (at: number, zone: string): string => formatOf('moment', zone).format(at);

const WINDOWS = { hour: 'clock', day: 'dayClock', week: 'day', month: 'day' } as const satisfies Record<
  Range,
  keyof typeof FORMATS
>;

/** The time window of the figures. */
export const windowName = (
  range: Range,
  { from, to, time_zone }: Pick<Analytics, 'from' | 'to' | 'time_zone'>,
): string => formatOf(WINDOWS[range], time_zone).formatRange(Date.parse(from), Date.parse(to));
