// @vitest-environment happy-dom
// The error page names the cause: only a URL without a page is called not found.
import { render } from '@testing-library/svelte';
import { expect, it, vi } from 'vitest';
import ErrorPage from './+error.svelte';

const state = vi.hoisted(() => ({ page: { status: 404 } }));
vi.mock('$app/state', () => state);
vi.mock('$app/paths', () => ({ resolve: (path: string) => path }));

const NOTHING = 'Page not found';

it.each([
  [404, NOTHING],
  [400, 'This page could not be loaded'],
  [403, 'This page could not be loaded'],
  [500, 'This page could not be loaded'],
  [503, 'This page could not be loaded'],
])('the error page of %d says %s', (status, title) => {
  state.page.status = status;
  const { getByRole, queryByText } = render(ErrorPage);
  expect(getByRole('heading').textContent).toBe(title);
  expect(queryByText(NOTHING) !== null).toBe(status === 404);
});
