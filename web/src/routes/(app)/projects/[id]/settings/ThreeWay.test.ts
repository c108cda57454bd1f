// @vitest-environment happy-dom
// ST1 in the page: two owners at once. Nothing is saved before each conflict is resolved, and no input is lost.
import type { Project } from '@countersign/shared/schemas/projects';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import SaveBar from './SaveBar.svelte';
import { SettingsForm } from './settings-form.svelte.ts';
import { thresholdText } from './settings-draft.ts';

const AT_12 = {
  id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11',
  name: 'Maths answers',
  ...DEFAULT_SETTINGS,
  guidelines: 'One.\n\nTwo.\n\nThree.',
  settings_version: 12,
  abilities: { change_settings: true },
} as Project;
const saved = (version: number, change: Partial<Project>): Project => ({
  ...AT_12,
  ...change,
  settings_version: version,
});
const THEIRS = { auto_threshold: 0.9, reasons: ['Wrong fact', 'Theirs'], guidelines: 'One.\n\nTheir two.\n\nThree.' };

let patch: (body: Record<string, unknown>) => Promise<Response>;
const answer = (value: unknown, status = 200) =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });
const CHANGE = {
  id: AT_12.id,
  action: 'settings.changed',
  subject: null,
  before: {},
  after: THEIRS,
  changed_by: { user_id: null, name: 'Ana Ruiz' },
  changed_at: new Date().toISOString(),
};

beforeEach(() => {
  patch = () => Promise.reject(new Error('The settings cannot be saved.'));
  vi.stubGlobal('fetch', (_: string, { method, body }: RequestInit) =>
    method === 'GET'
      ? Promise.resolve(answer({ data: [CHANGE], next_cursor: null }))
      : patch(JSON.parse(body as string) as Record<string, unknown>),
  );
});
afterEach(() => {
  cleanup();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

const open = (project = AT_12) => new SettingsForm(project, 'me');
const never = () => Promise.reject<Project>(new Error('The change log cannot be read.'));

/** Typed on version 12, in conflict with version 13. */
function conflicting(): SettingsForm {
  const form = open();
  Object.assign(form.draft, { auto_threshold: '0.85', reasons: ['Wrong fact', 'Mine'], target_minutes: '30' });
  form.draft.guidelines = 'One.\n\nMy two.\n\nThree.\n\nFour.';
  form.take(saved(13, { ...THEIRS, undo_window_seconds: 9 }));
  return form;
}

const choices = (field: string) => within(screen.getByRole('group', { name: `Value for ${field}` }));
const choose = (field: string, label: string) => fireEvent.click(choices(field).getByLabelText(label));
const save = () => screen.getByRole<HTMLButtonElement>('button', { name: /^Save as/ });

it('ST1: shows base, theirs with its author, and yours; saving waits for the last answer', async () => {
  const form = conflicting();
  render(SaveBar, { form, onsave: () => void form.save(never) });
  expect(screen.getByRole('alert').textContent).toContain('You both changed 3 settings');
  expect(await screen.findAllByText(/Ana Ruiz/)).toHaveLength(3);
  expect(screen.getByText(/Merged automatically: undo window/)).toBeTruthy();
  for (const value of ['0.95', '0.90', '0.85']) expect(screen.getAllByText(value)).not.toEqual([]);
  expect(choices('auto-approve from').queryByRole('radio', { checked: true })).toBeNull();
  expect(save().disabled).toBe(true);

  await choose('auto-approve from', 'Take theirs');
  await choose('reasons', 'Take both');
  expect(save().disabled).toBe(true);
  expect(screen.getByText(/^Resolve first/).textContent).toContain('guidelines');
  await choose('guidelines', 'Keep mine');
  expect(save().disabled).toBe(false);
  expect(form.draft).toMatchObject({
    auto_threshold: thresholdText(0.9),
    reasons: ['Wrong fact', 'Theirs', 'Mine'],
    guidelines: 'One.\n\nMy two.\n\nThree.\n\nFour.',
    target_minutes: '30',
    undo_window_seconds: '9',
  });
});

it('ST1: merges texts; conflicting places are resolved one by one before it can be saved', async () => {
  const form = conflicting();
  const sent = vi.fn((body: Record<string, unknown>) => Promise.resolve(answer(saved(14, body as Partial<Project>))));
  patch = sent;
  render(SaveBar, { form, onsave: () => void form.save(never) });
  await choose('auto-approve from', 'Keep mine');
  await choose('reasons', 'Take theirs');
  await choose('guidelines', 'Take both');
  expect(save().disabled).toBe(true);
  expect(screen.getByLabelText<HTMLTextAreaElement>('Both, combined').value).toContain('Their two.');
  await fireEvent.click(screen.getByRole('button', { name: 'Both lines' }));
  await fireEvent.click(save());
  await vi.waitFor(() => expect(form.project.settings_version).toBe(14));
  expect(sent).toHaveBeenCalledWith({
    auto_threshold: 0.85,
    guidelines: 'One.\n\nTheir two.\nMy two.\n\nThree.\n\nFour.',
    target_minutes: 30,
    settings_version: 13,
  });
  expect(form.dirty).toBe(false);
});

it('ST1: a reload in between retains the input, the conflicts and the answers', () => {
  const form = conflicting();
  form.choose('auto_threshold', 'theirs');
  form.choose('guidelines', 'both');
  form.draft.guidelines = 'settled by hand';
  form.persist();
  const again = open(saved(13, { ...THEIRS, undo_window_seconds: 9 }));
  expect(again.draft).toMatchObject({
    guidelines: 'settled by hand',
    target_minutes: '30',
    reasons: ['Wrong fact', 'Mine'],
  });
  expect(again.unanswered).toEqual(['reasons']);
  expect(again.answer('auto_threshold')).toBe('theirs');
  expect(again.mine('auto_threshold')).toBe('0.85');
});

it('ST1: a third save while the panel is open asks again only about its own changes', async () => {
  const form = conflicting();
  render(SaveBar, { form, onsave: () => undefined });
  await choose('auto-approve from', 'Take theirs');
  await choose('reasons', 'Keep mine');
  form.take(saved(14, { ...THEIRS, undo_window_seconds: 9, auto_threshold: 0.92 }));
  await tick();
  expect(form.unanswered).toEqual(['auto_threshold', 'guidelines']);
  expect(form.answer('reasons')).toBe('mine');
  expect(form.draft.auto_threshold).toBe('0.85');
  expect(screen.getAllByText('0.92')).not.toEqual([]);
});

it('ST1: a stale save shows the conflicts, and saves nothing', async () => {
  const form = open();
  form.draft.auto_threshold = '0.85';
  patch = () => Promise.resolve(answer({ status: 409, code: 'stale_settings', title: 'Stale', detail: '' }, 409));
  await form.save(() => Promise.resolve(saved(13, THEIRS)));
  expect(form.error).toBeNull();
  expect(form.unanswered).toEqual(['auto_threshold']);
  expect(form.draft).toMatchObject({ auto_threshold: '0.85', reasons: THEIRS.reasons });
});

it('ST1: input during a save, and what others save meanwhile, is not lost', async () => {
  const form = open();
  form.draft.guidelines = 'sent';
  const { promise, resolve } = Promise.withResolvers<Response>();
  patch = () => promise;
  const saving = form.save(never);
  form.draft.guidelines = 'sent, and typed on';
  form.take(saved(13, { guidelines: 'sent' }));
  form.take(saved(14, { guidelines: 'sent', target_minutes: 90 }));
  resolve(answer(saved(13, { guidelines: 'sent' })));
  await saving;
  expect(form.conflicting).toEqual([]);
  expect(form.changes).toEqual(['guidelines']);
  expect(form.draft).toMatchObject({ guidelines: 'sent, and typed on', target_minutes: '90' });
});

it('ST1: with nothing of yours left there is nothing to save, and the answer can still be changed', async () => {
  const form = open();
  form.draft.auto_threshold = '0.85';
  form.take(saved(13, THEIRS));
  render(SaveBar, { form, onsave: () => undefined });
  await choose('auto-approve from', 'Take theirs');
  expect(screen.getByText('Nothing left to save.')).toBeTruthy();
  await choose('auto-approve from', 'Keep mine');
  expect(form.changes).toEqual(['auto_threshold']);
  await choose('auto-approve from', 'Take theirs');
  await fireEvent.click(screen.getByRole('button', { name: 'Done' }));
  expect(form.dirty).toBe(false);
});

it('the save keys do nothing while a dialog is open over the page', async () => {
  const form = open();
  form.draft.auto_threshold = '0.85';
  const onsave = vi.fn();
  render(SaveBar, { form, onsave });
  const dialog = document.body.appendChild(document.createElement('div'));
  dialog.setAttribute('role', 'dialog');
  const field = dialog.appendChild(document.createElement('input'));
  await fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true });
  expect(onsave).not.toHaveBeenCalled();
  dialog.remove();
  await fireEvent.keyDown(document.body, { key: 'Enter', ctrlKey: true });
  expect(onsave).toHaveBeenCalledOnce();
});

