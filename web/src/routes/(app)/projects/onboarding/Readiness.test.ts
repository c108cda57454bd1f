// @vitest-environment happy-dom
// ON1: the list before production is ticked by the server's facts, links to each place, and can be hidden.
import type { Readiness as Facts } from '@countersign/shared/schemas/onboarding';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import { live } from '#lib/live/connection.svelte.ts';
import Readiness from './Readiness.svelte';

vi.mock('$app/paths', () => ({
  resolve: (_: string, { id, tab }: { id: string; tab: string }) => `/projects/${id}/${tab}`,
}));

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const READY: Facts = { receiver: true, reviewer: true, thresholds: true, key: true, hidden: false };

function show(projectId: string, facts: Facts) {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(facts)));
  return render(Readiness, { projectId });
}

it('ticks what is done, and links to the place of what is not', async () => {
  show('p1', { ...READY, thresholds: false, key: false });
  await screen.findByRole('heading', { name: 'Before production' });
  expect(screen.getByRole('status').textContent).toBe('2 of 4');
  expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    '/projects/p1/rules',
    '/projects/p1/keys',
  ]);
  const [receiver] = screen.getAllByRole('listitem');
  expect(within(receiver as HTMLElement).getByRole('heading', { name: 'done: Verify your receiver' })).toBeTruthy();
});

it('is hidden by the service, and stays while that fails', async () => {
  const left = { ...READY, key: false };
  const { unmount } = show('p2', left);
  const hide = await screen.findByRole('button', { name: 'Hide this list' });
  const sent: string[] = [];
  const answers = [new Response('', { status: 503 }), new Response(null, { status: 204 })];
  vi.stubGlobal('fetch', (path: string) => (sent.push(path), Promise.resolve(answers.shift())));
  await fireEvent.click(hide);
  await screen.findByText(/^Couldn't hide the list/);
  await fireEvent.click(hide);
  await vi.waitFor(() => expect(screen.queryByRole('heading')).toBeNull());
  expect(sent).toEqual(Array(2).fill('/api/projects/p2/readiness/hide'));
  unmount();
  const again = show('p2', { ...left, hidden: true });
  show('p3', left);
  await screen.findByRole('heading', { name: 'Before production' });
  expect(again.container.textContent.trim()).toBe('');
});

it('is not shown for a project that is ready', async () => {
  const { container } = show('p4', READY);
  // Its answer came before that of this one.
  show('p5', { ...READY, key: false });
  await screen.findByRole('heading', { name: 'Before production' });
  expect(container.textContent.trim()).toBe('');
});

it('asks again when the connection is back: after a failed answer, and after a complete list, but not once it is hidden', async () => {
  const listeners: Parameters<typeof live.onResync>[0][] = [];
  vi.spyOn(live, 'onResync').mockImplementation((listener) => {
    listeners.push(listener);
    return () => undefined;
  });
  const answers = [
    new Response('', { status: 503 }),
    ...[{ key: false }, {}, { receiver: false }, { hidden: true }].map((change) =>
      Response.json({ ...READY, ...change }),
    ),
  ];
  vi.stubGlobal('fetch', () => Promise.resolve(answers.shift()));
  const back = () => listeners.forEach((listener) => void listener(null));
  const { container } = render(Readiness, { projectId: 'p6' });
  await screen.findByText(/could not be loaded/);
  back();
  await vi.waitFor(() => expect(screen.getByRole('status').textContent).toBe('3 of 4'));
  back();
  await screen.findByRole('heading', { name: 'Ready for production' });
  back();
  await vi.waitFor(() => expect(screen.getByRole('status').textContent).toBe('3 of 4'));
  back();
  await vi.waitFor(() => expect(container.textContent.trim()).toBe(''));
  answers.push(Response.json({ ...READY, key: false }));
  back();
  expect(answers).toHaveLength(1);
});
