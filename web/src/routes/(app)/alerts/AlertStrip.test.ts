// @vitest-environment happy-dom
// WH6 in the layout: the text of each kind, its link, shown once, and gone when it was dismissed or is over.
import type { ProjectAlert } from '@countersign/shared/schemas/alerts';
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { shell } from '#lib/shell/shell.svelte.ts';
import { alertMessages } from './alert-messages.ts';
import AlertStrip from './AlertStrip.svelte';

const page = vi.hoisted(() => ({ url: new URL('http://countersign.test/projects') }));
vi.mock('$app/state', () => ({ page }));
vi.mock('$app/paths', () => ({
  resolve: (route: string, { id = '', tab = '' } = {}) =>
    route.replace('/(app)', '').replace('[id]', id).replace('[[tab]]', tab),
}));

const ID = '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11';
let made = 0;
const alert = (overrides: Partial<ProjectAlert> = {}): ProjectAlert => ({
  id: `0198c2f0-7a10-7c3e-9f6b-${String((made += 1)).padStart(12, '0')}`,
  kind: 'exhausted',
  endpoint: null,
  delivery_id: ID,
  attempts: 10,
  http_status: 503,
  error: 'http_5xx',
  created_at: '2026-03-01T00:00:00.000Z',
  project_id: ID,
  project_name: 'Maths answers',
  dead: 1,
  ...overrides,
});

const MAIL = { id: ID, name: 'Mail' };
const GONE = { id: ID, name: null };

describe('WH6: the texts', () => {
  it.each<[Partial<ProjectAlert>, string]>([
    [{}, ': a delivery failed permanently after 10 attempts (503).'],
    [{ attempts: 1 }, ': a delivery failed permanently after 1 attempt (503).'],
    [{ attempts: null, http_status: null, error: null }, ': a delivery failed permanently.'],
    [
      { http_status: null, error: 'timeout' },
      ': a delivery failed permanently after 10 attempts (timed out after 20 s).',
    ],
    [
      { http_status: null, error: 'something_new' },
      ': a delivery failed permanently after 10 attempts (something_new).',
    ],
    [{ dead: 3 }, ': 3 deliveries failed permanently.'],
    [{ dead: 1001 }, ': over 1,000 deliveries failed permanently.'],
    [{ kind: 'paused', http_status: 410 }, ': webhook paused (410 Gone).'],
    [{ kind: 'recovered', dead: 0 }, ': webhook works again.'],
    [{ kind: 'recovered', dead: 1 }, ': webhook works again; 1 delivery failed permanently.'],
    [{ kind: 'recovered', dead: 2 }, ': webhook works again; 2 deliveries failed permanently.'],
    [{ endpoint: MAIL }, ': a delivery to Mail failed permanently after 10 attempts (503).'],
    [{ endpoint: MAIL, dead: 3 }, ': 3 deliveries to Mail failed permanently.'],
    [{ endpoint: MAIL, kind: 'paused' }, ': webhook to Mail paused (410 Gone).'],
    [{ endpoint: MAIL, kind: 'recovered', dead: 2 }, ': webhook to Mail works again; 2 deliveries failed permanently.'],
  ])('states the alert %j in one sentence', (overrides, words) => {
    expect(alertMessages.sentence(alert(overrides))).toEqual(['', 'Maths answers', words]);
  });

  it.each<[ProjectAlert['kind'], string]>([
    ['over_budget', ': auto-approvals may exceed the error budget.'],
    ['threshold_raised', ': auto-approvals may exceed the error budget, so the auto-approve threshold was raised.'],
  ])('AU5: states the alert %s in one sentence', (kind, words) => {
    const automatic = alert({ kind, delivery_id: null, attempts: null, http_status: null });
    expect(alertMessages.sentence(automatic)).toEqual(['', 'Maths answers', words]);
  });

  it.each<[Partial<ProjectAlert>, string]>([
    [{}, 'A delivery failed permanently after 10 attempts (503)'],
    [{ kind: 'paused' }, 'Webhook paused (410 Gone)'],
    [{ kind: 'recovered' }, 'Webhook works again'],
    [{ endpoint: MAIL }, 'A delivery to Mail failed permanently after 10 attempts (503)'],
    [{ endpoint: GONE }, 'A delivery to a removed endpoint failed permanently after 10 attempts (503)'],
    [{ endpoint: MAIL, kind: 'paused' }, 'Webhook to Mail paused (410 Gone)'],
    [{ endpoint: GONE, kind: 'recovered' }, 'Webhook to a removed endpoint works again'],
  ])('in the list of one project, of %j', (overrides, words) => {
    expect(alertMessages.line(alert(overrides))).toBe(words);
  });
});

