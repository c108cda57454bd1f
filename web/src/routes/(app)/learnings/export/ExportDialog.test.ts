// @vitest-environment happy-dom
// The size of an export is said in a live region that was there before, and follows what changes the file.
import { cleanup, render, screen, within } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import ExportDialog from './ExportDialog.svelte';

type Listener = (event: object) => void;
const heard = vi.hoisted(() => new Map<string, Listener[]>());
const subscribe = vi.hoisted(() => (type: string, listener: Listener) => {
  heard.set(type, [...(heard.get(type) ?? []), listener]);
  return () => undefined;
});
vi.mock('#lib/live/connection.svelte.ts', () => ({
  live: { on: subscribe, onResync: (listener: Listener) => subscribe('resync', listener) },
}));
afterEach(() => {
  cleanup();
  heard.clear();
  vi.unstubAllGlobals();
});

function open(): void {
  const urlState = { cluster: null, range: 'all', filter: {}, runs: false, run: null } as const;
  render(ExportDialog, { projectId: 'p', urlState, cluster: null, onclose: () => undefined });
}

it('says how many lines there are', async () => {
  const preview = Promise.withResolvers<Response>();
  vi.stubGlobal('fetch', (path: string) =>
    path.includes('preview') ? preview.promise : Promise.resolve(Response.json({ data: [], next_cursor: null })),
  );
  open();
  const section = screen.getByRole('region', { name: 'First lines' });
  const before = within(section).getAllByRole('status');
  preview.resolve(Response.json({ lines: 2, bytes: 1200, estimated: false, first: [] }));
  await vi.waitFor(() => expect(before.map(({ textContent }) => textContent).join('')).toContain('2 lines'));
});

it.each([
  ['LX5: a learning was excluded', 'project.changed', { project_id: 'p', learning: { id: 'l', excluded: true } }],
  ['LX6: clusters were reshaped', 'project.changed', { project_id: 'p', reshaped: ['c'] }],
  ['RV5: a decision was revised', 'decision.revised', { project_id: 'p', item_id: 'i' }],
  ['QU4: events may be missing', 'resync', {}],
])('previews the file again after %s', async (_, type, event) => {
  let lines = 2;
  vi.stubGlobal('fetch', (path: string) =>
    Promise.resolve(
      Response.json(
        path.includes('preview')
          ? { lines, bytes: 1200, estimated: false, first: [] }
          : { data: [], next_cursor: null },
      ),
    ),
  );
  open();
  await screen.findByText(/^2 lines/);
  lines = 1;
  heard.get(type)?.forEach((listener) => listener(event));
  await screen.findByText(/^1 line/);
});
