// @vitest-environment happy-dom
// The endpoints of a project: listed with their state, added with a secret shown once, changed, tested and removed.
import { DELIVERED_EVENTS } from '@countersign/shared/enums';
import type { Project } from '@countersign/shared/schemas/projects';
import type { WebhookEndpoint } from '@countersign/shared/schemas/webhook';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
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
const other = (id: string, change: Partial<WebhookEndpoint>): WebhookEndpoint => ({
  ...{ ...MAIN, id, is_default: false, url: `https://${id}.example/in` },
  ...change,
});

let all: WebhookEndpoint[];
/** The project as the service has it. */
let project: Project;
let asked: { method: string; path: string; body: unknown }[];
/** The answer to the next change. */
let answer: () => Response | Promise<Response>;

beforeEach(() => {
  all = [
    MAIN,
    other('one', { status: 'retrying', retrying: 3 }),
    other('two', { is_enabled: false, description: 'Mail' }),
  ];
  asked = [];
  answer = () => new Response(null, { status: 204 });
  vi.stubGlobal('fetch', (path: string, { method = 'GET', body }: { method?: string; body?: string } = {}) => {
    if (path === `/api/projects/${P}`) return Promise.resolve(Response.json(project));
    if (method === 'GET') return Promise.resolve(Response.json({ data: all, next_cursor: null }));
    asked.push({ method, path, body: JSON.parse(body ?? 'null') });
    return Promise.resolve(answer());
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show(fields: Partial<Project> = {}): SettingsForm {
  const settings = { ...DEFAULT_SETTINGS, settings_version: 1, webhook_url: MAIN.url, archived_at: null };
  project = { id: P, ...settings, abilities: {}, ...fields } as Project;
  const form = new SettingsForm(project, 'me');
  render(Endpoints, { form });
  return form;
}
const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }));
/** Opens or closes the endpoint with this name. */
const open = async (name: string) => fireEvent.click(await screen.findByText(name));
/** Opens the form of the endpoint with this name. */
async function edit(name: string) {
  await open(name);
  await press(`Edit ${name}`);
}
/** Saves, and waits until the form is closed. */
async function save(form: SettingsForm) {
  await press('Save endpoint');
  await vi.waitFor(() => expect(form.endpoint).toBeNull());
}
/** Of the changes that were sent. */
const bodies = () => asked.map(({ body }) => body);
const type = async (label: string, value: string) =>
  fireEvent.input(await screen.findByLabelText(label), { target: { value } });
const refuseUrl = (detail: string) => {
  const errors = [{ pointer: '#/url', code: 'webhook_url_refused', detail }];
  const problem = { type: 'about:blank', title: 'Invalid webhook URL', status: 422, detail };
  answer = () =>
    Response.json(
      { ...problem, code: 'webhook_url_refused', request_id: 'r', errors },
      { status: 422, headers: { 'content-type': 'application/problem+json' } },
    );
};

it('WH12: lists all, the one of the settings first, each by its name and state', async () => {
  show();
  await screen.findByText('one.example');
  const names = screen.getAllByRole('button', { expanded: false }).map((button) => button.textContent.trim());
  expect(names.map((name) => name.split(/\s/)[0])).toEqual(['main.example', 'one.example', 'Mail']);
  expect([screen.getByText('Mail'), screen.getByText('off'), screen.getByText(/3 retrying/)]).toHaveLength(3);
  expect(screen.queryByRole('heading', { name: 'Signing secret' })).toBeNull();
});

it('shows a single endpoint open until it is closed', async () => {
  all = [MAIN];
  show();
  await screen.findByRole('heading', { name: 'Signing secret' });
  await open('main.example');
  expect(screen.queryByRole('heading', { name: 'Signing secret' })).toBeNull();
});

it('WE1: adds the first one as the URL of the settings, without events of its own', async () => {
  all = [];
  const form = show({ webhook_url: null });
  await screen.findByText(/^No endpoint yet\./);
  await press('Add endpoint');
  await type('URL', 'https://main.example/');
  expect(screen.queryByRole('checkbox', { name: 'item.expired' })).toBeNull();
  answer = () => {
    all = [MAIN];
    return Response.json(MAIN);
  };
  await press('Save endpoint');
  await screen.findByRole('heading', { name: 'Signing secret' });
  const body = { url: MAIN.url, description: '', is_enabled: true, settings_version: 1 };
  expect(asked).toEqual([{ method: 'PATCH', path: `/api/projects/${P}/endpoints/${P}`, body }]);
  const changed = { ...form.project, webhook_url: MAIN.url, settings_version: 2 };
  form.draft.target_minutes = '7';
  form.take(changed);
  expect([form.changes, form.autoMerged]).toEqual([['target_minutes'], null]);
});

it('WE1: replaces no first endpoint that somebody else added meanwhile', async () => {
  all = [];
  const form = show({ webhook_url: null });
  await press('Add endpoint');
  await type('URL', 'https://other.example/');
  all = [MAIN];
  project = { ...project, webhook_url: MAIN.url, settings_version: 2 };
  answer = () =>
    Response.json({ ...other('new', { url: 'https://other.example/' }), webhook_secret: 'whsec_new' }, { status: 201 });
  await save(form);
  expect(asked.map(({ method, path }) => [method, path])).toEqual([['POST', `/api/projects/${P}/endpoints`]]);
});

it('follows a first one that somebody else changes in the settings', async () => {
  all = [MAIN];
  const form = show();
  await screen.findByText('main.example');
  all = [{ ...MAIN, url: 'https://moved.example/' }];
  form.take({ ...form.project, webhook_url: 'https://moved.example/', settings_version: 2 });
  expect(await screen.findByText('moved.example')).toBeTruthy();
});

/** Another owner saves the settings. */
function someoneSaves(fields: Partial<Project>) {
  project = { ...project, ...fields, settings_version: project.settings_version + 1 };
}

it('ST1: asks before it replaces a URL of the first one that somebody else changed meanwhile', async () => {
  const form = show();
  await edit('main.example');
  await type('URL', 'https://mine.example/');
  someoneSaves({ webhook_url: 'https://theirs.example/' });
  await press('Save endpoint');
  await screen.findByText('Someone else changed the URL to https://theirs.example/. Save again to use yours.');
  expect([asked, form.endpoint?.url]).toEqual([[], 'https://mine.example/']);
  await save(form);
  expect(bodies()).toEqual([{ url: 'https://mine.example/', settings_version: 2 }]);
});

it('ST1: asks before it adds the first one again that somebody else removed meanwhile', async () => {
  const form = show();
  await edit('main.example');
  someoneSaves({ webhook_url: null });
  await press('Save endpoint');
  await screen.findByText('Someone else removed this endpoint. Save again to add yours.');
  expect(asked).toEqual([]);
  await save(form);
  expect(bodies()).toEqual([{ url: MAIN.url, settings_version: 2 }]);
});

it('ST1: keeps a URL that only somebody else changed, and sends a change that was too late once more on request', async () => {
  const form = show();
  await edit('main.example');
  await type('Description', 'Main');
  someoneSaves({ webhook_url: 'https://theirs.example/' });
  const problem = { type: 'about:blank', title: 'Stale', status: 409, code: 'stale_settings', request_id: 'r' };
  answer = () => {
    someoneSaves({ target_minutes: 7 });
    answer = () => Response.json(MAIN);
    return Response.json(
      { ...problem, detail: 'Apply your change again.' },
      { status: 409, headers: { 'content-type': 'application/problem+json' } },
    );
  };
  await press('Save endpoint');
  await screen.findByText('Apply your change again.');
  await save(form);
  expect(bodies()).toEqual([
    { description: 'Main', settings_version: 2 },
    { description: 'Main', settings_version: 3 },
  ]);
});

it('WH12: changes the one of the settings as any other, and says what its removal keeps', async () => {
  const form = show();
  await edit('main.example');
  await type('Description', 'Main');
  await save(form);
  const body = { description: 'Main', settings_version: 1 };
  expect(asked).toEqual([{ method: 'PATCH', path: `/api/projects/${P}/endpoints/${P}`, body }]);
  await press('Remove main.example');
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText(/are kept, for the endpoint that you add next/)).toBeTruthy();
  await fireEvent.click(dialog.getByRole('button', { name: 'Remove' }));
  await vi.waitFor(() => expect(form.draft.webhook_url).toBe(''));
  expect(asked.at(-1)).toEqual({ method: 'DELETE', path: `/api/projects/${P}/endpoints/${P}`, body: null });
});

