// @vitest-environment happy-dom
// A copy that the browser refuses is shown, and the text is selected where it stands beside the button.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import SecretOnce from '../../routes/(app)/projects/[id]/keys/SecretOnce.svelte';
import CopyButton from './CopyButton.svelte';

let refuses = true;
beforeEach(() => {
  refuses = true;
  const writeText = () => (refuses ? Promise.reject(new Error('No')) : Promise.resolve());
  vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } });
});
afterEach(() => {
  cleanup();
  getSelection()?.removeAllRanges();
  vi.unstubAllGlobals();
});

const status = () => screen.getByRole('status');

it('shows beside a button with a word that it could not copy, until the user goes on', async () => {
  render(CopyButton, { text: 'csk_1', label: 'Copy key', word: 'Copy' });
  const button = screen.getByRole('button');
  await fireEvent.click(button);
  await vi.waitFor(() => expect(status().textContent).toBe("Couldn't copy. Select the text and copy it manually"));
  expect(status().className).not.toContain('sr-only');
  await fireEvent.blur(button);
  expect([status().textContent, status().className]).toEqual(['', 'sr-only']);
});

it('shows on a button without a word that it could not copy', async () => {
  render(CopyButton, { text: 'csk_1', label: 'Copy key' });
  const button = screen.getByRole('button');
  await fireEvent.click(button);
  await vi.waitFor(() => expect(button.className).toContain('text-rejected'));
  expect(button.title).toBe("Couldn't copy. Select the text and copy it manually");
  refuses = false;
  await fireEvent.click(button);
  await vi.waitFor(() => expect(status().textContent).toBe('Copied'));
  expect(button.className).not.toContain('text-rejected');
});

const secret = (ondismiss: () => void) => render(SecretOnce, { title: 'New key', secret: 'csk_1', ondismiss });
const copy = () => fireEvent.click(screen.getByRole('button', { name: 'Copy' }));
const done = () => fireEvent.click(screen.getByRole('button', { name: 'Done' }));

it('selects the text beside the button', async () => {
  secret(() => undefined);
  await copy();
  await vi.waitFor(() => expect(status().textContent).toBe("Couldn't copy. The text is selected: copy it manually"));
  expect(getSelection()?.toString()).toBe('csk_1');
});

it('asks before a secret goes that could not be copied', async () => {
  const dismissed = vi.fn();
  secret(dismissed);
  await copy();
  await vi.waitFor(() => expect(status().textContent).toContain("Couldn't copy"));
  await done();
  await screen.findByRole('dialog', { name: 'Continue without a copy?' });
  expect(dismissed).not.toHaveBeenCalled();
  await fireEvent.click(screen.getByRole('button', { name: 'Continue' }));
  await vi.waitFor(() => expect(dismissed).toHaveBeenCalledTimes(1));
});

it('does not ask once the secret was copied by hand', async () => {
  const dismissed = vi.fn();
  secret(dismissed);
  await copy();
  await vi.waitFor(() => expect(status().textContent).toContain("Couldn't copy"));
  await fireEvent.copy(screen.getByText('csk_1'));
  await done();
  expect(dismissed).toHaveBeenCalledTimes(1);
});
