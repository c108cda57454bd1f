// @vitest-environment happy-dom
// ST1 for every endpoint of a project: what only one side changed is merged, the page asks about what both changed.
import { DELIVERED_EVENTS } from '@countersign/shared/enums';
import type { Project } from '@countersign/shared/schemas/projects';
import type { WebhookEndpoint } from '@countersign/shared/schemas/webhook';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SettingsForm } from '../../settings/settings-form.svelte.ts';
import Endpoints from './Endpoints.svelte';

const P = '5d0c41f7-28a9-4e36-8b1d-7a90e3f6c2e1';
const MAIN: WebhookEndpoint = {
  ...{ id: P, url: 'https://main.example/', description: '', events: [...DELIVERED_EVENTS], is_enabled: true },
  ...{ is_default: true, state: 'active', status: 'healthy', retrying: 0 },
  health: { failures: 0, circuit_open_until: null },
  secret: { revealed: true, rolling: false, promote_at: null, previous_until: null, overlap_hours: 24 },
  created_at: '2026-11-24T12:00:00.000Z',
};
const ONE: WebhookEndpoint = { ...MAIN, id: 'one', is_default: false, url: 'https://one.example/in' };
const PROJECT = {
  ...{ id: P, name: 'Maths', ...DEFAULT_SETTINGS, settings_version: 1, webhook_url: MAIN.url },
  ...{ archived_at: null, abilities: {} },
} as unknown as Project;

/** The endpoints as the service has them. */
let all: WebhookEndpoint[];
let sent: { method: string; path: string; body: unknown }[];
/** The answer to the next change. */
let answer: () => Promise<Response>;

