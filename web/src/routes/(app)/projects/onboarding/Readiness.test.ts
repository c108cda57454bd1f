// @vitest-environment happy-dom
// ON1: the list before production is ticked by the server's facts, links to each place, and can be put away.
import type { Readiness as Facts } from '@countersign/shared/schemas/onboarding';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import Readiness from './Readiness.svelte';

vi.mock('$app/paths', () => ({
  resolve: (_: string, { id, tab }: { id: string; tab: string }) => `/projects/${id}/${tab}`,
}));

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

const READY: Facts = { receiver: true, reviewer: true, thresholds: true, key: true };

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

it('stays away once it was dismissed, for this project alone', async () => {
  const { unmount } = show('p2', { ...READY, key: false });
  await fireEvent.click(await screen.findByRole('button', { name: 'Hide this list' }));
  expect(screen.queryByRole('heading')).toBeNull();
  unmount();
  const again = show('p2', { ...READY, key: false });
  show('p3', { ...READY, key: false });
  await screen.findByRole('heading', { name: 'Before production' });
  expect(again.container.textContent).toBe('');
});

it('is not shown for a project that is ready', async () => {
  const { container } = show('p4', READY);
  // Its answer came before that of this one.
  show('p5', { ...READY, key: false });
  await screen.findByRole('heading', { name: 'Before production' });
  expect(container.textContent.trim()).toBe('');
});