describe('WH6: the strip', () => {
  let list: ProjectAlert[];
  let noted: unknown[];
  /** How often the list was requested. */
  let asked: number;
  let note: () => Promise<Response>;

  beforeEach(() => {
    page.url = new URL('/projects', page.url);
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    [list, noted, asked] = [[alert()], [], 0];
    note = () => Promise.resolve(new Response(null, { status: 204 }));
    vi.stubGlobal('fetch', (path: string, { method, body }: RequestInit) => {
      if (method !== 'GET') {
        noted.push([path, JSON.parse(body as string)]);
        return note();
      }
      asked += 1;
      const headers = { 'content-type': 'application/json' };
      return Promise.resolve(new Response(JSON.stringify({ data: list, next_cursor: null }), { headers }));
    });
  });
  afterEach(() => {
    cleanup();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  const words = () => screen.getByRole('status').textContent.replaceAll(/\s+/g, ' ').trim();
  const gotIt = () => fireEvent.click(screen.getByRole('button', { name: 'Got it' }));
  /** Makes the tab visible again, when it may request once more: at most once in 1.5 s. */
  const makeVisible = async () => {
    document.dispatchEvent(new Event('visibilitychange'));
    await vi.advanceTimersByTimeAsync(1500);
  };

  it('shows an alert, takes no focus, delays other notices, and disappears once it is dismissed', async () => {
    render(AlertStrip);
    await vi.waitFor(() => expect(words()).toContain('a delivery failed permanently after 10 attempts (503).'));
    expect(document.activeElement).toBe(document.body);
    expect(shell.noticeShown).toBe(true);
    expect(screen.getByRole('link').getAttribute('href')).toBe(`/projects/${ID}/deliveries?status=dead`);
    await gotIt();
    await vi.waitFor(() => expect(words()).toBe(''));
    expect(noted).toEqual([[`/api/projects/${ID}/alerts/seen`, { alert_id: list[0]?.id }]]);
    await vi.waitFor(() => expect(shell.noticeShown).toBe(false));
  });

  it('links to the webhook where no delivery is dead, or it is paused', async () => {
    list = [alert({ kind: 'paused', dead: 4 }), alert({ kind: 'recovered', dead: 0 })];
    render(AlertStrip);
    await vi.waitFor(() => expect(words()).toContain('webhook paused'));
    expect(screen.getByRole('link').getAttribute('href')).toBe(`/projects/${ID}/webhook`);
    await gotIt();
    await vi.waitFor(() => expect(words()).toContain('works again'));
    expect(screen.getByRole('link').getAttribute('href')).toBe(`/projects/${ID}/webhook`);
  });

  it('stays and says so when dismissing failed', async () => {
    note = () => Promise.reject(new TypeError('The network is down.'));
    render(AlertStrip);
    await vi.waitFor(() => expect(words()).toContain('failed permanently'));
    await gotIt();
    expect(await screen.findByText(/^Couldn't save that\./)).toBeTruthy();
    expect(words()).toContain('a delivery failed permanently after 10 attempts (503).');
    note = () => Promise.resolve(new Response(null, { status: 204 }));
    await gotIt();
    await vi.waitFor(() => expect(words()).toBe(''));
  });

  it('stays when another arrives before it, until it is dismissed: a press dismisses the alert that was read', async () => {
    render(AlertStrip);
    await vi.waitFor(() => expect(words()).toContain('failed permanently'));
    const [read] = list;
    list = [alert({ kind: 'paused' }), ...list];
    const answered = asked;
    await makeVisible();
    await vi.waitFor(() => expect(asked).toBe(answered + 1));
    await vi.waitFor(() => expect(words()).toContain('failed permanently'));
    await gotIt();
    await vi.waitFor(() => expect(words()).toContain('webhook paused'));
    expect(noted).toEqual([[`/api/projects/${ID}/alerts/seen`, { alert_id: read?.id }]]);
  });

  it('shows the alerts of the endpoints in turn, then asks for those that the list had no room for', async () => {
    list = [alert({ endpoint: MAIL, kind: 'paused' }), alert({ endpoint: { id: 'b', name: 'Invoices' } })];
    render(AlertStrip);
    await vi.waitFor(() => expect(words()).toContain('webhook to Mail paused'));
    await gotIt();
    await vi.waitFor(() => expect(words()).toContain('a delivery to Invoices failed permanently'));
    list = [...list, alert({ endpoint: { id: 'c', name: 'Archive' } })];
    await gotIt();
    await vi.waitFor(() => expect(words()).toBe(''));
    await vi.advanceTimersByTimeAsync(1500);
    await vi.waitFor(() => expect(words()).toContain('a delivery to Archive failed permanently'));
  });

  it("does not show one alert's dismissal error beside another", async () => {
    note = () => Promise.reject(new TypeError('The network is down.'));
    render(AlertStrip);
    await vi.waitFor(() => expect(words()).toContain('failed permanently'));
    await gotIt();
    await screen.findByText(/^Couldn't save that\./);
    list = [alert({ kind: 'paused' })];
    await makeVisible();
    await vi.waitFor(() => expect(words()).toContain('webhook paused'));
    expect(words()).not.toContain("Couldn't save that.");
  });

  it('shows nothing of the previous account to the next one in the tab, while its own are loading', async () => {
    note = () => Promise.reject(new TypeError('The network is down.'));
    const { unmount } = render(AlertStrip);
    await vi.waitFor(() => expect(words()).toContain('failed permanently'));
    await gotIt();
    await screen.findByText(/^Couldn't save that\./);
    unmount();
    vi.stubGlobal('fetch', () => new Promise(() => undefined));
    render(AlertStrip);
    expect([words(), shell.noticeShown]).toEqual(['', false]);
  });

  it('links to the dead deliveries of the endpoint that it names', async () => {
    list = [alert({ endpoint: MAIL, dead: 3 })];
    render(AlertStrip);
    const link = await screen.findByRole('link');
    expect(link.getAttribute('href')).toBe(`/projects/${ID}/deliveries?status=dead&endpoint=${MAIL.id}`);
  });

  it('does not mark alerts of the next account as seen for the previous one', async () => {
    const { unmount } = render(AlertStrip);
    await vi.waitFor(() => expect(words()).toContain('failed permanently'));
    await gotIt();
    await vi.waitFor(() => expect(words()).toBe(''));
    unmount();
    render(AlertStrip);
    await vi.waitFor(() => expect(words()).toContain('failed permanently'));
  });

  it.each([
    ['/queue', 'max-xl:top-[calc(100%+var(--notices))]'],
    ['/projects', 'max-xl:top-full'],
  ])('QU1: covers the page below other notices under the top bar where it takes no room, on %s', (path, place) => {
    page.url = new URL(path, page.url);
    render(AlertStrip);
    const { classList } = screen.getByRole('status');
    expect([...classList].filter((name) => name.startsWith('max-xl:top-'))).toEqual([place]);
  });

  it('disappears on return to this tab when it was dismissed in another tab, or is over', async () => {
    render(AlertStrip);
    await vi.waitFor(() => expect(words()).toContain('failed permanently'));
    list = [];
    await makeVisible();
    await vi.waitFor(() => expect(words()).toBe(''));
  });

  it('does not show a dismissed alert again for a pending answer; shows a newer one', async () => {
    render(AlertStrip);
    await vi.waitFor(() => expect(words()).toContain('failed permanently'));
    await gotIt();
    await vi.waitFor(() => expect(words()).toBe(''));
    list = [...list, alert({ kind: 'paused' })];
    await makeVisible();
    await vi.waitFor(() => expect(words()).toContain('webhook paused'));
  });
});