/** Another owner changes the endpoint `one`; `three` shows that the list was read since. */
async function someoneChangesOne(form: SettingsForm, change: Partial<WebhookEndpoint>) {
  all = [MAIN, other('one', change), other('three', {})];
  form.take({ ...form.project, settings_version: 2 });
  await screen.findByText('three.example');
}

it.each([
  { change: () => type('Description', 'Mail '), body: { description: 'Mail' } },
  {
    change: async () => fireEvent.click(await screen.findByRole('checkbox', { name: 'item.expired' })),
    body: { events: DELIVERED_EVENTS.filter((event) => event !== 'item.expired') },
  },
])('sends only the edited fields: $body', async ({ change, body }) => {
  const form = show();
  await edit('one.example');
  await change();
  await someoneChangesOne(form, { url: 'https://moved.example/', is_enabled: false });
  await save(form);
  expect(bodies()).toEqual([body]);
});

it('WH3: saving without an edit sends the URL that is saved now, which resumes it', async () => {
  const form = show();
  await edit('one.example');
  all = [MAIN, other('one', { url: 'https://moved.example/' })];
  await save(form);
  expect(bodies()).toEqual([{ url: 'https://moved.example/' }]);
});

it('WH3: saving the first one without an edit sends the URL of the settings as they are now', async () => {
  const form = show();
  await edit('main.example');
  someoneSaves({ webhook_url: 'https://theirs.example/' });
  await save(form);
  expect(bodies()).toEqual([{ url: 'https://theirs.example/', settings_version: 2 }]);
});

