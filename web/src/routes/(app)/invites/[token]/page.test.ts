// @vitest-environment happy-dom
// Accepting an invite is announced, and the focus stays on the page.
import { acceptInvite, readInvite } from '@countersign/shared/routes/invites';
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiProblem, NetworkFailure } from '#lib/api/client.ts';
import Page from './+page.svelte';

const server = vi.hoisted(() => ({
  accept: (): Promise<unknown> => Promise.reject(new Error('No')),
  invite: {} as object,
}));
const OPEN = { role: 'reviewer', invited_by: 'Ana', member: null, abilities: { accept: true } };
vi.mock('$app/state', () => ({
  page: { params: { token: 'secret' }, url: new URL('http://countersign.test/invites/secret') },
}));
vi.mock('$app/paths', () => ({ resolve: (route: string) => route }));
vi.mock('#lib/api/client.ts', async (original) => ({
  ...(await original<object>()),
  call: (route: unknown) => {
    if (route === acceptInvite) return server.accept();
    return Promise.resolve(
      route === readInvite
        ? { ...server.invite, project: { id: 'p', name: 'North' } }
        : { data: [], next_cursor: null },
    );
  },
}));

beforeEach(() => {
  server.invite = OPEN;
  document.body.insertAdjacentHTML('beforeend', '<main id="page" tabindex="-1"></main>');
});
afterEach(() => {
  cleanup();
  document.getElementById('page')?.remove();
});

/** Accepts the invite. Browsers blur a button that is disabled; here another element takes the focus away. */
async function accept() {
  const answer = Promise.withResolvers();
  server.accept = () => answer.promise;
  const { container } = render(Page);
  const button = await screen.findByRole('button', { name: 'Join project' });
  // A change of a region is read out only if the region was there before.
  const status = container.querySelector('[role=status]');
  button.focus();
  button.click();
  await vi.waitFor(() => expect(button).toHaveProperty('disabled', true));
  const other = document.body.appendChild(document.createElement('input'));
  other.focus();
  other.remove();
  expect(document.activeElement).toBe(document.body);
  return { ...answer, button, status };
}

it('says what the user joined, and moves the focus to the page', async () => {
  const { resolve, status } = await accept();
  resolve({ project: { id: 'p', name: 'North' }, role: 'reviewer' });
  await vi.waitFor(() => expect(status?.textContent).toContain('You joined North'));
  await vi.waitFor(() => expect(document.activeElement?.id).toBe('page'));
});

it('says that the invite is no longer valid, and moves the focus to the page', async () => {
  const { reject, status } = await accept();
  reject(new ApiProblem({ status: 404, code: 'not_found' }, null));
  await vi.waitFor(() => expect(status?.textContent).toContain('This invite is no longer valid'));
  await vi.waitFor(() => expect(document.activeElement?.id).toBe('page'));
});

it('keeps the focus at the button after a failure', async () => {
  const { reject, button } = await accept();
  reject(new ApiProblem({ status: 503, code: 'unavailable' }, null));
  await screen.findByText('You could not join the project');
  await vi.waitFor(() => expect(document.activeElement).toBe(button));
});

it('PM3: says what the user joined when only the answer was lost', async () => {
  const { reject, status } = await accept();
  server.invite = { ...OPEN, member: 'reviewer', abilities: { accept: false } };
  reject(new NetworkFailure('unreachable'));
  await vi.waitFor(() => expect(status?.textContent).toContain('You joined North'));
  expect(screen.queryByText('You could not join the project')).toBeNull();
  await vi.waitFor(() => expect(document.activeElement?.id).toBe('page'));
});

it('offers the invite again when the request was lost', async () => {
  const { reject, button } = await accept();
  reject(new NetworkFailure('timeout'));
  await screen.findByText('You could not join the project');
  await vi.waitFor(() => expect(document.activeElement).toBe(button));
});
