// @vitest-environment happy-dom
// GL1 in the queue: shown once, with the changes behind a click; the server stores a dismissal before it disappears.
import type { GuidelinesNews } from '@countersign/shared/schemas/guidelines';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import Banner from './GuidelinesBanner.svelte';

const CHANGED: GuidelinesNews = {
  project_id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11',
  project_name: 'Maths answers',
  version: 5,
  text: 'One.\n\nTwo, mended.',
  changed_at: new Date().toISOString(),
  changed_by: { user_id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b12', name: 'Ana Ruiz' },
  seen_version: 2,
  seen_text: 'One.\n\nTwo.',
};

let list: GuidelinesNews[];
let noted: unknown[];
let note: () => Promise<Response>;
const asked = vi.fn();

beforeEach(() => {
  [list, noted] = [[CHANGED], []];
  asked.mockClear();
  note = () => Promise.resolve(new Response(null, { status: 204 }));
  vi.stubGlobal('fetch', (path: string, { method, body }: RequestInit) => {
    if (method !== 'GET') {
      noted.push([path, JSON.parse(body as string)]);
      return note();
    }
    asked(path);
    const headers = { 'content-type': 'application/json' };
    return Promise.resolve(new Response(JSON.stringify({ data: list, next_cursor: null }), { headers }));
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** The name of the project is in an element of its own. */
const message = () =>
  screen.queryByText(
    (_, element) =>
      element?.tagName === 'P' && element.textContent.trim() === 'Maths answers guidelines updated (1 line)',
  );
const gotIt = () => fireEvent.click(screen.getByRole('button', { name: 'Got it' }));

it('GL1: shows how much changed, opens it on a click, and disappears once it is dismissed', async () => {
  render(Banner);
  await vi.waitFor(() => expect(message()).not.toBeNull());
  expect(document.activeElement).toBe(document.body);
  await fireEvent.click(screen.getByRole('button', { name: 'Show changes' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText(/Ana Ruiz/)).toBeTruthy();
  expect(dialog.getByText(', mended', { exact: false }).tagName).toBe('INS');
  await fireEvent.click(dialog.getByRole('button', { name: 'Got it' }));
  await vi.waitFor(() => expect(message()).toBeNull());
  expect(noted).toEqual([[`/api/projects/${CHANGED.project_id}/guidelines/seen`, { version: 5 }]]);
});

it('GL1: stays and says so when dismissing failed', async () => {
  note = () => Promise.reject(new TypeError('The network is unreachable.'));
  render(Banner);
  await vi.waitFor(() => expect(message()).not.toBeNull());
  await gotIt();
  expect(await screen.findByText(/^Couldn't save that\./)).toBeTruthy();
  note = () => Promise.resolve(new Response(null, { status: 204 }));
  await gotIt();
  await vi.waitFor(() => expect(screen.queryByRole('button', { name: 'Got it' })).toBeNull());
});

it('GL1: disappears on return to this tab when another tab dismissed it', async () => {
  render(Banner);
  await vi.waitFor(() => expect(message()).not.toBeNull());
  list = [];
  document.dispatchEvent(new Event('visibilitychange'));
  await vi.waitFor(() => expect(message()).toBeNull());
});

it('GL1: does not show a dismissed notice again for a pending answer; shows a newer text', async () => {
  render(Banner);
  await vi.waitFor(() => expect(message()).not.toBeNull());
  await gotIt();
  await vi.waitFor(() => expect(message()).toBeNull());
  document.dispatchEvent(new Event('visibilitychange'));
  await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
  expect(message()).toBeNull();
  list = [{ ...CHANGED, version: 6, seen_version: 5, seen_text: CHANGED.text, text: 'One, mended.\n\nTwo, mended.' }];
  document.dispatchEvent(new Event('visibilitychange'));
  await vi.waitFor(() => expect(message()).not.toBeNull());
});

it('shows nothing when nothing changed', async () => {
  list = [];
  render(Banner);
  await vi.waitFor(() => expect(asked).toHaveBeenCalled());
  expect(screen.queryByRole('button')).toBeNull();
});
