// @vitest-environment happy-dom
// Beside the item: paging back in its history by keyboard keeps the focus there.
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import { History } from './history.svelte.ts';
import SideColumn from './SideColumn.svelte';

const context = vi.hoisted(() => ({ history: {} }));
vi.mock('../queue-context.ts', () => ({
  getQueueContext: () => ({ reviewSession: { history: context.history }, me: { id: 'me', name: 'Me' } }),
  projectOf: () => null,
}));

const detail = {
  id: 'one',
  confidence: 0.7,
  routing: { rule: 'RT3', auto_threshold: 0.9, review_threshold: 0.5, matched_flags: [], settings_version: 1 },
} as unknown as ItemDetail;

const event = (seq: number) => ({
  seq,
  type: 'item.queued',
  server_time: '2026-11-20T12:00:00.000Z',
  actor: { kind: 'member', id: 'ana', name: 'Ana' },
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('Show earlier retains the focus, and passes it to the heading when everything is loaded', async () => {
  const pages = [
    { data: [event(3)], next_cursor: '3' },
    { data: [event(2)], next_cursor: '2' },
    { data: [event(1)], next_cursor: null },
  ];
  let go = (): unknown => undefined;
  vi.stubGlobal('fetch', () => {
    const page = Response.json(pages.shift());
    return new Promise((resolve) => (go = () => resolve(page)));
  });
  const history = new History();
  context.history = history;
  history.switchTo('one');
  history.readSoon();
  render(SideColumn, { detail });
  const answered = async (lines: number) => {
    await vi.waitFor(() => {
      go();
      expect(screen.getAllByRole('listitem')).toHaveLength(lines);
    });
  };
  await answered(1);
  /** Browsers blur a button that is disabled; this one does not. */
  const press = async () => {
    const button = screen.getByRole('button', { name: 'Show earlier' });
    button.focus();
    button.click();
    await vi.waitFor(() => expect(button).toHaveProperty('disabled', true));
    button.blur();
    return button;
  };
  const button = await press();
  await answered(2);
  await vi.waitFor(() => expect(document.activeElement).toBe(button));
  await press();
  await answered(3);
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'History' })));
});

it('shows the day of its history where it changes, and none while all of it is of today', async () => {
  const [today, earlier] = [0, 3].map((days) => new Date(Date.now() - days * 86_400_000).toISOString());
  const at = (seq: number, time: string | undefined) => ({ ...event(seq), server_time: time });
  const days = async (...events: object[]) => {
    vi.stubGlobal('fetch', async () => Response.json({ data: events, next_cursor: null }));
    const history = new History();
    context.history = history;
    history.switchTo('one');
    history.readSoon();
    const { unmount } = render(SideColumn, { detail });
    await vi.waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(events.length));
    const shown = screen.getAllByRole('listitem').map(({ textContent }) => /\b\d{4}\b/.test(textContent));
    unmount();
    return shown;
  };
  expect(await days(at(1, today), at(2, today))).toEqual([false, false]);
  expect(await days(at(1, earlier), at(2, earlier), at(3, today), at(4, today))).toEqual([true, false, true, false]);
});
