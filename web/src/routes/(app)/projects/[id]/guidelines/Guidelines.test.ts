// @vitest-environment happy-dom
// Older versions in the guidelines editor: replaced text can be restored until it is saved.
import type { Project } from '@countersign/shared/schemas/projects';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import Guidelines from './Guidelines.svelte';
import { SettingsForm } from '../settings/settings-form.svelte.ts';

const PROJECT = {
  id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11',
  name: 'Maths answers',
  ...DEFAULT_SETTINGS,
  guidelines: 'Four.',
  settings_version: 4,
  abilities: { change_settings: true },
} as Project;
const VERSIONS = ['Four.', 'Three.', 'Two.'].map((text, at) => ({
  version: 4 - at,
  text,
  changed_at: new Date().toISOString(),
  changed_by: null,
}));

const asked = vi.fn();
beforeEach(() => {
  vi.stubGlobal('fetch', (path: string, { method, body }: RequestInit) => {
    if (method === 'GET') asked(path);
    const reply =
      method === 'GET'
        ? { data: VERSIONS, next_cursor: null }
        : { ...PROJECT, ...(JSON.parse(body as string) as Partial<Project>), settings_version: 5 };
    const headers = { 'content-type': 'application/json' };
    return Promise.resolve(new Response(JSON.stringify(reply), { headers }));
  });
});
afterEach(() => {
  cleanup();
  asked.mockClear();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

const editor = () => screen.getByLabelText<HTMLTextAreaElement>('Guidelines');
const again = async (version: number) =>
  fireEvent.click(await screen.findByRole('button', { name: `Restore this version: v${version}` }));
const back = () => screen.queryByRole('button', { name: 'Undo' });

it('typed text can be restored after inserting one older version and another, also from another tab', async () => {
  const form = new SettingsForm(PROJECT, 'me');
  const { unmount } = render(Guidelines, { form });
  await fireEvent.input(editor(), { target: { value: 'Mine.' } });
  await again(3);
  await again(2);
  expect(editor().value).toBe('Two.');
  unmount();
  render(Guidelines, { form });
  expect(screen.getByText(/v2 is in the editor/).textContent).toContain('Your text was replaced');
  back()?.focus();
  await fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
  expect(editor().value).toBe('Mine.');
  expect(document.activeElement).toBe(editor());
  expect(back()).toBeNull();
});

it('loses neither the first typed text nor the text typed on an older version', async () => {
  const form = new SettingsForm(PROJECT, 'me');
  render(Guidelines, { form });
  await fireEvent.input(editor(), { target: { value: 'Mine.' } });
  await again(3);
  await fireEvent.input(editor(), { target: { value: 'Three, mended.' } });
  await again(4);
  expect(editor().value).toBe('Four.');
  for (const text of ['Three, mended.', 'Mine.']) {
    await fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    expect(editor().value).toBe(text);
  }
  expect(back()).toBeNull();
});

it('offers nothing to restore once it is saved, or discarded', async () => {
  const form = new SettingsForm(PROJECT, 'me');
  render(Guidelines, { form });
  await again(3);
  expect(back()).not.toBeNull();
  await form.save(() => Promise.reject(new Error('The versions cannot be read.')));
  await fireEvent.input(editor(), { target: { value: 'Three. And on.' } });
  expect(back()).toBeNull();
  await again(2);
  form.discard();
  await tick();
  expect(back()).toBeNull();
});

it('requests the versions once, not with every event of the project', async () => {
  const form = new SettingsForm(PROJECT, 'me');
  render(Guidelines, { form });
  await screen.findByRole('button', { name: 'Restore this version: v3' });
  form.take({ ...PROJECT });
  await tick();
  expect(asked).toHaveBeenCalledOnce();
});
