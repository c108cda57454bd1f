// @vitest-environment happy-dom
// The views of the queue as links: their address, and counts that never cut their names.
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import Views from './Views.svelte';

vi.mock('$app/paths', () => ({ resolve: (route: string) => route.replace('/(app)', '') }));
const reviewSession = vi.hoisted(() => ({ wantedId: null as string | null }));
vi.mock('../queue-context.ts', () => ({ getQueueContext: () => ({ reviewSession }) }));

afterEach(cleanup);

it.each([
  ['an open item open', '0198a6e2-0000-7000-8000-000000000001', '/queue?view=mine&project=p1&item='],
  ['the place free without one', null, '/queue?view=mine&project=p1'],
])('keep %s, like the key that switches the view', (_, open, address) => {
  reviewSession.wantedId = open;
  render(Views, { scope: { view: 'all', projectId: 'p1' }, counts: null });
  expect(screen.getByRole('link', { name: 'Mine' }).getAttribute('href')).toBe(`${address}${open ?? ''}`);
});

const scope = { view: 'available', projectId: null } as const;
const counts = { available: Infinity, mine: 3, escalated: 1999, all: 10_000 };

it.each([
  [false, ['10K+', '3', '1,999', '10K']],
  [true, ['10K+', '3', '1.9K', '10K']],
])('shows counts in few characters, in a line: %s', (line, shown) => {
  render(Views, { scope, counts, line });
  const links = screen.getAllByRole('link');
  const drawn = links.map((link) => link.querySelector('[aria-hidden=true][title]') ?? link.lastElementChild);
  expect(drawn.map((each) => each?.textContent.trim())).toEqual(shown);
  expect(links.map((link) => link.querySelector('[title]')?.getAttribute('title') ?? null)).toEqual([
    ...['10,000+', null, line ? '1,999' : null, '10,000'],
  ]);
});

it('names each view with its exact count', () => {
  render(Views, { scope, counts, line: true });
  for (const name of [/^Available\s*10,000\+$/, /^Mine\s*3$/, /^Escalated\s*1,999$/, /^All\s*10,000$/])
    expect(screen.getByRole('link', { name })).toBeDefined();
});
