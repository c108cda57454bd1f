// @vitest-environment happy-dom
// Deleting and restoring a project: names are text, and the focus is never lost.
import type { Project } from '@countersign/shared/schemas/projects';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
// Loaded here, and not while a test waits for a dialog: the first load takes seconds.
import '#lib/components/Dialog.svelte';
import Danger from './Danger.svelte';
import { dangerMessages } from './danger-messages.ts';
import RestoreButton from './RestoreButton.svelte';
import { SettingsForm } from '../settings/settings-form.svelte.ts';

const project = (change: Partial<Project> = {}) =>
  ({
    id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11',
    name: 'Refunds',
    ...DEFAULT_SETTINGS,
    settings_version: 4,
    abilities: { manage_project: true },
    ...change,
  }) as Project;

vi.mock('$app/navigation', () => ({ goto: vi.fn() }));
vi.mock('$app/paths', () => ({ resolve: (path: string) => path }));

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

it('AR2: the question isolates the name, and it is typed as shown', async () => {
  // Its contents are still being counted.
  vi.stubGlobal('fetch', () => new Promise(() => undefined));
  const form = new SettingsForm(project({ name: 'Re\u202Efunds\u200B  east', archived_at: null }), 'me');
  render(Danger, { form });
  await fireEvent.click(screen.getByRole('button', { name: dangerMessages.remove.button }));
  const heading = within(await screen.findByRole('dialog')).getByRole('heading', { level: 2 });
  expect(heading.textContent).toMatch(/^Delete “Re.*east”\?$/);
  expect(heading.querySelector('[title^="U+202E"]')?.closest('[dir="auto"]')).not.toBeNull();
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Delete permanently' });
  const field = screen.getByLabelText('Type the project name');
  for (const [typed, meant] of [
    ['', false],
    ['Refund east', false],
    ['Refunds east', true],
  ] as const) {
    await fireEvent.input(field, { target: { value: typed } });
    expect(button.disabled).toBe(!meant);
  }
});

it('AR1: restoring is reported in a place that outlives the button, and moves the focus on', async () => {
  const restored = project({ archived_at: null });
  const form = new SettingsForm(project({ archived_at: new Date().toISOString() }), 'me');
  const headers = { 'content-type': 'application/json' };
  vi.stubGlobal('fetch', (path: string) =>
    Promise.resolve(
      new Response(JSON.stringify(path.endsWith('/restore') ? restored : { data: [], next_cursor: null }), { headers }),
    ),
  );
  document.body.insertAdjacentHTML('beforeend', '<main id="page" tabindex="-1"></main>');
  const { unmount } = render(RestoreButton, { form });
  // Another element has replaced the button by now.
  vi.spyOn(form, 'take').mockImplementation(unmount);
  const button = screen.getByRole('button', { name: 'Restore' });
  button.focus();
  await fireEvent.click(button);
  await vi.waitFor(() => expect(document.activeElement?.id).toBe('page'));
  expect(form.announcement).toBe('The project is restored.');
  document.getElementById('page')?.remove();
});

it('a removed member has no draft of the project left', () => {
  const form = new SettingsForm(project(), 'me');
  form.draft.name = 'Typed';
  form.secrets.key = 'shown once';
  form.replacedGuidelines.put(3, 'Three.', 'Typed.');
  form.persist();
  form.reset();
  expect([form.dirty, form.secrets.on('keys'), form.replacedGuidelines.last]).toEqual([false, false, null]);
  expect(new SettingsForm(project(), 'me').dirty).toBe(false);
});
