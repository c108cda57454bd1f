// Tests the pace and order of the demo's pipeline on fake timers.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { route } from '../../../server/src/domain/items/routing.ts';
import { DEFAULT_SETTINGS } from '../../../shared/src/settings.ts';
import type { Submitted } from '../../../shared/src/schemas/public.ts';
import {
  BURST,
  BURST_DEADLINES,
  MAX_WAITING,
  LONGEST_PAUSE_MS,
  runPipeline,
  seededRandom,
  SHORTEST_PAUSE_MS,
  shuffleForever,
  type PipelineParts,
} from './pipeline.ts';
import { loadSamples, type Sample } from './samples.ts';

const answer: Submitted = { id: '0199c0de-0000-7000-8000-000000000001', status: 'queued', decision: null };
const samples = loadSamples();
const MINUTE = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A pipeline on fake timers; `waiting` is what it counts, `submitted` when it submitted what. */
function startPipeline(waiting: () => number, changes: Partial<PipelineParts> = {}) {
  const submitted: { at: number; sample: Sample }[] = [];
  const printed: string[] = [];
  const stop = new AbortController();
  const start = Date.now();
  const parts: PipelineParts = {
    samples,
    submit: async (sample) => {
      submitted.push({ at: Date.now() - start, sample });
      return answer;
    },
    countWaiting: async () => waiting(),
    random: seededRandom(1),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal.addEventListener('abort', () => (clearTimeout(timer), resolve()));
      }),
    print: (line) => printed.push(line),
    ...changes,
  };
  return { submitted, printed, stop, done: runPipeline(parts, stop.signal) };
}

describe('runPipeline', () => {
  it('starts with a burst when nothing waits, then submits one item every 4 to 9 seconds', async () => {
    const { submitted, printed } = startPipeline(() => 0);
    await vi.advanceTimersByTimeAsync(0);
    expect(submitted).toHaveLength(BURST);
    expect(printed).toEqual([`pipeline  submitted ${BURST} queued; one more every few seconds`]);
    await vi.advanceTimersByTimeAsync(5 * MINUTE);
    const times = submitted.slice(BURST - 1).map(({ at }) => at);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(SHORTEST_PAUSE_MS);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(LONGEST_PAUSE_MS);
    expect(gaps.length).toBeGreaterThanOrEqual((5 * MINUTE) / LONGEST_PAUSE_MS - 1);
  });

  it('gives the first items of the burst that people get a deadline each, the nearest one first', async () => {
    const { submitted } = startPipeline(() => 0);
    await vi.advanceTimersByTimeAsync(0);
    const burst = submitted.map(({ sample }) => sample);
    const near = burst.filter(({ deadline_seconds: seconds = Infinity }) => seconds < 300);
    expect(near).toMatchObject(BURST_DEADLINES);
    for (const { confidence, risk_flags = [] } of near)
      expect(route({ confidence, risk_flags }, { ...DEFAULT_SETTINGS, stopped: false }).status).toBe('queued');
  });

  it('makes no burst when items wait from an earlier start', async () => {
    const { submitted } = startPipeline(() => 3);
    await vi.advanceTimersByTimeAsync(0);
    expect(submitted).toHaveLength(1);
  });

  it('pauses while more than 40 items wait, says so once, and continues when there are fewer', async () => {
    let waiting = MAX_WAITING + 1;
    const { submitted, printed } = startPipeline(() => waiting);
    await vi.advanceTimersByTimeAsync(5 * MINUTE);
    expect(submitted).toEqual([]);
    expect(printed).toEqual(['pipeline  pauses: 41 items wait for a person']);
    waiting = MAX_WAITING;
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(submitted.length).toBeGreaterThanOrEqual(6);
  });

  it('submits no sample twice before it has submitted all', async () => {
    const { submitted } = startPipeline(() => 1);
    await vi.advanceTimersByTimeAsync(samples.length * LONGEST_PAUSE_MS);
    const round = submitted.slice(0, samples.length).map(({ sample }) => sample);
    expect(new Set(round).size).toBe(samples.length);
  });

  it('stops at once, in the middle of a pause', async () => {
    const { stop, submitted, done } = startPipeline(() => 1);
    await vi.advanceTimersByTimeAsync(1);
    stop.abort();
    await done;
    expect(submitted).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('survives a refused submission and a database that does not answer', async () => {
    let calls = 0;
    const submit = async (): Promise<Submitted> => {
      calls += 1;
      if (calls === 1) throw new Error('Too many requests.');
      return answer;
    };
    const { printed } = startPipeline(() => 1, { submit });
    await vi.advanceTimersByTimeAsync(3 * LONGEST_PAUSE_MS);
    expect(printed).toEqual(['pipeline  failed: Too many requests.']);
    expect(calls).toBeGreaterThanOrEqual(3);
  });
});

describe('shuffleForever', () => {
  it('returns every sample once per round and never the same twice in a row, for any seed', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 2, max: 9 }), (seed, size) => {
        const all = Array.from({ length: size }, (_, index) => index);
        const endless = shuffleForever(all, seededRandom(seed));
        const drawn = Array.from({ length: size * 5 }, () => endless.next().value);
        for (let round = 0; round < 5; round += 1) {
          expect(new Set(drawn.slice(round * size, (round + 1) * size)).size).toBe(size);
        }
        expect(drawn.some((value, index) => index > 0 && value === drawn[index - 1])).toBe(false);
      }),
    );
  });

  it('draws the same order for the same seed and another one for another', () => {
    const order = (seed: number) => {
      const endless = shuffleForever(samples, seededRandom(seed));
      return samples.map(() => endless.next().value);
    };
    expect(order(7)).toEqual(order(7));
    expect(order(7)).not.toEqual(order(8));
  });
});
