// @vitest-environment happy-dom
// The account page without membership offers, which the app then never reads, and with a name that another tab changes.
import { readAccount } from '@countersign/shared/routes/session';
import { allowWallet, listRefusedWallets } from '@countersign/shared/routes/offers';
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { live } from '#lib/live/connection.svelte.ts';
import { messages } from './messages.ts';
import Page from './+page.svelte';

const server = vi.hoisted(() => ({ name: null as string | null, refused: 0, wallets: [] as object[] }));
vi.mock('#lib/api/client.ts', async (original) => ({
  ...(await original<object>()),
  call: (route: unknown) => {
    if (route === listRefusedWallets) server.refused += 1;
    if (route === allowWallet) server.wallets = server.wallets.slice(1);
    const data = route === listRefusedWallets ? server.wallets : [];
    return Promise.resolve(
      route === readAccount
        ? { id: 'ana', name: server.name, address: 'A', direct_adding: false }
        : { data, next_cursor: null },
    );
  },
}));

let hear: (event: object) => void;
/** What listens for a gap in the events. */
const gapListeners = new Set<(projectId: string | null) => unknown>();
const resync = () => Promise.all([...gapListeners].map((listener) => listener(null)));
beforeEach(() => {
  server.name = null;
  server.wallets = [];
  vi.spyOn(live, 'on').mockImplementation((_: string, listener: unknown) => {
    hear = listener as typeof hear;
    return () => undefined;
  });
  vi.spyOn(live, 'onResync').mockImplementation((listener) => {
    gapListeners.add(listener);
    return () => gapListeners.delete(listener);
  });
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('says that there are no offers', async () => {
  render(Page);
  expect(await screen.findByText(messages.none)).toBeDefined();
});

const field = () => screen.findByLabelText<HTMLInputElement>(messages.nameLabel);

it('PM4: shows a name that was changed elsewhere', async () => {
  render(Page);
  const name = await field();
  server.name = 'Ana';
  hear({ changed: ['members'] });
  await vi.waitFor(() => expect(name.value).toBe('Ana'));
  server.name = 'Ana Lima';
  await resync();
  await vi.waitFor(() => expect(name.value).toBe('Ana Lima'));
});

it('PM4: leaves what was typed when the name was changed elsewhere', async () => {
  render(Page);
  const name = await field();
  // The saved name needs no saving: a page that knows it has read the account again.
  const save = screen.getByRole<HTMLButtonElement>('button', { name: messages.save });
  await fireEvent.input(name, { target: { value: 'Ana ' } });
  expect(save.disabled).toBe(false);
  server.name = 'Ana';
  hear({ changed: ['members'] });
  await vi.waitFor(() => expect(save.disabled).toBe(true));
  expect(name.value).toBe('Ana ');
});

it('QU4: reads the refused wallets again after an interruption', async () => {
  render(Page);
  await field();
  const before = server.refused;
  await resync();
  expect(server.refused).toBe(before + 1);
});

it('PM9: keeps the focus at the refused wallets when one of them is allowed again', async () => {
  server.wallets = ['Bo', 'Cy'].map((name) => ({ user_id: name, name, address: name }));
  render(Page);
  const button = await screen.findByRole('button', { name: messages.allowLabel('Bo') });
  button.focus();
  await fireEvent.click(button);
  await vi.waitFor(() => expect(screen.queryByText('Bo')).toBeNull());
  await vi.waitFor(() => expect(document.activeElement?.id).toBe('refused'));
});
