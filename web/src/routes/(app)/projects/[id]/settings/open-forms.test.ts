// @vitest-environment happy-dom
// Tests which tabs have a form whose input would be lost with the page, and which show a secret.
import type { Project } from '@countersign/shared/schemas/projects';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import { flushSync } from 'svelte';
import { expect, it } from 'vitest';
import {
  draftOf as endpointDraftOf,
  firstDraft,
  newDraft,
  rebase,
  savedOf,
} from '../webhook/endpoints/endpoint-draft.ts';
import { draftOf as notificationDraftOf } from '../notifications/notification-form.ts';
import { SettingsForm } from './settings-form.svelte.ts';

const formOf = () =>
  new SettingsForm(
    { id: 'p', name: 'Maths', ...DEFAULT_SETTINGS, settings_version: 1, abilities: {} } as unknown as Project,
    'me',
  );
const saved = {
  id: 'e',
  url: 'https://example.com/a',
  description: '',
  events: ['item.decided'],
  is_enabled: true,
  is_default: false,
} as unknown as Parameters<typeof endpointDraftOf>[0];

it('names the tabs whose forms differ from what they were opened with', () => {
  const form = formOf();
  expect(form.tabsWithUnsavedForms).toEqual([]);
  form.endpoint = newDraft();
  form.notification = notificationDraftOf(null);
  expect(form.tabsWithUnsavedForms).toEqual([]);
  form.endpoint.url = 'https://example.com';
  form.notification.limits.queue_deeper_than = '7';
  flushSync();
  expect(form.tabsWithUnsavedForms).toEqual(['webhook', 'notifications']);
  form.endpoint = null;
  expect(form.tabsWithUnsavedForms).toEqual(['notifications']);
});

it('compares a form with its opening, also when it is based on newer settings, and a new one with its own', () => {
  const form = formOf();
  form.endpoint = endpointDraftOf(saved);
  form.endpoint.description = 'typed';
  form.endpoint = { ...form.endpoint, url: 'https://example.com/b' };
  expect(form.tabsWithUnsavedForms).toEqual(['webhook']);
  form.endpoint = null;
  form.endpoint = endpointDraftOf(saved);
  expect(form.tabsWithUnsavedForms).toEqual([]);
});

it('goes on with a first endpoint that becomes a further one', () => {
  const form = formOf();
  form.endpoint = firstDraft('p');
  form.endpoint.url = 'https://example.com/a';
  form.endpoint = rebase(form.endpoint, savedOf({ ...saved, url: 'https://example.com/of-another-owner' }));
  expect([form.endpoint.id, form.tabsWithUnsavedForms]).toEqual([null, ['webhook']]);
});

it('compares the form of another row with its own opening', () => {
  const form = formOf();
  form.endpoint = newDraft();
  form.endpoint = endpointDraftOf(saved);
  expect(form.tabsWithUnsavedForms).toEqual([]);
});

it('keeps nothing for a former member', () => {
  const form = formOf();
  form.endpoint = newDraft();
  form.endpoint.url = 'https://example.com';
  form.secrets.invite = { url: 'https://example.com/invites/x', role: 'reviewer' };
  expect([form.tabsWithUnsavedForms, form.secrets.on('people')]).toEqual([['webhook'], true]);
  form.reset();
  expect([form.tabsWithUnsavedForms, form.secrets.on('people')]).toEqual([[], false]);
});
