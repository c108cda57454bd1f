// @vitest-environment happy-dom
// The further endpoints of a project: listed with their state, added with a secret shown once, changed and removed.
import { DELIVERED_EVENTS } from '@countersign/shared/enums';
import type { Project } from '@countersign/shared/schemas/projects';
import type { WebhookEndpoint } from '@countersign/shared/schemas/webhook';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SettingsForm } from '../../settings/settings.svelte.ts';
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
let asked: { method: string; path: string; body: unknown }[];
/** The answer to the next change. */
let answer: () => Response;

beforeEach(() => {
  all = [
    MAIN,
    other('one', { status: 'retrying', retrying: 3 }),
    other('two', { is_enabled: false, description: 'Mail' }),
  ];
  asked = [];
  answer = () => new Response(null, { status: 204 });
  vi.stubGlobal('fetch', (path: string, { method = 'GET', body }: { method?: string; body?: string } = {}) => {
    if (method === 'GET') return Promise.resolve(Response.json({ data: all, next_cursor: null }));
    asked.push({ method, path, body: JSON.parse(body ?? 'null') });
    return Promise.resolve(answer());
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show(): SettingsForm {
  const form = new SettingsForm({ id: P, ...DEFAULT_SETTINGS, settings_version: 1, abilities: {} } as Project, 'me');
  render(Endpoints, { form });
  return form;
}

it('WH12: lists all but the one of the settings, each by its name and state', async () => {
  show();
  await screen.findByText('one.example');
  expect([screen.queryByText('main.example'), screen.queryByText('https://main.example/')]).toEqual([null, null]);
  expect([screen.getByText('Mail'), screen.getByText('off'), screen.getByText(/3 retrying/)]).toHaveLength(3);
});

it('adds one with the chosen events, and shows its secret until it is dismissed', async () => {
  const form = show();
  await fireEvent.click(await screen.findByRole('button', { name: 'Add endpoint' }));
  const save = await screen.findByRole<HTMLButtonElement>('button', { name: 'Save endpoint' });
  expect(save.disabled).toBe(true);
  await fireEvent.input(screen.getByLabelText('URL'), { target: { value: ' https://new.example/ ' } });
  await fireEvent.click(screen.getByRole('checkbox', { name: 'item.expired' }));
  const events = DELIVERED_EVENTS.filter((event) => event !== 'item.expired');
  const made = other('new', { url: 'https://new.example/', events });
  answer = () => {
    all = [...all, made];
    return Response.json({ ...made, webhook_secret: 'whsec_new' }, { status: 201 });
  };
  await fireEvent.click(save);
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
  await fireEvent.click(await screen.findByRole('button', { name: 'Details of one.example' }));
  await fireEvent.click(await screen.findByRole('button', { name: 'Edit one.example' }));
  await fireEvent.input(await screen.findByLabelText('URL'), { target: { value: 'http://10.0.0.1/' } });
  const errors = [{ pointer: '#/url', code: 'webhook_url_refused', detail: 'A private address.' }];
  const problem = { type: 'about:blank', title: 'Invalid webhook URL', status: 422, detail: 'A private address.' };
  answer = () =>
    Response.json(
      { ...problem, code: 'webhook_url_refused', request_id: 'r', errors },
      { status: 422, headers: { 'content-type': 'application/problem+json' } },
    );
  await fireEvent.click(screen.getByRole('button', { name: 'Save endpoint' }));
  await screen.findByText('A private address.');
  cleanup();
  render(Endpoints, { form });
  await screen.findByText('Mail');
  expect((await screen.findByLabelText<HTMLInputElement>('URL')).value).toBe('http://10.0.0.1/');
});

it('removes one after a confirmation', async () => {
  show();
  await fireEvent.click(await screen.findByRole('button', { name: 'Details of Mail' }));
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
