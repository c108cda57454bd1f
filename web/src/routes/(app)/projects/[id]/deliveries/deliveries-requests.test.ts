// @vitest-environment happy-dom
// The requests of the delivery log: one when it opens, and none while nothing happens.
import type { Delivery, DeliverySummary } from '@countersign/shared/schemas/deliveries';
import type { Project } from '@countersign/shared/schemas/projects';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import Deliveries from './Deliveries.svelte';
import { SettingsForm } from '../settings/settings-form.svelte.ts';

vi.mock('$app/state', () => ({ page: { url: new URL('http://countersign.test/projects/p/deliveries') } }));
vi.mock('$app/navigation', () => ({ goto: vi.fn() }));
vi.mock('$app/paths', () => ({ resolve: (route: string) => route.replace('/(app)', '') }));

const ROW = {
  id: 'one',
  endpoint: { id: 'p', name: 'receiver.example' },
  item_id: 'item',
  item_preview: 'Two apples',
  reports: null,
  webhook_id: 'evt_1',
  status: 'succeeded',
  attempt: 1,
  run: { attempt: 1, of: 10 },
  next_attempt_at: null,
  http_status: 200,
  error: null,
  duration_ms: 3,
  created_at: '2026-11-24T12:00:00.000Z',
  completed_at: null,
  abilities: { replay: false, send_now: false },
} satisfies Delivery;
const PROJECT = { id: 'p', name: 'P', ...DEFAULT_SETTINGS, abilities: {}, archived_at: null } as unknown as Project;

const SUMMARY = {
  counts: { all: 10_001, succeeded: 10_001, pending: 12, failed: 12, dead: 0, paused: 0 },
  retryable: 12,
  recent: { succeeded: 968, dead: 12, limited: true, p95_ms: 211.6 },
  endpoints: [{ id: 'p', name: 'receiver.example' }],
  abilities: { retry_all: true },
} satisfies DeliverySummary;

/** The number of event loop turns in which pending answers are processed. */
const TURNS = 20;

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('W6: requests its rows once, and not again because they arrived', async () => {
  let requests = 0;
  vi.stubGlobal('fetch', (address: string) => {
    const list = address.includes('/deliveries?');
    requests += list ? 1 : 0;
    const answer = Response.json(
      address.endsWith('/summary') ? SUMMARY : { data: list ? [ROW] : [], next_cursor: null },
    );
    // As over a network: an answer never arrives within the same turn as the request.
    return new Promise((resolve) => setTimeout(() => resolve(answer)));
  });
  render(Deliveries, { form: new SettingsForm(PROJECT, 'me') });
  await screen.findAllByText('Two apples');
  const before = requests;
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setTimeout(resolve));
  expect(requests).toBe(before);
});

it('WH8, WH11: counts each state, says what share arrived, and retries all that wait with one request', async () => {
  const posted: [string, unknown][] = [];
  vi.stubGlobal('fetch', (address: string, { method, body }: { method?: string; body?: string }) => {
    if (method === 'POST') posted.push([address, JSON.parse(body ?? 'null')]);
    return Promise.resolve(
      Response.json(address.endsWith('/summary') ? SUMMARY : { id: 'r', data: [], next_cursor: null }),
    );
  });
  render(Deliveries, { form: new SettingsForm(PROJECT, 'me') });
  await screen.findByRole('radio', { name: 'Waiting 12' });
  expect(screen.getByRole('radio', { name: 'Delivered 10,000+' })).toBeTruthy();
  const line = screen.getByText('99% of 980 arrived').closest('p')?.textContent.replace(/\s+/g, ' ').trim();
  expect(line).toBe('99% of 980 arrived · p95 212 ms · newest 1,000 of the last 24 h');
  await fireEvent.click(screen.getByRole('button', { name: 'Retry all now' }));
  expect(posted).toEqual([['/api/projects/p/deliveries/replay', { status: 'pending' }]]);
});

it('resends nothing while only a part of "Created since" is typed, and says so at the field', async () => {
  const posted: unknown[] = [];
  vi.stubGlobal('fetch', (address: string, { method, body }: { method?: string; body?: string }) => {
    if (method === 'POST') posted.push(JSON.parse(body ?? 'null'));
    return Promise.resolve(
      Response.json(address.endsWith('/summary') ? SUMMARY : { id: 'r', data: [], next_cursor: null }),
    );
  });
  render(Deliveries, { form: new SettingsForm(PROJECT, 'me') });
  await fireEvent.click(await screen.findByRole('button', { name: 'Bulk resend' }));
  const field = await screen.findByLabelText<HTMLInputElement>('Created since');
  const resend = screen.getByRole('button', { name: 'Resend' });
  // Browsers give a date without its time as an invalid field without a value.
  field.setCustomValidity('bad input');
  await fireEvent.click(resend);
  expect(posted).toEqual([]);
  expect(document.activeElement).toBe(field);
  const fault = document.getElementById(field.getAttribute('aria-describedby') ?? '');
  expect(fault?.textContent).toContain('Enter both a date and a time');
  field.setCustomValidity('');
  await fireEvent.input(field, { target: { value: '2026-11-24T12:00' } });
  expect(field.getAttribute('aria-invalid')).toBeNull();
  await fireEvent.click(resend);
  expect(posted).toEqual([{ status: 'dead', from: new Date('2026-11-24T12:00').toISOString() }]);
});

it('asks about a bulk resend without the choices of the last time', async () => {
  vi.stubGlobal('fetch', (address: string) =>
    Promise.resolve(Response.json(address.endsWith('/summary') ? SUMMARY : { data: [], next_cursor: null })),
  );
  render(Deliveries, { form: new SettingsForm(PROJECT, 'me') });
  const ask = await screen.findByRole('button', { name: 'Bulk resend' });
  const since = () => screen.findByLabelText<HTMLInputElement>('Created since');
  const choice = (name: string) => within(screen.getByRole('dialog')).getByRole<HTMLInputElement>('radio', { name });
  await fireEvent.click(ask);
  await fireEvent.input(await since(), { target: { value: '2026-11-24T12:00' } });
  await fireEvent.click(choice('Delivered'));
  await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await fireEvent.click(ask);
  expect([(await since()).value, choice('Dead').checked]).toEqual(['', true]);
});
