// @vitest-environment happy-dom
// A row of the delivery log: its place in the schedule, its duration, and its next attempt.
import type { Delivery } from '@countersign/shared/schemas/deliveries';
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import Row from './DeliveryRow.svelte';

vi.mock('$app/paths', () => ({ resolve: (route: string) => route.replace('/(app)', '') }));

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const NOW = Date.parse('2026-03-01T12:00:00Z');
const RETRYING: Delivery = {
  id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11',
  endpoint: { id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b12', name: 'receiver.example' },
  item_id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b13',
  item_preview: 'Two apples',
  reports: { event: 'item.decided', status: 'approved', action: 'edit' },
  webhook_id: 'evt_1',
  status: 'pending',
  attempt: 13,
  run: { attempt: 3, of: 10 },
  next_attempt_at: new Date(NOW + 272_000).toISOString(),
  http_status: 503,
  error: 'http_5xx',
  duration_ms: 1204,
  created_at: new Date(NOW).toISOString(),
  completed_at: null,
  abilities: { replay: false, send_now: false },
};

const retry = vi.fn(() => Promise.resolve());

function show(row: Partial<Delivery>) {
  vi.useFakeTimers({ now: NOW });
  const table = document.body.appendChild(document.createElement('tbody'));
  return render(Row, {
    target: table,
    props: { row: { ...RETRYING, ...row }, open: false, toggle: () => undefined, retry, retrying: false },
  });
}
const has = (text: string) => screen.queryAllByText(text).length > 0;

it('WH1: shows the number of the attempt in its schedule, and the total', () => {
  show({});
  expect(screen.getByText('3/10').title).toBe(
    'Attempt 3 of 10 in this schedule; 13 in total. Resending starts a new schedule.',
  );
  expect([has('retrying'), has('503'), has('1.2 s')]).toEqual([true, true, true]);
});

it('counts down to the next attempt, second by second, and then shows it as due', async () => {
  show({});
  expect(has('4:32')).toBe(true);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(has('4:30')).toBe(true);
  await vi.advanceTimersByTimeAsync(271_000);
  expect(has('due')).toBe(true);
});

it.each([
  [{ next_attempt_at: new Date(NOW + 7_200_000).toISOString() }, 'in 2 h'],
  [{ status: 'sending', next_attempt_at: null } as const, 'now'],
  [{ status: 'dead', next_attempt_at: null, http_status: null, error: 'timeout' } as const, 'timed out after 20 s'],
])('of %o says %s', (row, text) => {
  show(row);
  expect(has(text)).toBe(true);
});

it('shows as retrying only after a failure: one that was sent again is waiting', () => {
  show({ http_status: null, error: null, run: { attempt: 0, of: 10 } });
  expect([has('retrying'), has('waiting'), has('0/10')]).toEqual([false, true, true]);
});

it('names the item and what was decided', () => {
  show({});
  expect([has('Two apples'), has('edited')]).toEqual([true, true]);
  cleanup();
  show({ item_preview: '', reports: { event: 'decision.revised', status: 'rejected', action: 'reject' } });
  expect([has('Content deleted'), has('revised: rejected')]).toEqual([true, true]);
  cleanup();
  show({ reports: { event: 'item.expired', status: 'rejected', action: null } });
  expect(has('rejected by deadline')).toBe(true);
});

it('WH8: offers to retry at once where that is allowed', async () => {
  show({});
  expect(screen.queryByRole('button', { name: 'Retry evt_1 now' })).toBeNull();
  cleanup();
  show({ abilities: { replay: false, send_now: true } });
  await fireEvent.click(screen.getByRole('button', { name: 'Retry evt_1 now' }));
  expect(retry).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ id: RETRYING.id }));
});

it('KE3: shows a dash for the duration when its attempts were deleted, and their number', () => {
  show({ status: 'succeeded', http_status: 200, error: null, duration_ms: null, next_attempt_at: null });
  expect([has('200'), has('3/10'), has('0 ms')]).toEqual([true, true, false]);
  expect(screen.getAllByText('—')).toHaveLength(3);
});
