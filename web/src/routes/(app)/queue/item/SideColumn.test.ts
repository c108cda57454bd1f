// @vitest-environment happy-dom
// Beside the item: paging back in its history by keyboard keeps the focus there.
import { render, screen } from '@testing-library/svelte';
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
