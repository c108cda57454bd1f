// @vitest-environment happy-dom
// The parts of the webhook tab: events, the secrets at each stage, and a receiver's answer that stays text.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Project } from '@countersign/shared/schemas/projects';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import type { WebhookEndpoint, WebhookTestResult } from '@countersign/shared/schemas/webhook';
import { SettingsForm } from '../settings/settings-form.svelte.ts';
import WebhookEvents from './WebhookEvents.svelte';
import WebhookResult from './WebhookResult.svelte';
import WebhookSecret from './WebhookSecret.svelte';

const soon = () => new Date(Date.now() + 23.5 * 3_600_000).toISOString();
const NOTHING = { revealed: true, rolling: false, promote_at: null, previous_until: null, overlap_hours: 24 };

const form = () =>
  new SettingsForm(
    {
      id: '5d0c41f7-28a9-4e36-8b1d-7a90e3f6c2e1',
      ...DEFAULT_SETTINGS,
      settings_version: 1,
      abilities: { change_settings: true },
    } as Project,
    'me',
  );

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

describe('WE1: the events', () => {
  const box = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name });

  it('are all chosen at first, each with its sentence; decisions cannot be left out', () => {
    render(WebhookEvents, { form: form() });
    const boxes = screen.getAllByRole<HTMLInputElement>('checkbox');
    expect(boxes.map((one) => [one.checked, one.disabled])).toEqual([
      [true, true],
      [true, false],
      [true, false],
      [true, false],
    ]);
    expect(box('item.withdrawn').getAttribute('aria-describedby')).toBeTruthy();
    expect(screen.getByText('Your pipeline withdrew an item.').id).toBe(
      box('item.withdrawn').getAttribute('aria-describedby'),
    );
  });

  it('change the form, and a choice taken back is no change', async () => {
    const props = { form: form() };
    render(WebhookEvents, props);
    await fireEvent.click(box('item.expired'));
    expect(props.form.draft.webhook_events).toEqual(['item.decided', 'item.withdrawn', 'decision.revised']);
    expect(props.form.changes).toEqual(['webhook_events']);
    await fireEvent.click(box('item.expired'));
    expect(props.form.changes).toEqual([]);
  });

  it('are only shown to members who may not change them', () => {
    const reader = form();
    reader.project.abilities.change_settings = false;
    render(WebhookEvents, { form: reader });
    expect(screen.getAllByRole<HTMLInputElement>('checkbox').every((one) => one.disabled)).toBe(true);
  });
});

describe('the signing secret', () => {
  it.each<[string, Partial<WebhookEndpoint['secret']>, RegExp, string]>([
    ['never shown', { revealed: false }, /No secret yet/, 'Create secret'],
    ['current', {}, /^One active secret\.$/, 'Rotate secret'],
    [
      'rolling',
      { rolling: true, promote_at: soon() },
      /Rotation in progress.*Promoted automatically \(.*23.*\)\.$/s,
      'Promote new secret',
    ],
    [
      'promoted',
      { previous_until: soon() },
      /The old one still signs.*expires \(.*23.*\)\. Rotating again replaces/s,
      'Rotate secret',
    ],
  ])('%s: says so, and offers the one next step', (_, secret, said, button) => {
    render(WebhookSecret, {
      form: form(),
      secret: { ...NOTHING, ...secret },
      endpointId: 'e',
      onchanged: () => Promise.resolve(),
    });
    const sentence = screen.getByText((_text, element) =>
      element?.tagName === 'P' ? said.test((element.textContent ?? '').replaceAll(/\s+/g, ' ').trim()) : false,
    );
    expect(sentence).toBeTruthy();
    expect(screen.getAllByRole('button').map((element) => element.textContent?.trim())).toEqual([button]);
  });

  it('stays visible across tabs, until it is dismissed', async () => {
    const props = { form: form(), secret: NOTHING, endpointId: 'e', onchanged: () => Promise.resolve() };
    const reply = { webhook_secret: 'whsec_once', phase: 'next' };
    const headers = { 'content-type': 'application/json' };
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify(reply), { headers })));
    const { unmount } = render(WebhookSecret, props);
    await fireEvent.click(screen.getByRole('button', { name: 'Rotate secret' }));
    await screen.findByText('whsec_once');
    expect(props.form.secrets.on('webhook')).toBe(true);
    expect(props.form.secrets.on('keys')).toBe(false);
    unmount();
    render(WebhookSecret, props);
    await screen.findByText('whsec_once');
    await fireEvent.click(screen.getByRole('button', { name: 'Done' }));
    await vi.waitFor(() => expect(document.activeElement?.textContent).toBe('Signing secret'));
    expect(screen.queryByText('whsec_once')).toBeNull();
    expect(props.form.secrets.on('webhook')).toBe(false);
  });
});

describe('the result of a test event', () => {
  const result = (overrides: Partial<WebhookTestResult> = {}): WebhookTestResult => ({
    ok: true,
    http_status: 200,
    error: null,
    duration_ms: 12,
    timings: { dns_ms: 0, connect_ms: 1, tls_ms: null, first_byte_ms: 2 },
    response_text: null,
    webhook_id: 'evt_test_1',
    url: 'https://receiver.example/hooks',
    ...overrides,
  });

  it('shows status, time and URL, and the answer as text', () => {
    const hostile = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
    const { container } = render(WebhookResult, { result: result({ response_text: hostile }), saved: true });
    expect(container.querySelector('pre')?.textContent).toBe(hostile);
    expect(container.querySelector('img, script')).toBeNull();
    expect(container.textContent).toMatch(/Responded with 200 after 12 ms/);
    expect(container.textContent).not.toContain('not saved yet');
  });

  it('shows the hidden characters of the answer', () => {
    const { container } = render(WebhookResult, {
      result: result({ response_text: 'ok\u202Eko\n\u200Bx' }),
      saved: true,
    });
    const pre = container.querySelector('pre');
    expect(pre?.querySelectorAll('[title^="U+202E"], [title^="U+200B"]')).toHaveLength(2);
    expect(pre?.textContent).not.toContain('\u202E');
    expect(pre?.textContent).toContain('\n');
  });

  it('without an answer says what to do, and that the URL is not saved', () => {
    const failed = result({ ok: false, http_status: null, error: 'tls_error' });
    const { container } = render(WebhookResult, { result: failed, saved: false });
    expect(container.textContent).toMatch(/No response after 12 ms/);
    expect(container.textContent).toContain('Certificate');
    expect(container.textContent).toContain('not saved yet');
    expect(container.querySelector('pre')).toBeNull();
  });
});
