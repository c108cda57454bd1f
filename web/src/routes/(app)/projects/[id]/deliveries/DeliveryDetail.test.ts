// @vitest-environment happy-dom
// An open delivery: how it shows hostile bytes, and the focus and announcements when it is sent again.
import type { DeliveryDetail } from '@countersign/shared/schemas/deliveries';
import { when } from '#lib/format/when.ts';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import Detail from './DeliveryDetail.svelte';

vi.mock('$app/paths', () => ({ resolve: (route: string) => route.replace('/(app)', '') }));

const AT = new Date().toISOString();
const DEAD: DeliveryDetail = {
  id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11',
  endpoint: { id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b12', name: 'receiver.example' },
  project_id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b12',
  item_id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b13',
  item_preview: 'Two apples',
  reports: { event: 'item.decided', status: 'approved', action: 'approve' },
  webhook_id: 'event.final',
  status: 'dead',
  attempt: 10,
  run: { attempt: 10, of: 10 },
  next_attempt_at: null,
  http_status: null,
  error: 'connection_refused',
  duration_ms: 3,
  created_at: AT,
  completed_at: AT,
  abilities: { replay: true, send_now: false },
  url: 'https://receiver.test/hooks',
  body: '{"note":"safe\u202Efas"}',
  attempts: [
    {
      n: 10,
      url: 'https://receiver.test/hooks',
      started_at: AT,
      duration_ms: 3,
      timings: { dns_ms: 0, connect_ms: 1, tls_ms: null, first_byte_ms: 2 },
      http_status: null,
      error: 'connection_refused',
      request_headers: { 'webhook-id': 'evt_1', 'x-webhook-signature': '••••' },
      response_headers: null,
      response_text: null,
    },
  ],
};

let now: DeliveryDetail | null;
let refused: boolean;
beforeEach(() => {
  now = DEAD;
  refused = false;
  vi.stubGlobal('fetch', async (_: string, { method }: RequestInit) => {
    if (now === null || refused) throw new TypeError('The connection is gone.');
    if (method === 'POST') now = { ...DEAD, status: 'pending', abilities: { replay: false, send_now: false } };
    return Response.json(now);
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const status = () =>
  within(screen.getByRole('region', { name: 'Attempts' }))
    .getByRole('status')
    .textContent.trim();

it('marks characters that hide or reorder text', async () => {
  render(Detail, { row: DEAD });
  const body = await screen.findByRole('region', { name: 'Body' });
  expect(within(body).getByTitle('U+202E right-to-left override')).toBeTruthy();
});

it('shows the timings, and that a reused connection took no time', async () => {
  const [attempt] = DEAD.attempts;
  const withTimings = (timings: object) => ({
    ...DEAD,
    attempts: [{ ...attempt!, timings: { ...attempt!.timings, ...timings } }],
  });
  now = withTimings({});
  render(Detail, { row: DEAD });
  expect(await screen.findByText('DNS 0 ms · connect 1 ms · response 2 ms')).toBeTruthy();
  cleanup();
  now = withTimings({ connect_ms: null });
  render(Detail, { row: DEAD });
  expect(await screen.findByText('DNS 0 ms · response 2 ms · reused connection')).toBeTruthy();
});

it('links to its item', async () => {
  render(Detail, { row: DEAD });
  const link = await screen.findByRole('link', { name: 'Open the item' });
  expect(link.getAttribute('href')).toBe(`/queue?item=${DEAD.item_id}`);
});

it('names the cause as text', async () => {
  render(Detail, { row: DEAD });
  expect(await screen.findAllByText('connection refused', { exact: false })).not.toHaveLength(0);
  expect(screen.queryByText('connection_refused', { exact: false })).toBeNull();
});

it('when sent again, moves the focus to the attempts and reports the result', async () => {
  const { rerender } = render(Detail, { row: DEAD });
  await fireEvent.click(await screen.findByRole('button', { name: 'Resend' }));
  await vi.waitFor(() => expect(status()).toBe('Queued for delivery.'));
  await vi.waitFor(() => expect(screen.queryByRole('button', { name: 'Resend' })).toBeNull());
  expect(document.activeElement?.textContent).toBe('Attempts');
  now = { ...DEAD, status: 'succeeded', attempt: 11 };
  await rerender({ row: now });
  await vi.waitFor(() => expect(status()).toBe('Resent: delivered.'));
});

it('WH8: sends a waiting delivery now, as its next attempt, and reports the result', async () => {
  const WAITING = { ...DEAD, status: 'pending' as const, attempt: 3, abilities: { replay: false, send_now: true } };
  now = WAITING;
  const { rerender } = render(Detail, { row: WAITING });
  const button = await screen.findByRole('button', { name: 'Retry now' });
  expect(screen.getByText('Makes attempt 4 immediately. Later attempts stay scheduled.')).toBeTruthy();
  await fireEvent.click(button);
  await vi.waitFor(() => expect(status()).toBe('Queued for delivery.'));
  now = { ...WAITING, status: 'succeeded', attempt: 4, abilities: { replay: true, send_now: false } };
  await rerender({ row: now });
  await vi.waitFor(() => expect(status()).toBe('Sent: delivered.'));
});

it('retains its content when it cannot be read again, and says so', async () => {
  const { rerender } = render(Detail, { row: DEAD });
  await screen.findByRole('button', { name: 'Resend' });
  now = null;
  await rerender({ row: { ...DEAD, attempt: 11 } });
  expect((await screen.findByRole('alert')).textContent).toContain('The delivery could not be refreshed');
  expect(screen.getByRole('region', { name: 'Body' })).toBeTruthy();
});

it('says when nothing was sent', async () => {
  render(Detail, { row: DEAD });
  const button = await screen.findByRole('button', { name: 'Resend' });
  refused = true;
  await fireEvent.click(button);
  expect((await screen.findByRole('alert')).textContent).toContain('Nothing was resent');
  expect(status()).toBe('');
});

const ANSWERED: DeliveryDetail = {
  ...DEAD,
  attempt: 11,
  attempts: [
    {
      ...(DEAD.attempts[0] as DeliveryDetail['attempts'][number]),
      n: 11,
      http_status: 503,
      error: 'http_5xx',
      response_headers: { server: '<img src=x>\u202e', 'retry-after': '120' },
      response_text: 'busy',
    },
    ...DEAD.attempts,
  ],
};
const region = (name: string) => screen.findByRole('region', { name });

it('W6: shows request and answer, including headers, as text; with the signature masked', async () => {
  now = ANSWERED;
  const { container } = render(Detail, { row: ANSWERED });
  const request = await region('Request');
  expect(request.textContent).toContain('••••');
  const response = within(await screen.findByLabelText('Response headers'));
  expect(response.getByText('120')).toBeTruthy();
  expect(response.getByTitle('U+202E right-to-left override')).toBeTruthy();
  expect(container.querySelector('img')).toBeNull();
});

it('lets another attempt be selected, which stays when a newer one arrives', async () => {
  now = ANSWERED;
  const { rerender } = render(Detail, { row: ANSWERED });
  const older = await screen.findByTitle('Show request and response of attempt 10');
  older.focus();
  await fireEvent.click(older);
  await vi.waitFor(() => expect(screen.queryByLabelText('Response headers')).toBeNull());
  expect(screen.getByText('Never sent: no connection was made.')).toBeTruthy();
  const [first] = ANSWERED.attempts;
  now = {
    ...ANSWERED,
    attempt: 12,
    attempts: [{ ...(first as (typeof DEAD.attempts)[number]), n: 12 }, ...ANSWERED.attempts],
  };
  await rerender({ row: now });
  await screen.findByTitle('Show request and response of attempt 12');
  expect(screen.queryByLabelText('Response headers')).toBeNull();
  expect(document.activeElement).toBe(older);
});

it('links to the other deliveries of the item', async () => {
  render(Detail, { row: DEAD });
  const link = await screen.findByRole('link', { name: 'All deliveries for this item' });
  expect(link.getAttribute('href')).toBe(`?item=${DEAD.item_id}`);
});

/** Redacted: the answers to its attempts were deleted with its bytes. */
const EMPTIED: DeliveryDetail = {
  ...ANSWERED,
  abilities: { replay: false, send_now: false },
  body: '',
  attempts: ANSWERED.attempts.map((attempt) => ({ ...attempt, response_headers: null, response_text: null })),
};

it('KE2: says that its bytes and answers were redacted, and offers no copy of them', async () => {
  now = EMPTIED;
  const { container } = render(Detail, { row: EMPTIED });
  expect((await region('Request')).textContent).toContain('The body was deleted under the retention policy, so');
  expect(screen.queryByRole('region', { name: 'Body' })).toBeNull();
  for (const name of [/curl/, /Copy body/, /Resend/]) expect(screen.queryByRole('button', { name })).toBeNull();
  const response = (await region('Response')).textContent;
  expect(response).toContain('503');
  expect(response).toContain('The response was deleted');
  expect(container.textContent).not.toMatch(/The body was empty|No headers were saved|0 bytes/);
  await fireEvent.click(screen.getByTitle('Show request and response of attempt 10'));
  await vi.waitFor(() => expect(screen.getByText('No response.')).toBeTruthy());
});

it('KE3: says that its attempts were deleted, how many there were and how it ended', async () => {
  now = { ...DEAD, http_status: 503, error: 'http_5xx', attempts: [], duration_ms: null };
  render(Detail, { row: now });
  const attempts = await screen.findByRole('list');
  expect(attempts.textContent.trim()).toBe('The 10 attempts were deleted under the retention policy.');
  const response = (await region('Response')).textContent;
  expect(response).toContain('503');
  expect(response).toContain('The response was deleted');
  // The next attempt may use another URL than the deleted ones.
  expect((await region('Request')).textContent).not.toContain('receiver.test');
  expect(screen.getByRole('region', { name: 'Body' })).toBeTruthy();
});

it('KE3: says so of a delivery that nobody answered, with or without its attempts', async () => {
  now = { ...DEAD, attempt: 1, attempts: [] };
  render(Detail, { row: now });
  expect(await screen.findByText('The attempt was deleted under the retention policy.')).toBeTruthy();
  expect((await region('Response')).textContent).toContain('connection refused');
  expect(screen.getByText('No response.')).toBeTruthy();
});

it.each([
  [{ status: 'pending', attempt: 0 } as const, 'Not sent yet.'],
  [{ status: 'sending', attempt: 1 } as const, 'Sending now.'],
])('KE3: of one that is %o reports nothing as deleted', async (change, said) => {
  now = { ...DEAD, ...change, http_status: null, error: null, attempts: [], duration_ms: null };
  render(Detail, { row: now });
  expect((await screen.findByRole('list')).textContent.trim()).toBe(said);
  expect(screen.queryByText(/taken away/)).toBeNull();
});

it('shows an attempt of another day with its day', async () => {
  const started = new Date(Date.now() - 3 * 86_400_000);
  now = { ...DEAD, attempts: [{ ...DEAD.attempts[0]!, started_at: started.toISOString() }] };
  render(Detail, { row: DEAD });
  const list = await screen.findByRole('button', { name: /attempt 10/i });
  const day = when(started.toISOString(), Date.now());
  expect(list.querySelector('time')?.textContent).toContain(day);
});
