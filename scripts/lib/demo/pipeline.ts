// The demo's simulated pipeline: submits samples at a human pace, and pauses while enough items wait.
import type { Submitted } from '../../../shared/src/schemas/public.ts';
import type { ItemStatus } from '../../../shared/src/enums.ts';
import { DEFAULT_SETTINGS } from '../../../shared/src/settings.ts';
import type { Sample } from './samples.ts';

export interface PipelineParts {
  readonly samples: readonly Sample[];
  /** Submits through the public API. */
  readonly submit: (sample: Sample) => Promise<Submitted>;
  /** How many of the project's items wait for a person now. */
  readonly countWaiting: () => Promise<number>;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Milliseconds; ends early, without an error, when the signal fires. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly print: (line: string) => void;
}

/** How many items at once when nothing waits at the start, so that the queue is not empty. */
export const BURST = 12;
/** While more than this wait for a person, the pipeline pauses. */
export const MAX_WAITING = 40;
export const SHORTEST_PAUSE_MS = 4_000;
export const LONGEST_PAUSE_MS = 9_000;

/**
 * The deadlines of the first items of a burst that people get: one expires while the page is opened, the countdown of another is
 * already a warning, and supervisors get the third.
 */
export const BURST_DEADLINES = [
  { deadline_seconds: 20, on_deadline: 'expire' },
  { deadline_seconds: 150, on_deadline: 'reject' },
  { deadline_seconds: 240, on_deadline: 'escalate' },
] as const;

/** Routing asks a person about it, unless the project has other thresholds. */
const isForPeople = ({ confidence, risk_flags: flags = [] }: Sample): boolean =>
  flags.length === 0 && confidence >= DEFAULT_SETTINGS.review_threshold && confidence < DEFAULT_SETTINGS.auto_threshold;

/** Runs until the signal fires. Failures are printed and retried at the usual pace. */
export async function runPipeline(parts: PipelineParts, signal: AbortSignal): Promise<void> {
  const samples = shuffleForever(parts.samples, parts.random);
  let pausing = false;
  for (let first = true; !signal.aborted; first = false) {
    try {
      const waiting = await parts.countWaiting();
      const enough = waiting > MAX_WAITING;
      if (enough && !pausing) parts.print(`pipeline  pauses: ${waiting} items wait for a person`);
      pausing = enough;
      if (first && waiting === 0) await burst(parts, samples, signal);
      else if (!enough) await parts.submit(samples.next().value);
    } catch (error) {
      parts.print(`pipeline  failed: ${error instanceof Error ? error.message : String(error)}`);
    }
    await parts.sleep(pause(parts.random), signal);
  }
}

function pause(random: () => number): number {
  return Math.round(SHORTEST_PAUSE_MS + random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS));
}

async function burst(parts: PipelineParts, samples: Generator<Sample, never>, signal: AbortSignal): Promise<void> {
  const counts = new Map<ItemStatus, number>();
  const deadlines = BURST_DEADLINES.values();
  for (let sent = 0; sent < BURST && !signal.aborted; sent += 1) {
    const sample = samples.next().value;
    const deadline = isForPeople(sample) ? deadlines.next().value : undefined;
    const { status } = await parts.submit({ ...sample, ...deadline });
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  if (signal.aborted) return;
  const summary = [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
  parts.print(`pipeline  submitted ${summary}; one more every few seconds`);
}

/** Every sample once in random order, then every sample again in another one; never the same twice in a row. */
export function* shuffleForever<T>(samples: readonly T[], random: () => number): Generator<T, never> {
  let last: T | undefined;
  for (;;) {
    const round = shuffled(samples, random);
    if (round.length > 1 && round[0] === last) round.push(...round.splice(0, 1));
    last = round.at(-1);
    yield* round;
  }
}

function shuffled<T>(samples: readonly T[], random: () => number): T[] {
  const keyed = samples.map((sample) => ({ sample, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ sample }) => sample);
}

/** A small repeatable random source (mulberry32): the same numbers for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
