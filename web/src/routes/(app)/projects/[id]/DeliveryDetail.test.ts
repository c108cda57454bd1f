// @vitest-environment happy-dom
// One delivery opened: what it shows of hostile bytes, and what sending it again does to the focus and says.
import type { DeliveryDetail } from '@countersign/shared/api/deliveries';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import Detail from './DeliveryDetail.svelte';

const AT = new Date().toISOString();
const DEAD: DeliveryDetail = {
  id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11',
  project_id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b12',
  item_id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b13',
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
  abilities: { replay: true },
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
    if (now === null || refused) throw new TypeError('gone');
    if (method === 'POST') now = { ...DEAD, status: 'pending', abilities: { replay: false } };
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

it('shows what hides or turns text as marks', async () => {
  render(Detail, { row: DEAD });
  const body = await screen.findByRole('region', { name: 'Body' });
  expect(within(body).getByTitle('U+202E right-to-left override')).toBeTruthy();
});

it('names the cause in words', async () => {
  render(Detail, { row: DEAD });
  expect(await screen.findAllByText('connection refused', { exact: false })).not.toHaveLength(0);
  expect(screen.queryByText('connection_refused', { exact: false })).toBeNull();
});

it('sent again: the focus goes to the attempts, and what comes of it is said', async () => {
  const { rerender } = render(Detail, { row: DEAD });
  await fireEvent.click(await screen.findByRole('button', { name: 'Send again' }));
  await vi.waitFor(() => expect(status()).toBe('It is on its way.'));
  await vi.waitFor(() => expect(screen.queryByRole('button', { name: 'Send again' })).toBeNull());
  expect(document.activeElement?.textContent).toBe('Attempts');
  now = { ...DEAD, status: 'succeeded', attempt: 11 };
  await rerender({ row: now });
  await vi.waitFor(() => expect(status()).toBe('Sent again: delivered.'));
});

it('keeps what it shows when it cannot be read again, and says so', async () => {
  const { rerender } = render(Detail, { row: DEAD });
  await screen.findByRole('button', { name: 'Send again' });
  now = null;
  await rerender({ row: { ...DEAD, attempt: 11 } });
  expect((await screen.findByRole('alert')).textContent).toContain('This could not be refreshed');
  expect(screen.getByRole('region', { name: 'Body' })).toBeTruthy();
});

it('says when nothing was sent', async () => {
  render(Detail, { row: DEAD });
  const button = await screen.findByRole('button', { name: 'Send again' });
  refused = true;
  await fireEvent.click(button);
  expect((await screen.findByRole('alert')).textContent).toContain('Nothing was sent again');
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

it('W6: shows what was sent and answered, headers too, as text; the signature masked', async () => {
  now = ANSWERED;
  const { container } = render(Detail, { row: ANSWERED });
  const request = await region('Request');
  expect(request.textContent).toContain('••••');
  const response = within(await screen.findByLabelText('Response headers'));
  expect(response.getByText('120')).toBeTruthy();
  expect(response.getByTitle('U+202E right-to-left override')).toBeTruthy();
  expect(container.querySelector('img')).toBeNull();
});

it('another attempt can be looked at, and stays on show when a newer one comes', async () => {
  now = ANSWERED;
  const { rerender } = render(Detail, { row: ANSWERED });
  const older = await screen.findByTitle('Show what attempt 10 sent and got');
  older.focus();
  await fireEvent.click(older);
  await vi.waitFor(() => expect(screen.queryByLabelText('Response headers')).toBeNull());
  expect(screen.getByText('No connection stood, so nothing of this went out.')).toBeTruthy();
  const [first] = ANSWERED.attempts;
  now = {
    ...ANSWERED,
    attempt: 12,
    attempts: [{ ...(first as (typeof DEAD.attempts)[number]), n: 12 }, ...ANSWERED.attempts],
  };
  await rerender({ row: now });
  await screen.findByTitle('Show what attempt 12 sent and got');
  expect(screen.queryByLabelText('Response headers')).toBeNull();
  expect(document.activeElement).toBe(older);
});

it('leads to the other deliveries of the item', async () => {
  render(Detail, { row: DEAD });
  const link = await screen.findByRole('link', { name: 'All deliveries of this item' });
  expect(link.getAttribute('href')).toBe(`?item=${DEAD.item_id}`);
});
