// @vitest-environment happy-dom
// Learnings render one after the other, and what is below them not before: each one would move it down.
import type { Learning } from '@countersign/shared/schemas/learnings';
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LearningsLog } from '../learnings.svelte.ts';
import { messages } from '../messages.ts';
import Examples from './Examples.svelte';

vi.mock('$app/paths', () => ({ resolve: (path: string) => path }));

const MANY = 6;
/** How long each step waits, in milliseconds. */
const STEP_MS = 16;
const rows = Array.from({ length: MANY }, (_, n): Learning => ({
  id: `l${n}`,
  item_id: `i${n}`,
  action: 'reject',
  preview: `Question ${n}`,
  title: null,
  suggestion: 'An answer',
  output: null,
  changes: null,
  reason: 'Too long',
  note: null,
  response: null,
  confidence: 0.5,
  risk_flags: [],
  model: null,
  source: null,
  reviewer_id: 'u',
  reviewer_name: 'Sam',
  settings_version: 1,
  guidelines_version: null,
  excluded: false,
  created_at: '2026-01-01T00:00:00.000Z',
  abilities: { exclude: false },
}));
const log = {
  shown: { rows, cursor: null },
  marks: { within: MANY, without: 0 },
  fresh: 0,
  olderError: null,
  loadingOlder: false,
} as unknown as LearningsLog;

const shown = () => screen.getAllByRole('article').length;
const below = () => [
  screen.queryByText(messages.examples.all(MANY)),
  screen.queryByText(messages.examples.marks(MANY, 0)),
];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it('renders one learning, then one more, then the rest, and after the last what is below them', async () => {
  render(Examples, { log, toTop: vi.fn() });
  expect(shown()).toBe(1);
  expect(below()).toEqual([null, null]);
  await vi.advanceTimersByTimeAsync(STEP_MS);
  expect(shown()).toBe(2);
  expect(below()).toEqual([null, null]);
  await vi.advanceTimersByTimeAsync(MANY * STEP_MS);
  expect(shown()).toBe(MANY);
  expect(below()).not.toContain(null);
});
