// @vitest-environment happy-dom
// After a session is ended by keyboard, the focus is still on the page.
import { endOneSession, endOtherSessions, listSessions } from '@countersign/shared/routes/session';
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiProblem } from '#lib/api/client.ts';
import Page from './+page.svelte';

const at = '2026-03-02T09:50:00.000Z';
const SESSIONS = ['here', 'there', 'elsewhere'].map((id) => ({
  ...{ id, device: `Browser ${id}`, current: id === 'here' },
  ...{ created_at: at, last_seen_at: at, expires_at: at },
}));
const server = vi.hoisted(() => ({
  open: [] as { id: string; current: boolean }[],
  refusal: null as Promise<never> | null,
}));
vi.mock('#lib/api/client.ts', async (original) => ({
  ...(await original<object>()),
  call: (route: unknown, input?: { params: { id: string } }) => {
    if (route === listSessions) return Promise.resolve({ data: server.open });
    if (server.refusal !== null) return server.refusal;
    if (route === endOneSession) server.open = server.open.filter(({ id }) => id !== input?.params.id);
    if (route === endOtherSessions) server.open = server.open.filter(({ current }) => current);
    return Promise.resolve();
  },
}));

beforeEach(() => {
  Object.assign(server, { open: SESSIONS, refusal: null });
  document.body.insertAdjacentHTML('beforeend', '<main id="page" tabindex="-1"></main>');
});
afterEach(() => {
  cleanup();
  document.getElementById('page')?.remove();
});

const endThere = () => screen.findByRole('button', { name: /^Sign out Browser there/ });

it('moves the focus to the page with the session that was ended', async () => {
  render(Page);
  const button = await endThere();
  button.focus();
  await fireEvent.click(button);
  await vi.waitFor(() => expect(screen.queryByText('Browser there')).toBeNull());
  await vi.waitFor(() => expect(document.activeElement?.id).toBe('page'));
});

it('keeps the focus at the button of a session that could not be ended', async () => {
  render(Page);
  const { promise, reject } = Promise.withResolvers<never>();
  server.refusal = promise;
  const button = await endThere();
  button.focus();
  await fireEvent.click(button);
  // Browsers blur a button that is disabled.
  await vi.waitFor(() => expect(button).toHaveProperty('disabled', true));
  button.blur();
  reject(new ApiProblem({ status: 503, code: 'unavailable' }, null));
  await screen.findByText('The session could not be ended');
  await vi.waitFor(() => expect(document.activeElement).toBe(button));
});

it('moves the focus to the page with all other sessions', async () => {
  render(Page);
  await fireEvent.click(await screen.findByRole('button', { name: 'Sign out everywhere else' }));
  await screen.findByRole('dialog');
  await fireEvent.click(screen.getAllByRole('button', { name: 'Sign out everywhere else' }).at(-1)!);
  await vi.waitFor(() => expect(screen.queryByText('Browser there')).toBeNull());
  await vi.waitFor(() => expect(document.activeElement?.id).toBe('page'));
});
