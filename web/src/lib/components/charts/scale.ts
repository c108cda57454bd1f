// Maps figures to pixels: linear and logarithmic scales, and round numbers to label them with.

export type Scale = (value: number) => number;

/** A linear scale; a domain of one value maps to the start of the range. */
export function linear([low, high]: readonly [number, number], [start, end]: readonly [number, number]): Scale {
  const width = high - low;
  return (value) => (width === 0 ? start : start + ((value - low) / width) * (end - start));
}

/** A logarithmic scale; the domain lies above 0, values below its start are drawn at its start. */
export function logarithmic(domain: readonly [number, number], range: readonly [number, number]): Scale {
  const scale = linear([Math.log(domain[0]), Math.log(domain[1])], range);
  return (value) => scale(Math.log(Math.max(domain[0], value)));
}

const ROUND = [1, 2, 5, 10] as const;

/** Whole round numbers from 0 to at least `max` (at least 1), in at most `steps` equal steps. */
export function countTicks(max: number, steps = 4): number[] {
  const least = Math.max(1, max) / steps;
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  const step = Math.max(1, (ROUND.find((factor) => factor * power >= least) ?? 10) * power);
  return Array.from({ length: Math.ceil(Math.max(1, max) / step) + 1 }, (_, index) => index * step);
}

/** Every nth tick, so that their labels (at most `each` px wide with their gap) fit into `width` px. */
export function thin<T>(ticks: readonly T[], width: number, each: number): T[] {
  const fit = Math.max(1, Math.floor(width / each));
  const every = Math.max(1, Math.ceil(ticks.length / fit));
  return ticks.filter((_, index) => index % every === 0);
}

/**
 * The part of an ascending list of round numbers (two or more) that holds all values: from the last at or below to the first at
 * or above, and never fewer than two.
 */
export function spanning(rounds: readonly number[], values: readonly number[]): number[] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const below = rounds.findLastIndex((round) => round <= low);
  const first = Math.min(Math.max(0, below), rounds.length - 2);
  const found = rounds.findIndex((round) => round >= high);
  const last = found === -1 ? rounds.length - 1 : found;
  // A single value still needs a scale with two ends.
  return rounds.slice(first, Math.max(last, first + 1) + 1);
}
