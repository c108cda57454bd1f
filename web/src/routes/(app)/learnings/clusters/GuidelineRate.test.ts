// @vitest-environment happy-dom
// The rates of a cluster follow the decisions of its project, and stay when newer ones cannot be loaded.
import type { ClusterGuideline } from '@countersign/shared/schemas/clusters';
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { live } from '#lib/live/connection.svelte.ts';
import { messages } from '../messages.ts';
import GuidelineRate from './GuidelineRate.svelte';

const SPACING_MS = 10_000;
const SPAN = { from: '2026-11-01T12:00:00.000Z', to: '2026-11-08T12:00:00.000Z' };
const rate = (learnings: number) => ({ ...SPAN, learnings, decided: 100, interval: { low: 0, high: 1 } });
let hear: (event: object) => void;
let after: number;
let fails: boolean;

beforeEach(async () => {
  vi.useFakeTimers();
  after = 5;
  fails = false;
  vi.stubGlobal('fetch', () => {
    if (fails) return Promise.reject(new TypeError('The connection is gone.'));
    const guideline = { version: 2, changed_at: SPAN.from, line: 'Answer in metres' };
    const answer: ClusterGuideline = { guideline, before: rate(20), after: rate(after) };
    return Promise.resolve(Response.json(answer));
  });
  vi.spyOn(live, 'on').mockImplementation((_: string, listener: unknown) => {
    hear = listener as typeof hear;
    return () => undefined;
  });
  render(GuidelineRate, { projectId: 'p', clusterId: 'c' });
  await vi.advanceTimersByTimeAsync(0);
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const shows = (learnings: number) =>
  screen.queryByText((text) => text.includes(messages.guideline.counts(learnings, 100)));

it('CT6: shows the rates after a decision', async () => {
  expect(shows(5)).not.toBeNull();
  after = 6;
  hear({ project_id: 'p' });
  await vi.advanceTimersByTimeAsync(SPACING_MS);
  expect(shows(6)).not.toBeNull();
});

it('CT6: keeps the rates it has when newer ones cannot be loaded', async () => {
  fails = true;
  hear({ project_id: 'p' });
  await vi.advanceTimersByTimeAsync(SPACING_MS);
  expect(screen.getByText(messages.guideline.rateFailed)).toBeTruthy();
  expect(shows(5)).not.toBeNull();
});