beforeEach(() => {
  all = [MAIN, ONE];
  sent = [];
  answer = () => Promise.resolve(new Response(null, { status: 204 }));
  vi.stubGlobal('fetch', (path: string, { method = 'GET', body }: { method?: string; body?: string } = {}) => {
    if (path === `/api/projects/${P}`) return Promise.resolve(Response.json(PROJECT));
    if (method === 'GET') return Promise.resolve(Response.json({ data: all, next_cursor: null }));
    sent.push({ method, path, body: JSON.parse(body ?? 'null') });
    return answer();
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }));
const type = async (label: string, value: string) =>
  fireEvent.input(await screen.findByLabelText(label), { target: { value } });
/** Opens the form of the endpoint with this name. */
async function edit(name: string): Promise<SettingsForm> {
  const form = new SettingsForm(PROJECT, 'me');
  render(Endpoints, { form });
  await fireEvent.click(await screen.findByText(name));
  await press(`Edit ${name}`);
  return form;
}
/** Saves, and waits until the form is closed. */
async function save(form: SettingsForm) {
  await press('Save endpoint');
  await vi.waitFor(() => expect(form.endpoint).toBeNull());
}
const bodies = () => sent.map(({ body }) => body);
const withoutExpired = DELIVERED_EVENTS.filter((event) => event !== 'item.expired');
const withoutWithdrawn = DELIVERED_EVENTS.filter((event) => event !== 'item.withdrawn');

it.each([
  {
    mine: () => type('URL', 'https://mine.example/'),
    theirs: { url: 'https://theirs.example/' },
    question: 'Someone else changed the URL to https://theirs.example/. Save again to use yours.',
    body: { url: 'https://mine.example/' },
  },
  {
    mine: () => type('Description', 'Mine'),
    theirs: { description: 'Theirs' },
    question: 'Someone else changed the description to “Theirs”. Save again to use yours.',
    body: { description: 'Mine' },
  },
  {
    mine: () => type('Description', 'Mine'),
    name: 'Mail',
    theirs: { description: '' },
    question: 'Someone else removed the description. Save again to use yours.',
    body: { description: 'Mine' },
  },
  {
    mine: async () => fireEvent.click(await screen.findByRole('checkbox', { name: 'item.expired' })),
    theirs: { events: withoutWithdrawn },
    question: `Someone else changed the events to ${withoutWithdrawn.join(', ')}. Save again to use yours.`,
    body: { events: withoutExpired },
  },
])('ST1: asks before it replaces what both changed: $question', async ({ mine, name, theirs, question, body }) => {
  if (name !== undefined) all = [MAIN, { ...ONE, description: name }];
  const form = await edit(name ?? 'one.example');
  await mine();
  all = [MAIN, { ...ONE, ...theirs }];
  await press('Save endpoint');
  await screen.findByText(question);
  expect(sent).toEqual([]);
  // The question stays with the form when the tab is opened again.
  cleanup();
  render(Endpoints, { form });
  await screen.findByText(question);
  await save(form);
  expect(bodies()).toEqual([body]);
});

it('ST1: asks about the description of the endpoint of the settings too', async () => {
  const form = await edit('main.example');
  await type('Description', 'Mine');
  all = [{ ...MAIN, description: 'Theirs' }, ONE];
  await press('Save endpoint');
  await screen.findByText('Someone else changed the description to “Theirs”. Save again to use yours.');
  expect(sent).toEqual([]);
  await save(form);
  expect(bodies()).toEqual([{ description: 'Mine', settings_version: 1 }]);
});

it('ST1: asks again when the field was changed once more before the answer', async () => {
  const form = await edit('one.example');
  await type('Description', 'Mine');
  all = [MAIN, { ...ONE, description: 'Theirs' }];
  await press('Save endpoint');
  await screen.findByText(/“Theirs”/);
  all = [MAIN, { ...ONE, description: 'Newer' }];
  await press('Save endpoint');
  await screen.findByText(/“Newer”/);
  expect(sent).toEqual([]);
  await save(form);
  expect(bodies()).toEqual([{ description: 'Mine' }]);
});

it('ST1: asks nothing where both made the same change', async () => {
  const form = await edit('one.example');
  await type('Description', 'Mail');
  await type('URL', 'https://mine.example/');
  all = [MAIN, { ...ONE, description: 'Mail' }];
  await save(form);
  expect(bodies()).toEqual([{ url: 'https://mine.example/' }]);
});

it('ST1: asks before it adds one again that somebody else removed', async () => {
  const form = await edit('one.example');
  await type('Description', 'Mine');
  all = [MAIN];
  await press('Save endpoint');
  await screen.findByText('Someone else removed this endpoint. Save again to add yours.');
  expect([sent, form.tabsWithUnsavedForms]).toEqual([[], ['webhook']]);
  answer = () => Promise.resolve(Response.json({ ...ONE, id: 'new', webhook_secret: 'whsec_new' }, { status: 201 }));
  await save(form);
  const body = { url: ONE.url, description: 'Mine', events: [...DELIVERED_EVENTS], is_enabled: true };
  expect(sent).toEqual([{ method: 'POST', path: `/api/projects/${P}/endpoints`, body }]);
});

it('saves nothing when it could not read what others changed', async () => {
  await edit('one.example');
  await type('Description', 'Mine');
  vi.stubGlobal('fetch', (path: string, { method = 'GET' }: { method?: string } = {}) => {
    sent.push({ method, path, body: null });
    return Promise.reject(new TypeError('The connection was lost.'));
  });
  await press('Save endpoint');
  await screen.findByText('The endpoint was not saved');
  expect(sent.filter(({ method }) => method !== 'GET')).toEqual([]);
});

it('takes a save of its own that was never answered for no change by somebody else', async () => {
  const form = await edit('one.example');
  await type('Description', 'Mail');
  answer = () => {
    all = [MAIN, { ...ONE, description: 'Mail' }];
    return Promise.reject(new TypeError('The connection was lost.'));
  };
  await press('Save endpoint');
  await screen.findByText('The endpoint was not saved');
  await type('Description', 'Mails');
  answer = () => Promise.resolve(new Response(null, { status: 204 }));
  await save(form);
  expect(bodies()).toEqual([{ description: 'Mail' }, { description: 'Mails' }]);
});
