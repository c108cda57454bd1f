// Stretches of time as a zone has them: minutes, hours and days through every change of its clocks, and the UTC grains they are made of.
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export type Bucket = 'minute' | 'hour' | 'day';

const formats = new Map<string, Intl.DateTimeFormat>();

/** How far the zone's clocks are ahead of UTC at this moment, in ms. Errors: `RangeError` for a zone that is none. */
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
  // Clocks before standard time were off by seconds too; their minutes are near enough.
  return local - Math.floor(at / MINUTE) * MINUTE;
}

const dateAt = (at: number, zone: string): number => Math.floor((at + offsetAt(at, zone)) / DAY);

/** The first moment of a date, which is no midnight where the clocks skip it. `date` counts days since 1970. */
function beginningOf(date: number, zone: string): number {
  const midnight = date * DAY;
  const offsets = [offsetAt(midnight - DAY, zone), offsetAt(midnight + DAY, zone)];
  const moments = offsets.map((offset) => midnight - offset).filter((at) => dateAt(at, zone) === date);
  return Math.min(...(moments.length > 0 ? moments : [midnight - offsetAt(midnight, zone)]));
}

/** Where an hour of the zone's clocks begins. */
const hourOf = (at: number, zone: string): number => at - ((((at + offsetAt(at, zone)) % HOUR) + HOUR) % HOUR);

/** Clocks that move by half an hour leave one hour that is longer or shorter. */
function hourAfter(start: number, zone: string): number {
  const end = hourOf(start + HOUR, zone);
  return end > start ? end : start + HOUR;
}

interface Step {
  /** Where the bucket of a moment begins. */
  floor: (at: number, zone: string) => number;
  /** Where the one after it begins. */
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

/** When each bucket of a window begins, the first of them at or before `from`; all in ms. */
export function bucketsOf({ from, to }: { from: number; to: number }, bucket: Bucket, zone: string): number[] {
  const { floor, next }: Step = STEPS[bucket];
  const starts = [];
  for (let at = floor(from, zone); at < to; at = next(at, zone)) starts.push(at);
  return starts;
}

/** A stretch that rows of one grain (UTC) cover exactly: from `low`, up to but without `high`. */
export interface Piece {
  grain: Bucket;
  low: number;
  high: number;
}

/** A stretch of whole minutes as few rows as can be: days in the middle, hours and minutes around them. */
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
