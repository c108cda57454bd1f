// @vitest-environment happy-dom
// A cluster that is gone is said in a live region that was there before.
import { cleanup, render } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import ClusterGone from './ClusterGone.svelte';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('says which cluster it was merged into', async () => {
  const merged_into = { id: 'other', name: 'Wrong address' };
  vi.stubGlobal('fetch', async () => Response.json({ id: 'gone', name: 'Bad address', merged_into }));
  const { container } = render(ClusterGone, { projectId: 'p', id: 'gone', to: (id: string) => `/learnings/${id}` });
  const status = container.querySelector('[role=status]');
  await vi.waitFor(() => expect(status?.textContent).toContain('Wrong address'));
});