it('requests the author once for each version, not with every event of the project', async () => {
  const asked = vi.fn(() => Promise.resolve(answer({ data: [CHANGE], next_cursor: null })));
  const form = conflicting();
  vi.stubGlobal('fetch', asked);
  render(SaveBar, { form, onsave: () => undefined });
  await screen.findAllByText('Ana Ruiz');
  form.take({ ...form.project });
  await tick();
  expect(asked).toHaveBeenCalledOnce();
});

it('reads a draft that an older page stored', () => {
  sessionStorage.setItem(
    `countersign.settings.me.${AT_12.id}`,
    JSON.stringify({ before: { name: 'Maths answers' }, draft: { name: 'Mine' } }),
  );
  expect(open().changes).toEqual(['name']);
});

it('KE1, ST1: shows a conflict of retention periods as text', async () => {
  const form = open();
  form.draft.retention_payload_days = '90';
  form.take(saved(13, { retention_payload_days: 30 }));
  render(SaveBar, { form, onsave: () => undefined });
  const sides = screen.getAllByRole('definition').map((side) => side.textContent.trim());
  expect(sides).toEqual(['forever', '30 days', '90 days']);
  await choose('content retention', 'Take theirs');
  expect(form.draft.retention_payload_days).toBe('30');
});

it('says which fields are invalid in a region that was there before', async () => {
  const form = open();
  form.draft.target_minutes = '45';
  const { container } = render(SaveBar, { form, onsave: () => undefined });
  const status = container.querySelector('[role=status]');
  expect(status?.textContent.trim()).toBe('');
  form.draft.target_minutes = 'soon';
  await tick();
  expect(status?.textContent).toContain('Fix');
});
