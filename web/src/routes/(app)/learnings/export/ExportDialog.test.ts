// @vitest-environment happy-dom
// The size of an export is said in a live region that was there before.
import { cleanup, render, screen, within } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import ExportDialog from './ExportDialog.svelte';

vi.mock('#lib/live/connection.svelte.ts', () => ({ live: { on: () => () => undefined } }));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('says how many lines there are', async () => {
  const preview = Promise.withResolvers<Response>();
  vi.stubGlobal('fetch', (path: string) =>
    path.includes('preview') ? preview.promise : Promise.resolve(Response.json({ data: [], next_cursor: null })),
  );
  const urlState = { cluster: null, range: 'all', filter: {}, runs: false, run: null } as const;
  render(ExportDialog, { projectId: 'p', urlState, cluster: null, onclose: () => undefined });
  const section = screen.getByRole('region', { name: 'First lines' });
  const before = within(section).getAllByRole('status');
  preview.resolve(Response.json({ lines: 2, bytes: 1200, estimated: false, first: [] }));
  await vi.waitFor(() => expect(before.map(({ textContent }) => textContent).join('')).toContain('2 lines'));
});
