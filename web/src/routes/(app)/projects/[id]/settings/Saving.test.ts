// @vitest-environment happy-dom
// KE1 in the page: no retention period is shortened without a confirmation, and cancelling loses nothing.
import type { Project } from '@countersign/shared/schemas/projects';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import Saving from './Saving.svelte';
import { SettingsForm } from './settings-form.svelte.ts';
import type { Draft } from './settings-draft.ts';

const PROJECT = {
  id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11',
  name: 'Maths answers',
  ...DEFAULT_SETTINGS,
  retention_attempt_days: 90,
  settings_version: 12,
  abilities: { change_settings: true },
} as Project;

let sent: Record<string, unknown>[];
let status: number;
beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-24T12:00:00Z'), toFake: ['Date'] });
  sent = [];
  status = 200;
  vi.stubGlobal('fetch', (_: string, { method, body }: RequestInit) => {
    if (method === 'GET') return Promise.resolve(Response.json({ data: [], next_cursor: null }));
    const patch = JSON.parse(body as string) as Record<string, unknown>;
    sent.push(patch);
    const refused = {
      type: 'about:blank',
      title: 'Refused',
      status,
      detail: 'Not now.',
      code: 'unavailable',
      errors: [],
    };
    return Promise.resolve(
      status === 200
        ? Response.json({ ...PROJECT, ...patch, settings_version: 13 })
        : Response.json(refused, { status }),
    );
  });
});
afterEach(() => {
  cleanup();
  sessionStorage.clear();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

async function typed(change: Partial<Draft>) {
  const form = new SettingsForm(PROJECT, 'me');
  Object.assign(form.draft, change);
  const never = () => Promise.reject<Project>(new Error('The project cannot be read.'));
  render(Saving, { form, unsaved: true, save: () => form.save(never) });
  await fireEvent.click(screen.getByRole('button', { name: /^Save as/ }));
  return form;
}
const dialog = () => screen.findByRole('dialog', { name: 'Shorten retention?' });
const press = (name: string, within_: HTMLElement) => fireEvent.click(within(within_).getByRole('button', { name }));
const gone = () => vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());

it('KE1: confirms a shorter retention period first: what is deleted, from when, and that it cannot be restored', async () => {
  const form = await typed({ retention_payload_days: '30', retention_attempt_days: '60', target_minutes: '5' });
  const question = await dialog();
  const said = question.textContent;
  expect(said).toContain('cannot be recovered');
  expect(said).toMatch(/Item content\s*forever\s*30 days/);
  expect(said).toMatch(/Delivery attempts\s*90 days\s*60 days/);
  const day = new Date('2026-10-25T12:00:00Z').toLocaleDateString(undefined, { dateStyle: 'medium' });
  expect(said).toContain(`completed before ${day}, it is deleted within minutes`);
  expect(said).not.toContain('target');
  expect(sent).toEqual([]);
  await press('Save and delete', question);
  await vi.waitFor(() => expect(form.project.settings_version).toBe(13));
  expect(sent).toEqual([
    { retention_payload_days: 30, retention_attempt_days: 60, target_minutes: 5, settings_version: 12 },
  ]);
  await gone();
});

it.each([
  ['Cancel', (question: HTMLElement) => press('Cancel', question)],
  ['Escape', () => fireEvent.keyDown(document, { key: 'Escape' })],
])('KE1: %s sends nothing, and retains all input', async (_, leave) => {
  const form = await typed({ retention_item_days: '30', target_minutes: '5' });
  await leave(await dialog());
  await gone();
  expect(sent).toEqual([]);
  expect(form.draft).toMatchObject({ retention_item_days: '30', target_minutes: '5' });
  expect(screen.getByRole('button', { name: /^Save as/ })).toBeTruthy();
});

it.each([
  ['longer', { retention_attempt_days: '91' }],
  ['unlimited', { retention_attempt_days: '' }],
  ['unchanged, beside another change', { target_minutes: '5' }],
])('KE1: a period that is %s is saved without a confirmation', async (_, change) => {
  await typed(change);
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('KE1: asks for confirmation also when saving by key', async () => {
  const form = new SettingsForm(PROJECT, 'me');
  form.draft.retention_item_days = '30';
  const save = vi.fn(() => Promise.resolve());
  render(Saving, { form, unsaved: true, save });
  await fireEvent.keyDown(window, { key: 'Enter', ctrlKey: true });
  await dialog();
  expect(save).not.toHaveBeenCalled();
});

it('KE1, ST1: closes the confirmation when another owner has changed the same setting: that conflict comes first', async () => {
  const form = await typed({ retention_attempt_days: '60' });
  await dialog();
  form.take({ ...PROJECT, retention_attempt_days: 30, settings_version: 13 });
  await tick();
  await gone();
  expect(sent).toEqual([]);
  expect(form.draft.retention_attempt_days).toBe('60');
  expect(form.unanswered).toEqual(['retention_attempt_days']);
  const choice = within(screen.getByRole('group', { name: 'Value for attempt retention' }));
  // Against their 30 days the user's own 60 delete nothing.
  await fireEvent.click(choice.getByLabelText('Keep mine'));
  expect(screen.getByRole('region', { name: 'Unsaved changes' }).textContent).toMatch(/30 days\s*60 days/);
  await fireEvent.click(screen.getByRole('button', { name: /^Save as/ }));
  await vi.waitFor(() => expect(sent).toEqual([{ retention_attempt_days: 60, settings_version: 13 }]));
});

it('KE1: a save that fails after the confirmation retains the input, and shows the cause', async () => {
  status = 503;
  const form = await typed({ retention_item_days: '30' });
  await press('Save and delete', await dialog());
  expect((await screen.findByRole('alert')).textContent).toContain('Not saved');
  await gone();
  expect(form.draft.retention_item_days).toBe('30');
});
