// @vitest-environment happy-dom
// The cases of a regression run: what each is called, and why an answer that breaks its schema still fails.
import type { Regression, RegressionCase } from '@countersign/shared/schemas/regressions';
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import RunView from './RunView.svelte';
import type { RunsLog } from './runs.svelte.ts';

vi.mock('$app/paths', () => ({ resolve: (route: string) => route.replace('/(app)', '') }));

const run: Regression = {
  ...{ id: 'run', title: 'v2', filter: null, cases: 1, answered: 1, still_fails: 1, differs: 0, fixed: 0 },
  ...{ unnoticed: 0, started_by_name: 'Olga', answered_by_name: null, answered_at: null },
  created_at: '2026-01-01T00:00:00.000Z',
};
const ONE: RegressionCase = {
  ...{ id: 'case', item_id: 'item', action: 'edit', reason: 'Wrong fact', preview: '{"order":1}', title: null },
  ...{ suggestion: { amount: 5 }, output: { amount: 7 }, answer: { amount: '7' }, outcome: 'still_fails' },
  ...{ faults: null, confidence: 0.9, risk_flags: [], status: 'queued', answered_by_name: 'CI', answered_at: null },
};

function show(one: Partial<RegressionCase>): void {
  const cases = { data: { run, rows: [{ ...ONE, ...one }], next: null }, error: null, loading: false };
  const log: unknown = { cases, state: '' };
  render(RunView, { log: log as RunsLog, back: '/learnings' });
}
afterEach(cleanup);

it('TS2: says where an answer breaks its schema, and compares it with the correction', () => {
  const fault = { pointer: '/amount', schema_pointer: '', keyword: 'type', message: 'must be a number' };
  show({ faults: [fault] });
  expect(screen.getByText('The new suggestion does not satisfy its schema:')).toBeTruthy();
  expect(screen.getByText('amount must be a number.')).toBeTruthy();
  expect(screen.queryByText('Same as before:')).toBeNull();
  expect(screen.getByRole('group', { name: 'Changes' }).textContent).toContain('"7"');
});

it('names the place of a fault as it is in the answer', () => {
  const fault = { pointer: '/years/2024/0', schema_pointer: '', keyword: 'type', message: 'must be a number' };
  show({ faults: [fault], answer: { years: { 2024: ['7'] } } });
  expect(screen.getByText('years › 2024 › 1 must be a number.')).toBeTruthy();
});

it('calls an answer without faults that still fails the same as before', () => {
  show({ answer: { amount: 5 } });
  expect(screen.getByText('Same as before:')).toBeTruthy();
  expect(screen.queryByText(/does not satisfy/)).toBeNull();
});

it('names a case by the title of its item', () => {
  show({ title: 'Refund order A-1009' });
  expect(screen.getByRole('link', { name: /^Refund order A-1009/ })).toBeTruthy();
  expect(screen.queryByText('{"order":1}')).toBeNull();
});
