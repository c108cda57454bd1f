// @vitest-environment happy-dom
// The figures beside the rules follow the arrivals and decisions of their project.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { live } from '#lib/live/connection.svelte.ts';
import { RulesFigures } from './rules-figures.svelte.ts';

const SPACING_MS = 10_000;
let asked: { thresholds: number; reasons: number };
let heard: ((event: object) => void)[];
let stop: () => void;

beforeEach(async () => {
  vi.useFakeTimers();
  asked = { thresholds: 0, reasons: 0 };
  heard = [];
  vi.stubGlobal('fetch', (address: string) => {
    asked[address.endsWith('/thresholds') ? 'thresholds' : 'reasons'] += 1;
    return Promise.resolve(Response.json({}));
  });
  vi.spyOn(live, 'on').mockImplementation((_: string, listener: unknown) => {
    heard.push(listener as (event: object) => void);
    return () => undefined;
  });
  stop = new RulesFigures('p').follow();
  await vi.advanceTimersByTimeAsync(0);
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const hear = (project_id: string) => heard.forEach((listener) => listener({ project_id }));

it('AN23: reads the sample and the reasons again after events of the project, at most every ten seconds', async () => {
  expect(asked).toEqual({ thresholds: 1, reasons: 1 });
  for (let n = 0; n < 20; n += 1) hear('p');
  await vi.advanceTimersByTimeAsync(SPACING_MS - 1);
  expect(asked).toEqual({ thresholds: 1, reasons: 1 });
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toEqual({ thresholds: 2, reasons: 2 });
});

it('requests nothing for events of other projects', async () => {
  hear('another');
  await vi.advanceTimersByTimeAsync(SPACING_MS);
  expect(asked).toEqual({ thresholds: 1, reasons: 1 });
});
