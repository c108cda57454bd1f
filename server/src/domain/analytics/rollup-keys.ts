// Limits how many flags, models and sources one day of a project counts separately (AN27).
import type { Increment, Measure } from './rollup.ts';

/** How many different flags, models and sources of one project and UTC day are counted separately. */
export const MOST_KEYS = 100;
/** The key that all others are counted under: no flag, model or source is empty. */
export const OTHER_KEY = '';

const DAY_MS = 24 * 60 * 60_000;
/** Measures whose keys anybody may choose. */
const FREE: ReadonlySet<Measure> = new Set(['flag', 'model', 'source', 'expired_flag', 'expired_model']);

/** A measure of one project's day, in ms. */
export interface KeyedDay {
  projectId: string;
  measure: Measure;
  day: number;
}

export const isFree = (measure: Measure): boolean => FREE.has(measure);
export const dayOf = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

type OfProject = Increment & { projectId: string };

/** The days in which these increments may need a key of their own, each once. */
export function keyedDays(increments: readonly OfProject[]): KeyedDay[] {
  const days = new Map<string, KeyedDay>();
  for (const { projectId, measure, at } of increments.filter((one) => isFree(one.measure)))
    days.set(dayKeyOf({ projectId, measure, day: dayOf(at) }), { projectId, measure, day: dayOf(at) });
  return [...days.values()];
}

/**
 * AN27: the keys that a day had first, in the order of the event log, are counted separately; all
 * others share one key. `known` are the keys counted before, `increments` what follows, in that
 * order. A recount therefore finds the same keys, with batches of every size.
 */
export function withBoundedKeys<I extends OfProject>(
  increments: readonly I[],
  known: readonly (KeyedDay & { key: string })[],
): I[] {
  const keys = new Map<string, Set<string>>();
  const keysOf = (of: KeyedDay) => {
    const found = keys.get(dayKeyOf(of)) ?? new Set<string>();
    keys.set(dayKeyOf(of), found);
    return found;
  };
  for (const one of known) if (one.key !== OTHER_KEY) keysOf(one).add(one.key);
  return increments.map((one) => {
    if (!isFree(one.measure)) return one;
    const ofDay = keysOf({ ...one, day: dayOf(one.at) });
    if (ofDay.size < MOST_KEYS) ofDay.add(one.key);
    return ofDay.has(one.key) ? one : { ...one, key: OTHER_KEY };
  });
}

const dayKeyOf = ({ projectId, measure, day }: KeyedDay): string => `${projectId} ${measure} ${day}`;
