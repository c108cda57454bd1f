// Formats numbers, times and names with Intl in the user's locale.

import { COUNT_LIMIT } from '@countersign/shared/limits';
import { isTimeZone } from '@countersign/shared/time-zone';
import { atFirstUse } from './at-first-use.ts';

const number = atFirstUse(() => new Intl.NumberFormat());
const wholePercent = atFirstUse(() => new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 }));
const FINE = 0.01;
const short = atFirstUse(
  // In other languages it may be longer than the number: `9,9 mil`.
  () => new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1, roundingMode: 'trunc' }),
);
const finePercent = atFirstUse(() => new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 }));
const SECONDS = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
const clockTime = atFirstUse(() => new Intl.DateTimeFormat(undefined, SECONDS));
const MINUTES = { hour: '2-digit', minute: '2-digit' } as const;
const minutes = atFirstUse(() => new Intl.DateTimeFormat(undefined, MINUTES));
const days = atFirstUse(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }));
const zoned = atFirstUse(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' }));

/** Shown for every unknown value. */
export const UNKNOWN = '—';

/** A count with the locale's grouping. */
export const count = (value: number): string => number().format(value);

/** A count of the queue: above the server's limit it says that there are more. */
export const queueCount = (value: number): string => (Number.isFinite(value) ? count(value) : `${count(COUNT_LIMIT)}+`);

/** A count of the queue in a few characters, from a thousand on: `1.2K`, `10K+`. Never more than there are. */
export const shortQueueCount = (value: number): string =>
  Number.isFinite(value) ? short().format(value) : `${short().format(COUNT_LIMIT)}+`;

/** A count that the server stops at its limit: one more means that there are more. */
export const boundedCount = (value: number): string => queueCount(value > COUNT_LIMIT ? Infinity : value);

/**
 * A part of a whole in percent, rounded to what tells something: whole percent, and tenths below 1% and above 99%. Only nothing
 * reads 0%, and only everything 100%. Unknown without a whole.
 */
export function share(part: number, of: number): string {
  if (!(of > 0)) return UNKNOWN;
  const value = part / of;
  if (value <= 0 || value >= 1 || (value >= FINE && value <= 1 - FINE)) return wholePercent().format(value);
  if (value < 0.000_5) return `<${finePercent().format(0.001)}`;
  return value > 0.999_5 ? `>${finePercent().format(0.999)}` : finePercent().format(value);
}

/**
 * The parts of a whole in percent, rounded by largest remainder so that they add up to 100%: whole percent, or tenths where a part
 * is below 1%. As in `share`, only nothing reads 0%, and only everything 100%.
 */
export function shares(parts: readonly number[]): string[] {
  const whole = parts.reduce((sum, part) => sum + part, 0);
  if (!(whole > 0)) return parts.map(() => UNKNOWN);
  const steps = parts.some((part) => part > 0 && part / whole < FINE) ? 1000 : 100;
  const rounded = inSteps(parts, { whole, steps });
  return rounded.map((step, at) => {
    if (step === 0 && parts[at] !== 0) return `<${finePercent().format(0.001)}`;
    if (step === steps && parts[at] !== whole) return `>${finePercent().format(0.999)}`;
    return finePercent().format(step / steps);
  });
}

/** The parts in steps of the whole, which add up to all steps: those with the largest remainders are rounded up. */
function inSteps(parts: readonly number[], { whole, steps }: { whole: number; steps: number }): number[] {
  const rounded = parts.map((part) => Math.floor((part * steps) / whole));
  const missing = steps - rounded.reduce((sum, step) => sum + step, 0);
  const remainder = (at: number) => (parts[at]! * steps) % whole;
  const byRemainder = parts.map((_, at) => at).sort((a, b) => remainder(b) - remainder(a));
  for (const at of byRemainder.slice(0, missing)) rounded[at]! += 1;
  return rounded;
}

/** A share 0..1 as percent with at most one decimal, for shares that are small. */
export const percent = (value: number): string => finePercent().format(value);

const size = (unit: 'byte' | 'kilobyte' | 'megabyte' | 'gigabyte') =>
  new Intl.NumberFormat(undefined, { style: 'unit', unit, maximumSignificantDigits: 3 });

/** A number of bytes in the largest unit with a whole part; each unit is a thousand of the one before. */
export function bytes(value: number): string {
  if (value < 1e3) return size('byte').format(value);
  if (value < 1e6) return size('kilobyte').format(value / 1e3);
  return value < 1e9 ? size('megabyte').format(value / 1e6) : size('gigabyte').format(value / 1e9);
}

/**
 * A confidence or threshold 0..1 with two to four decimals. Never rounded up: 0.94999 must not read as 0.95,
 * because the thresholds compare the number as submitted (RT5).
 */
export function confidence(value: number): string {
  const decimals = (String(value).split('.')[1] ?? '').length;
  if (decimals <= 4 && !String(value).includes('e')) return value.toFixed(Math.max(2, decimals));
  return (Math.floor(value * 10_000) / 10_000).toFixed(4);
}

/** A countdown as `m:ss`, `h:mm:ss` from an hour on; never below zero. Milliseconds in. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

const LENGTHS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** A length of time in its two largest units: `45 s`, `3 min`, `1 h 1 min`, `2 d 4 h`. Milliseconds in. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const first = LENGTHS.findIndex(([, size]) => seconds >= size);
  const head = LENGTHS[first];
  if (head === undefined) return '0 s';
  const text = `${Math.floor(seconds / head[1])} ${head[0]}`;
  const next = LENGTHS[first + 1];
  // Seconds beside minutes are noise in an age.
  if (next === undefined || next[0] === 's') return text;
  const rest = Math.floor((seconds % head[1]) / next[1]);
  return rest === 0 ? text : `${text} ${rest} ${next[0]}`;
}

const oneDecimal = atFirstUse(() => new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 }));

/** An estimated number: with tenths below ten, whole from there on. */
export const tenths = (value: number): string => (value < 9.95 ? oneDecimal().format(value) : count(Math.round(value)));

/**
 * A measured length of time in seconds, rounded to what is known: `0.6 s`, `42 s`, `1 min 30 s`, `1 h 1 min`. An age or a time left,
 * which change while they are read, are `duration`.
 */
export function length(seconds: number): string {
  if (seconds < 0.05) return seconds <= 0 ? '0 s' : `under ${tenths(0.1)} s`;
  if (seconds < 9.95) return `${tenths(seconds)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  if (seconds >= 295) return duration(roundTo(seconds, seconds < 86_370 ? 60 : 3600) * 1000);
  const tens = roundTo(seconds, 10);
  return tens % 60 === 0 ? duration(tens * 1000) : `${duration(tens * 1000)} ${tens % 60} s`;
}

/** A length in a sentence such as "50% within 12 s": "under 0.1 s" says it alone. */
export const within = (time: string): string => (time.startsWith('under ') ? time : `within ${time}`);

const roundTo = (value: number, step: number): number => Math.round(value / step) * step;

/** How long a request took. Milliseconds in. */
export const took = (ms: number): string => (ms < 999.5 ? `${count(Math.round(ms))} ms` : length(ms / 1000));

/** The time since (or until) a moment, in its largest unit, rounded to the nearest: `2 min ago`, `in 5 min`. Both in ms. */
export function ago(at: number, now: number): string {
  const seconds = Math.trunc(Math.abs(at - now) / 1000);
  const fits = LENGTHS.findIndex(([, size]) => seconds >= size);
  if (fits === -1) return 'now';
  // 59 min 40 s are an hour.
  const larger = LENGTHS[fits - 1];
  const [unit, size] = larger && roundTo(seconds, LENGTHS[fits]![1]) >= larger[1] ? larger : LENGTHS[fits]!;
  const text = `${Math.round(seconds / size)} ${unit}`;
  return at < now ? `${text} ago` : `in ${text}`;
}

/** The time of day in ms, without seconds. `timeZone`: an IANA name; by default the user's own. */
export const hourAndMinute = (at: number, timeZone?: string): string =>
  timeZone === undefined
    ? minutes().format(at)
    : new Date(at).toLocaleTimeString(undefined, { ...MINUTES, timeZone: knownTimeZone(timeZone) });

/** The time of day of an ISO time, with seconds. `timeZone`: an IANA name; by default the user's own. */
export const timeOfDay = (iso: string, timeZone?: string): string =>
  timeZone === undefined
    ? clockTime().format(new Date(iso))
    : new Date(iso).toLocaleTimeString(undefined, { ...SECONDS, timeZone: knownTimeZone(timeZone) });

/** A time zone as this browser can show it: one newer than the browser is shown as UTC. */
export const knownTimeZone = (timeZone: string): string => (isTimeZone(timeZone) ? timeZone : 'UTC');

/**
 * A time zone as people say it: `Lisbon time`, `UTC`; for one that this browser does not know, a note that its times are in UTC.
 */
export function zoneName(zone: string): string {
  if (knownTimeZone(zone) !== zone) return `UTC (this browser does not know ${zone})`;
  const place = zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone;
  return zone.includes('/') ? `${place} time` : place;
}

/** The day of an ISO time. `timeZone`: an IANA name; by default the user's own. */
export const day = (iso: string, timeZone?: string): string =>
  timeZone === undefined
    ? days().format(new Date(iso))
    : new Date(iso).toLocaleDateString(undefined, { dateStyle: 'medium', timeZone: knownTimeZone(timeZone) });

/** Date and time of an ISO time with the user's zone named: for tooltips and copies. */
export const exactMoment = (iso: string): string => zoned().format(new Date(iso));

/** A wallet address in short form: `7xKX…9fQ2`. */
export const shortAddress = (address: string): string =>
  address.length <= 9 ? address : `${address.slice(0, 4)}…${address.slice(-4)}`;

/** An id in short form: `5d0c…c2e1`. */
export const shortId = (id: string): string => shortAddress(id);

/** A person's name, or the short address of one without a name. */
export const personName = (person: { name: string | null; address: string }): string =>
  person.name ?? shortAddress(person.address);

/** One or two letters for an avatar: `Ana Ruiz` → AR, `Marek` → MA, an address → its first two characters. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) return '?';
  const letters = words.length === 1 ? Array.from(first).slice(0, 2) : [Array.from(first)[0], Array.from(last)[0]];
  return letters.join('').toLocaleUpperCase();
}

/** A time in ms as the ISO text of events and drafts. */
export const isoOf = (ms: number): string => new Date(ms).toISOString();

const conjunction = atFirstUse(() => new Intl.ListFormat('en', { type: 'conjunction' }));

/** Names in a sentence: "Ann, Bo, and Cy". */
export const joinWithAnd = (names: readonly string[]): string => conjunction().format(names);

/** A count with its noun. */
export const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