it('sends what was sent without an answer again, also where it is edited back', async () => {
  const form = show();
  await edit('one.example');
  await type('Description', 'Mail');
  answer = () => Promise.reject(new TypeError('The connection was lost.'));
  await press('Save endpoint');
  await screen.findByText('The endpoint was not saved');
  await type('Description', '');
  answer = () => new Response(null, { status: 204 });
  await save(form);
  expect(bodies()).toEqual([{ description: 'Mail' }, { description: '' }]);
});

it('begins no other endpoint while one is saved, also after a change of the tab', async () => {
  const form = show();
  await edit('one.example');
  await type('Description', 'Mail');
  const saved = Promise.withResolvers<Response>();
  answer = () => saved.promise;
  await press('Save endpoint');
  const isDisabled = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name }).disabled;
  expect([isDisabled('Cancel'), isDisabled('Add endpoint')]).toEqual([true, true]);
  cleanup();
  render(Endpoints, { form });
  await screen.findByRole('button', { name: 'Cancel' });
  expect([isDisabled('Cancel'), isDisabled('Add endpoint')]).toEqual([true, true]);
  saved.resolve(new Response(null, { status: 204 }));
  await vi.waitFor(() => expect(form.endpoint).toBeNull());
  expect(asked).toHaveLength(1);
});

it('sends the rest with the next save when more was typed while it was saved', async () => {
  const form = show();
  await edit('one.example');
  await type('Description', 'Mail');
  const saved = Promise.withResolvers<Response>();
  answer = () => saved.promise;
  await press('Save endpoint');
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  await type('URL', 'https://typed.example/');
  saved.resolve(new Response(null, { status: 204 }));
  answer = () => new Response(null, { status: 204 });
  await vi.waitFor(() => expect(form.announcement).not.toBe(''));
  await save(form);
  expect(bodies()).toEqual([{ description: 'Mail' }, { url: 'https://typed.example/' }]);
});

it('WT1: tests the typed URL, and says at the field why it is refused, until it is changed', async () => {
  show();
  await edit('one.example');
  await type('URL', 'http://10.0.0.1/');
  refuseUrl('A private address.');
  await press('Send test event');
  await screen.findByText('A private address.');
  const path = `/api/projects/${P}/endpoints/one/test`;
  expect(asked).toEqual([{ method: 'POST', path, body: { url: 'http://10.0.0.1/' } }]);
  await type('URL', 'https://one.example/in');
  expect(screen.queryByText('A private address.')).toBeNull();
  await press('Send test event');
  await vi.waitFor(() => expect(asked.at(-1)).toEqual({ method: 'POST', path, body: {} }));
});

