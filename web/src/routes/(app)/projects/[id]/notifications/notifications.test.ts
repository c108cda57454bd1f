// @vitest-environment happy-dom
// The notifications tab: masked channels, a form that loses nothing, a test in words, and the log.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import type { Project } from '@countersign/shared/schemas/projects';
import type { Notification } from '@countersign/shared/schemas/parts/notifications';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import { SettingsForm } from '../settings/settings-form.svelte.ts';
import Notifications from './Notifications.svelte';

const SLACK: Notification = {
  ...{ kind: 'slack', url: 'https://hooks.slack.com/services/T000/B000/secret9fQx' },
  rules: [{ rule: 'waiting_longer_than', minutes: 30 }, { rule: 'expired' }],
};
const MESSAGE = {
  ...{ id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11', kind: 'slack', target: 'https://hooks.slack.com/…9fQx' },
  ...{ text: '3 items have waited longer than 30 minutes.', status: 'dead', run: { attempt: 1, of: 10 } },
  ...{ next_attempt_at: null, circuit_open_until: null, http_status: 410, error: 'http_4xx' },
  ...{ created_at: '2026-03-02T09:50:00.000Z', completed_at: '2026-03-02T09:50:01.000Z' },
  attempts: [{ n: 1, started_at: '2026-03-02T09:50:00.000Z', duration_ms: 12, http_status: 410, error: 'http_4xx' }],
  abilities: { resend: true },
};

const project = (notifications: Notification[], version = 1): Project =>
  ({
    id: '5d0c41f7-28a9-4e36-8b1d-7a90e3f6c2e1',
    ...DEFAULT_SETTINGS,
    settings_version: version,
    notifications,
    archived_at: null,
    abilities: { change_settings: true, manage_webhook: true },
  }) as unknown as Project;

/** A page of the log. A cursor is a position here. */
function pageOf(messages: object[], path: string) {
  const query = new URL(path, 'https://service.example').searchParams;
  const from = Number(query.get('after') ?? 0);
  const end = from + Number(query.get('limit'));
  return { data: messages.slice(from, end), next_cursor: end < messages.length ? String(end) : null };
}

/** The server: keeps what is saved, and answers tests with 404. */
function serve(saved: Notification[]) {
  const sent: { method: string; path: string; body: unknown }[] = [];
  const server = { saved, sent, messages: [MESSAGE] as object[], failsOlder: false, losesAnswer: false, version: 1 };
  vi.stubGlobal('fetch', (path: string, { method = 'GET', body }: RequestInit) => {
    const parsed = typeof body === 'string' ? (JSON.parse(body) as { notifications?: Notification[] }) : null;
    if (method !== 'GET') sent.push({ method, path, body: parsed });
    if (parsed?.notifications !== undefined) server.saved = parsed.notifications;
    if (server.losesAnswer && method !== 'GET') return Promise.reject(new TypeError('The connection was lost.'));
    if (server.failsOlder && path.includes('after=')) return Promise.resolve(new Response(null, { status: 500 }));
    if (path.endsWith('/resend')) return Promise.resolve(new Response(null, { status: 204 }));
    const timings = { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null };
    const test = {
      ...{ ok: false, http_status: 404, error: 'http_4xx', duration_ms: 5, timings, response_text: null },
    };
    const reply = path.endsWith('/test')
      ? { ...test, webhook_id: 'evt_test_1', url: SLACK.url }
      : path.includes('/messages')
        ? pageOf(server.messages, path)
        : project(server.saved, ++server.version);
    return Promise.resolve(new Response(JSON.stringify(reply), { headers: { 'content-type': 'application/json' } }));
  });
  return server;
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const open = (notifications: Notification[]) => {
  const form = new SettingsForm(project(notifications), 'me');
  return { form, ...render(Notifications, { form }) };
};
const press = async (name: string | RegExp) => fireEvent.click(await screen.findByRole('button', { name }));

it('NO6: shows channels masked, with their rules, and the log in words', async () => {
  serve([SLACK]);
  const { container } = open([SLACK]);
  await screen.findByText('3 items have waited longer than 30 minutes.');
  expect(container.innerHTML).not.toContain('T000');
  expect(container.textContent).toContain('waiting over 30 minutes · deadline passed');
  expect(container.textContent).toMatch(/Failed/);
  expect(container.textContent).toContain('1 attempt');
  // Of another day: with the day.
  expect(container.querySelector('ol time')?.textContent).toMatch(/\b2\b.*\d\d/);
});

it('NO6: says that a newer message replaced one that was not delivered', async () => {
  const server = serve([SLACK]);
  server.messages = [{ ...MESSAGE, http_status: null, error: 'replaced', attempts: [] }];
  const { container } = open([SLACK]);
  await screen.findByText('Replaced by a newer message');
  expect(container.textContent).not.toMatch(/Failed|error|replaced\b/);
});

it('NO6: says after how many failed attempts a message was replaced, and why the last of them failed', async () => {
  const server = serve([SLACK]);
  const attempt = { started_at: '2026-03-02T09:50:00.000Z', duration_ms: 12 };
  const attempts = [
    // Its result came after the message was replaced.
    { ...attempt, n: 3, http_status: 200, error: null },
    { ...attempt, n: 2, http_status: 503, error: 'http_5xx' },
    { ...attempt, n: 1, http_status: null, error: 'dns_error' },
  ];
  server.messages = [{ ...MESSAGE, http_status: 503, error: 'replaced', attempts }];
  open([SLACK]);
  const badge = await screen.findByText('Replaced after 2 failed attempts');
  const cause = badge.closest('li')?.querySelectorAll('p')[1];
  expect(cause?.textContent.trim()).toBe('503 server error');
});

it('adds a notification to the list as it is now, and says so', async () => {
  const server = serve([SLACK]);
  const { form } = open([]);
  await press('Add notification');
  await press('Save notification');
  expect(screen.getByText('Enter a URL.')).toBeTruthy();
  await fireEvent.input(await screen.findByRole('textbox', { name: 'URL' }), {
    target: { value: 'https://chat.example/hooks/new' },
  });
  await press('Save notification');
  await vi.waitFor(() => expect(form.announcement).toBe('Saved.'));
  // What somebody else added meanwhile stays.
  expect(server.saved.map(({ url }) => url)).toEqual([SLACK.url, 'https://chat.example/hooks/new']);
});

const rulesIn = (rules: Notification['rules'], change: Partial<Notification> = {}) => ({ ...SLACK, ...change, rules });
const LONG = 'Longest wait';
const limitField = () => screen.findByRole<HTMLInputElement>('textbox', { name: LONG });

it('ST1: merges the rules that only one side changed', async () => {
  const server = serve([SLACK]);
  const { form } = open([SLACK]);
  await press(/^Edit/);
  await fireEvent.input(await limitField(), { target: { value: '45' } });
  server.saved = [rulesIn([{ rule: 'waiting_longer_than', minutes: 30 }, { rule: 'project_stopped' }])];
  await press('Save notification');
  await vi.waitFor(() => expect(form.announcement).toBe('Saved.'));
  expect(server.saved).toEqual([rulesIn([{ rule: 'waiting_longer_than', minutes: 45 }, { rule: 'project_stopped' }])]);
});

it.each([
  [
    'a limit that both changed',
    [rulesIn([{ rule: 'waiting_longer_than', minutes: 60 }, { rule: 'expired' }])],
    'Someone else changed this to 60 minutes. Save again to use yours.',
    [rulesIn([{ rule: 'waiting_longer_than', minutes: 45 }, { rule: 'expired' }])],
  ],
  [
    'a rule that another owner removed',
    [rulesIn([{ rule: 'expired' }])],
    'Someone else turned this off. Save again to turn it on.',
    [rulesIn([{ rule: 'waiting_longer_than', minutes: 45 }, { rule: 'expired' }])],
  ],
  [
    'a channel that another owner replaced',
    [rulesIn(SLACK.rules, { url: 'https://hooks.slack.com/services/other' })],
    'Someone else removed or replaced this channel. Save again to add yours.',
    [
      rulesIn(SLACK.rules, { url: 'https://hooks.slack.com/services/other' }),
      rulesIn([{ rule: 'waiting_longer_than', minutes: 45 }, { rule: 'expired' }]),
    ],
  ],
])('ST1: asks about %s, and saves nothing before the answer', async (_, theirs, question, after) => {
  const server = serve([SLACK]);
  const { form, unmount } = open([SLACK]);
  await press(/^Edit/);
  await fireEvent.input(await limitField(), { target: { value: '45' } });
  server.saved = theirs;
  await press('Save notification');
  await screen.findByText(question);
  expect([server.sent, server.saved, form.announcement]).toEqual([[], theirs, '']);
  // The question stays with the form when the tab is opened again.
  unmount();
  render(Notifications, { form });
  await screen.findByText(question);
  await press('Save notification');
  await vi.waitFor(() => expect(form.announcement).toBe('Saved.'));
  expect(server.saved).toEqual(after);
});

it('ST1: saves once more what a save sent whose answer was lost', async () => {
  const server = serve([SLACK]);
  const { form } = open([SLACK]);
  await press(/^Edit/);
  const type = async (url: string) =>
    fireEvent.input(await screen.findByRole('textbox', { name: 'URL' }), { target: { value: url } });
  await type('https://chat.example/hooks/new');
  server.losesAnswer = true;
  await press('Save notification');
  await screen.findByText('The notification was not saved');
  expect(server.saved.map(({ url }) => url)).toEqual(['https://chat.example/hooks/new']);
  await type('https://chat.example/hooks/newer');
  server.losesAnswer = false;
  await press('Save notification');
  await vi.waitFor(() => expect(form.announcement).toBe('Saved.'));
  expect(server.saved.map(({ url }) => url)).toEqual(['https://chat.example/hooks/newer']);
});

it('adds no channel twice that another owner added meanwhile', async () => {
  const server = serve([]);
  open([]);
  await press('Add notification');
  await fireEvent.input(await screen.findByRole('textbox', { name: 'URL' }), { target: { value: SLACK.url } });
  server.saved = [SLACK];
  await press('Save notification');
  await screen.findByText('This channel is in the list already. Edit it instead.');
  expect(server.sent).toEqual([]);
});

it('has what was typed when the tab is opened again', async () => {
  serve([]);
  const { form, unmount } = open([]);
  await press('Add notification');
  await fireEvent.input(await screen.findByRole('textbox', { name: 'URL' }), { target: { value: 'https://typed' } });
  unmount();
  render(Notifications, { form });
  expect((await screen.findByRole<HTMLInputElement>('textbox', { name: 'URL' })).value).toBe('https://typed');
});

it('sends a test message and says what to do about its outcome', async () => {
  const server = serve([SLACK]);
  open([SLACK]);
  await press(/^Edit/);
  await press('Send test message');
  await screen.findByText(/Responded with 404/);
  expect(screen.getByText('404. Nothing found at this path. Check the URL.')).toBeTruthy();
  expect(server.sent.at(-1)?.body).toEqual({ kind: 'slack', url: SLACK.url });
});

it('removes a notification after a question, and sends a message again', async () => {
  const server = serve([SLACK]);
  const { form } = open([SLACK]);
  await fireEvent.click(await screen.findByRole('button', { name: /^Send again/ }));
  await vi.waitFor(() => expect(form.announcement).toBe('The message is being sent.'));
  expect(server.sent.at(-1)?.path).toContain(`/api/notification-messages/${MESSAGE.id}/resend`);
});

it('lists all messages a page at a time, and says so when older ones could not be loaded', async () => {
  const server = serve([SLACK]);
  server.messages = Array.from({ length: 65 }, (_, at) => ({ ...MESSAGE, id: `id-${at}`, text: `Message ${at}.` }));
  open([SLACK]);
  const listed = () => screen.queryAllByText(/^Message \d+\.$/).map(({ textContent }) => textContent);
  await vi.waitFor(() => expect(listed()).toHaveLength(20));
  server.failsOlder = true;
  await press('Show older');
  await screen.findByText('Older messages could not be loaded');
  expect(listed()).toHaveLength(20);
  server.failsOlder = false;
  for (const rows of [40, 60, 65]) {
    await press('Show older');
    await vi.waitFor(() => expect(listed()).toHaveLength(rows));
  }
  expect(listed()).toEqual(server.messages.map((_, at) => `Message ${at}.`));
  expect(screen.queryByRole('button', { name: 'Show older' })).toBeNull();
  expect(screen.queryByText('Older messages could not be loaded')).toBeNull();

  // The state of the oldest one is read again too.
  server.messages[64] = { ...server.messages[64], status: 'succeeded', abilities: { resend: false } };
  await press('Send again: Message 64.');
  await screen.findByText('Delivered');
  expect(listed()).toHaveLength(65);
});
