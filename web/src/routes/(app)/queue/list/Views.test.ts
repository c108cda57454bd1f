// @vitest-environment happy-dom
// The views of the queue as links.
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
