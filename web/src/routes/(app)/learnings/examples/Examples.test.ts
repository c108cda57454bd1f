// @vitest-environment happy-dom
// Tests that learnings render in steps, and their footer only after the last one.
import type { Learning } from '@countersign/shared/schemas/learnings';
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LearningsLog } from '../learnings.svelte.ts';
import { messages } from '../messages.ts';
import Examples from './Examples.svelte';

vi.mock('$app/paths', () => ({ resolve: (path: string) => path }));

const COUNT = 6;
/** The pause before each step: `PAUSE_MS` of RowsInSteps. */
const STEP_MS = 16;
const rows = Array.from({ length: COUNT }, (_, n): Learning => ({
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
  marks: { within: COUNT, without: 0 },
  fresh: 0,
  olderError: null,
  loadingOlder: false,
} as unknown as LearningsLog;

const rendered = () => screen.getAllByRole('article').length;
const footer = () => [
  screen.queryByText(messages.examples.all(COUNT)),
  screen.queryByText(messages.examples.marks(COUNT, 0)),
];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it('renders one learning, then one more, then the rest, and the footer only after the last', async () => {
  render(Examples, { log, toTop: vi.fn() });
  expect(rendered()).toBe(1);
  expect(footer()).toEqual([null, null]);
  await vi.advanceTimersByTimeAsync(STEP_MS);
  expect(rendered()).toBe(2);
  expect(footer()).toEqual([null, null]);
  await vi.advanceTimersByTimeAsync(COUNT * STEP_MS);
  expect(rendered()).toBe(COUNT);
  expect(footer()).not.toContain(null);
});
