// @vitest-environment happy-dom
// Tests the account page of somebody without membership offers, which the app then never reads.
import { readAccount } from '@countersign/shared/routes/session';
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import { messages } from './messages.ts';
import Page from './+page.svelte';

vi.mock('#lib/api/client.ts', async (original) => ({
  ...(await original<object>()),
  call: (route: unknown) =>
    Promise.resolve(
      route === readAccount
        ? { id: 'ana', name: null, address: 'A', direct_add: false }
        : { data: [], next_cursor: null },
    ),
}));
afterEach(cleanup);

it('says that there are no offers', async () => {
  render(Page);
  expect(await screen.findByText(messages.none)).toBeDefined();
});
