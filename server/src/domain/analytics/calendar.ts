// Minutes, hours and days of a time zone through clock changes, and the UTC grains that a period consists of.
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export type Bucket = 'minute' | 'hour' | 'day';

const formats = new Map<string, Intl.DateTimeFormat>();

/** How far the zone's clocks are ahead of UTC at this moment, in ms. Errors: `RangeError` for an unknown zone. */
function offsetAt(at: number, zone: string): number {
  if (zone === 'UTC') return 0;
  let format = formats.get(zone);
  if (format === undefined) {
    const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...parts });
    formats.set(zone, format);
  }
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const local = Date.UTC(part.year ?? 0, (part.month ?? 1) - 1, part.day, part.hour, part.minute);
  // Before standard time, offsets included seconds; whole minutes are precise enough.
  return local - Math.floor(at / MINUTE) * MINUTE;
}

const dateAt = (at: number, zone: string): number => Math.floor((at + offsetAt(at, zone)) / DAY);

/** The first moment of a date, which is not midnight where the clocks skip it. `date` counts days since 1970. */
function beginningOf(date: number, zone: string): number {
  const midnight = date * DAY;
  const offsets = [offsetAt(midnight - DAY, zone), offsetAt(midnight + DAY, zone)];
  const moments = offsets.map((offset) => midnight - offset).filter((at) => dateAt(at, zone) === date);
  return Math.min(...(moments.length > 0 ? moments : [midnight - offsetAt(midnight, zone)]));
}

/** When the hour of the zone's clocks begins that contains this moment. */
const hourOf = (at: number, zone: string): number => at - ((((at + offsetAt(at, zone)) % HOUR) + HOUR) % HOUR);

/** The hour that the zone's clocks show at a moment (ms), 0 to 23. */
export const hourOfDay = (at: number, zone: string): number =>
  Math.floor(((((at + offsetAt(at, zone)) % DAY) + DAY) % DAY) / HOUR);

/** A clock change of half an hour makes one hour longer or shorter. */
function hourAfter(start: number, zone: string): number {
  const end = hourOf(start + HOUR, zone);
  return end > start ? end : start + HOUR;
}

interface Step {
  /** When the bucket that contains a moment begins. */
  floor: (at: number, zone: string) => number;
  /** When the next bucket begins. */
  next: (start: number, zone: string) => number;
}

const STEPS = {
  minute: { floor: (at) => Math.floor(at / MINUTE) * MINUTE, next: (start) => start + MINUTE },
  hour: { floor: hourOf, next: hourAfter },
  day: {
    floor: (at, zone) => beginningOf(dateAt(at, zone), zone),
    next: (start, zone) => beginningOf(dateAt(start, zone) + 1, zone),
  },
} as const satisfies Record<Bucket, Step>;

/** When the day of the zone's clocks begins that contains this moment; in ms. */
export const dayOf = (at: number, zone: string): number => STEPS.day.floor(at, zone);

/** When each bucket of a window begins, the first of them at or before `from`; all in ms. */
export function bucketsOf({ from, to }: { from: number; to: number }, bucket: Bucket, zone: string): number[] {
  const { floor, next }: Step = STEPS[bucket];
  const starts = [];
  for (let at = floor(from, zone); at < to; at = next(at, zone)) starts.push(at);
  return starts;
}

/** A period that rows of one grain (UTC) cover exactly: from `low` (included) to `high` (excluded). */
export interface Piece {
  grain: Bucket;
  low: number;
  high: number;
}

/** Splits a period of whole minutes into as few rows as possible: days in the middle, hours and minutes around them. */
export function piecesOf(low: number, high: number): Piece[] {
  return split({ low, high }, [
    ['day', DAY],
    ['hour', HOUR],
    ['minute', MINUTE],
  ]);
}

function split({ low, high }: Omit<Piece, 'grain'>, grains: readonly (readonly [Bucket, number])[]): Piece[] {
  const [first, ...finer] = grains;
  if (first === undefined || low >= high) return [];
  const [grain, size] = first;
  const [start, end] = [Math.ceil(low / size) * size, Math.floor(high / size) * size];
  if (start >= end) return split({ low, high }, finer);
  return [...split({ low, high: start }, finer), { grain, low: start, high: end }, ...split({ low: end, high }, finer)];
}
