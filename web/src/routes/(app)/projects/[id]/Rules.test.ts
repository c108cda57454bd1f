// @vitest-environment happy-dom
// Who may not write sees the rules as they are, whatever they typed while they still might.
import { DEFAULT_SETTINGS, type Project } from '@countersign/shared/api/projects';
import { cleanup, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import Rules from './Rules.svelte';
import { SettingsForm } from './settings.svelte.ts';

vi.mock('$app/paths', () => ({ resolve: (route: string) => route.replace('/(app)', '') }));

const project = (may: boolean) =>
  ({
    id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11',
    name: 'Maths answers',
    ...DEFAULT_SETTINGS,
    settings_version: 4,
    abilities: { change_settings: may },
  }) as Project;

afterEach(() => {
  cleanup();
  sessionStorage.clear();
});

it('PM: shows the rules and not the draft once one may not write, and the draft again after that', async () => {
  const form = new SettingsForm(project(true), 'me');
  form.draft.target_minutes = '7';
  form.draft.claim_lease_seconds = 'abc';
  render(Rules, { form });
  const target = () => screen.getByLabelText<HTMLInputElement>('Target for a decision');
  expect(target().value).toBe('7');
  form.take(project(false));
  await tick();
  expect(target().value).toBe(String(DEFAULT_SETTINGS.target_minutes));
  expect(target().readOnly).toBe(true);
  expect(document.querySelector('[aria-invalid=true]')).toBeNull();
  expect(screen.queryByText(/^was /)).toBeNull();
  form.take(project(true));
  await tick();
  expect(target().value).toBe('7');
});