it('WH3: resuming is reported in a place that outlives the button, and moves the focus on', async () => {
  all = [{ ...MAIN, state: 'paused', status: 'paused' }];
  const form = show();
  const button = await screen.findByRole('button', { name: 'Resume main.example' });
  button.focus();
  answer = () => {
    all = [MAIN];
    return Response.json(MAIN);
  };
  await fireEvent.click(button);
  await vi.waitFor(() => expect(document.activeElement?.id).toBe('endpoints'));
  const body = { url: MAIN.url, settings_version: 1 };
  expect(asked).toEqual([{ method: 'PATCH', path: `/api/projects/${P}/endpoints/${P}`, body }]);
  expect(form.announcement).toBe('Resumed. Queued deliveries are being sent.');
  expect(screen.queryByRole('button', { name: 'Resume main.example' })).toBeNull();
});

it('WH5: says that an endpoint is in backoff, and when it is tried next', async () => {
  const health = { failures: 12, circuit_open_until: new Date(Date.now() + 90_000).toISOString() };
  all = [{ ...MAIN, status: 'failing', health }];
  show();
  expect((await screen.findByText(/^It has failed 12 times in a row\./)).textContent).toMatch(/Next try in 1:\d\d/);
});

it('offers no change in an archived project', async () => {
  all = [MAIN];
  show({ archived_at: '2026-11-24T12:00:00.000Z' });
  await screen.findByRole('heading', { name: 'Signing secret' });
  expect(screen.queryByRole('button', { name: /^(Add|Edit|Remove|Send)/ })).toBeNull();
});

it('adds one with the chosen events, and shows its secret until it is dismissed', async () => {
  const form = show();
  await fireEvent.click(await screen.findByRole('button', { name: 'Add endpoint' }));
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Save endpoint' });
  expect(button.disabled).toBe(true);
  await fireEvent.input(screen.getByLabelText('URL'), { target: { value: ' https://new.example/ ' } });
  await fireEvent.click(screen.getByRole('checkbox', { name: 'item.expired' }));
  const events = DELIVERED_EVENTS.filter((event) => event !== 'item.expired');
  const made = other('new', { url: 'https://new.example/', events });
  answer = () => {
    all = [...all, made];
    return Response.json({ ...made, webhook_secret: 'whsec_new' }, { status: 201 });
  };
  await fireEvent.click(button);
  await screen.findByText('whsec_new');
  const body = { url: 'https://new.example/', description: '', events, is_enabled: true };
  expect(asked).toEqual([{ method: 'POST', path: `/api/projects/${P}/endpoints`, body }]);
  expect(form.secrets.on('webhook')).toBe(true);
  await fireEvent.click(screen.getByRole('button', { name: 'Done' }));
  expect([screen.queryByText('whsec_new'), form.secrets.on('webhook')]).toEqual([null, false]);
  expect(await screen.findByText('new.example')).toBeTruthy();
});

it('says at the field why a URL is refused, and keeps what was typed when the tab is left', async () => {
  const form = show();
  await open('one.example');
  await fireEvent.click(await screen.findByRole('button', { name: 'Edit one.example' }));
  await fireEvent.input(await screen.findByLabelText('URL'), { target: { value: 'http://10.0.0.1/' } });
  refuseUrl('A private address.');
  await fireEvent.click(screen.getByRole('button', { name: 'Save endpoint' }));
  await screen.findByText('A private address.');
  cleanup();
  render(Endpoints, { form });
  await screen.findByText('Mail');
  expect((await screen.findByLabelText<HTMLInputElement>('URL')).value).toBe('http://10.0.0.1/');
});

it('removes one after a confirmation', async () => {
  show();
  await open('Mail');
  await fireEvent.click(await screen.findByRole('button', { name: 'Remove Mail' }));
  answer = () => {
    all = all.filter(({ id }) => id !== 'two');
    return new Response(null, { status: 204 });
  };
  const dialog = within(await screen.findByRole('dialog'));
  await fireEvent.click(dialog.getByRole('button', { name: 'Remove' }));
  await vi.waitFor(() => expect(screen.queryByText('Mail')).toBeNull());
  expect(asked).toEqual([{ method: 'DELETE', path: `/api/projects/${P}/endpoints/two`, body: null }]);
});

it('RL8: says that there are ten instead of offering an eleventh', async () => {
  all = [MAIN, ...Array.from({ length: 9 }, (_, n) => other(`e${n}`, {}))];
  show();
  await screen.findByText('This project has 10 endpoints. Remove one to add another.');
  expect(screen.queryByRole('button', { name: 'Add endpoint' })).toBeNull();
});
