// The ranges of the page: how far back each looks, what it asks the server for, and how its buckets are drawn.
import type { Analytics } from '@countersign/shared/api/insights';

export const RANGES = ['hour', 'day', 'week', 'month'] as const;
export type Range = (typeof RANGES)[number];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const BUCKET_MS = { minute: MINUTE, hour: HOUR, day: DAY } as const satisfies Record<Analytics['bucket'], number>;

interface Plan {
  /** How far back it looks, in ms. */
  span: number;
  bucket: Analytics['bucket'];
  /** How many of the server's buckets make one step of the plot. */
  group: number;
}

const PLANS = {
  hour: { span: HOUR, bucket: 'minute', group: 5 },
  day: { span: DAY, bucket: 'hour', group: 1 },
  week: { span: 7 * DAY, bucket: 'hour', group: 6 },
  month: { span: 30 * DAY, bucket: 'day', group: 1 },
} as const satisfies Record<Range, Plan>;

/** The range an address asks for by its `range`; the last day when that is none that is known. */
export const rangeOf = (asked: string | null): Range => RANGES.find((range) => range === asked) ?? 'day';

/** The query for a range that ends now (ms). The server's own clock closes the window. */
export function queryOf(range: Range, now: number): { from: string; bucket: Analytics['bucket'] } {
  const { span, bucket } = PLANS[range];
  return { from: new Date(now - span).toISOString(), bucket };
}

/** A stretch of the window, in ms; `partial` when the window covers only part of what such a stretch usually is. */
export interface Stretch {
  start: number;
  end: number;
  arrived: number;
  decided: number;
  partial: boolean;
}

type Flow = Pick<Analytics['flow'][number], 'at' | 'arrived' | 'decided'>;
type Report = Pick<Analytics, 'from' | 'to' | 'bucket'> & { flow: readonly Flow[] };

/** The server's buckets joined into the steps of the plot; counts only add up. Six-hour steps begin at the reader's midnight. */
export function stretches(range: Range, { from, to, bucket, flow }: Report): Stretch[] {
  const { group } = PLANS[range];
  const size = BUCKET_MS[bucket];
  const joined: (Stretch & { buckets: number; key: number })[] = [];
  for (const { at, arrived, decided } of flow) {
    const start = Date.parse(at);
    const key = group === 1 ? start : groupOf(start, group * size);
    const last = joined.at(-1);
    if (last?.key === key) {
      last.end = start + size;
      last.arrived += arrived;
      last.decided += decided;
      last.buckets += 1;
    } else joined.push({ key, start, end: start + size, arrived, decided, partial: false, buckets: 1 });
  }
  const [opens, closes] = [Date.parse(from), Date.parse(to)];
  return joined.map(({ buckets, key: _, ...rest }) => ({
    ...rest,
    partial: buckets < group || rest.start < opens || rest.end > closes,
  }));
}

/** Where the group of a moment begins: on the clock for minutes, counted from the reader's midnight for hours. */
function groupOf(at: number, size: number): number {
  if (size < HOUR) return Math.floor(at / size) * size;
  const hours = size / HOUR;
  const local = new Date(at);
  return local.setHours(local.getHours() - (local.getHours() % hours), 0, 0, 0);
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
const weekdayClock = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' });
/** The server's days are days in UTC, so they are named there too. */
const utcDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayClock = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const localDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

/** Which steps get a label, and what it says. */
const TICKS = {
  hour: { on: (at: Date) => at.getMinutes() % 15 === 0, format: clock },
  day: { on: (at: Date) => at.getHours() % 3 === 0, format: clock },
  week: { on: (at: Date) => at.getHours() < 6, format: weekday },
  month: { on: () => true, format: utcDay },
} as const satisfies Record<Range, { on: (at: Date) => boolean; format: Intl.DateTimeFormat }>;

/** The labels under the plot, in order. */
export function ticksOf(range: Range, steps: readonly Stretch[]): { at: number; label: string }[] {
  const { on, format } = TICKS[range];
  const labelled = steps.filter(({ start }) => on(new Date(start)));
  return labelled.map(({ start }) => ({ at: start, label: format.format(start) }));
}

/** A stretch in words: `13:30 – 13:35`, `Mon 12:00 – 18:00`, `12 Nov`. */
export function stretchName(range: Range, { start, end }: Pick<Stretch, 'start' | 'end'>): string {
  if (range === 'month') return utcDay.format(start);
  return (range === 'week' ? weekdayClock : clock).formatRange(start, end);
}

const WINDOWS = {
  hour: clock,
  day: dayClock,
  week: localDay,
  month: localDay,
} as const satisfies Record<Range, Intl.DateTimeFormat>;

/** From when to when the figures are. */
export const windowName = (range: Range, { from, to }: Pick<Analytics, 'from' | 'to'>): string =>
  WINDOWS[range].formatRange(Date.parse(from), Date.parse(to));

/** The reader's time zone as people say it: `Lisbon time`, `UTC`. */
export function zoneName(zone = new Intl.DateTimeFormat().resolvedOptions().timeZone): string {
  const place = zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone;
  return zone.includes('/') ? `${place} time` : place;
}
