// @vitest-environment happy-dom
// The parts of the webhook tab: what is said of the secrets at each stage, and an answer from outside that stays text.
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import type { WebhookState, WebhookTestResult } from '@countersign/shared/api/webhook';
import WebhookResult from './WebhookResult.svelte';
import WebhookSecret from './WebhookSecret.svelte';

const soon = () => new Date(Date.now() + 23.5 * 3_600_000).toISOString();
const NOTHING = { revealed: true, rolling: false, promote_at: null, previous_until: null };

afterEach(cleanup);

describe('the signing secret', () => {
  it.each<[string, Partial<WebhookState['secret']>, RegExp, string]>([
    ['never shown', { revealed: false }, /Nobody has been shown a secret yet/, 'Make the secret'],
    ['current', {}, /^One secret signs\.$/, 'Make a new secret'],
    [
      'rolling',
      { rolling: true, promote_at: soon() },
      /signs beside the current one.*first by itself \(.*23.*\)\.$/s,
      'Let the new secret sign first',
    ],
    [
      'promoted',
      { previous_until: soon() },
      /The old one still signs.*by itself \(.*23.*\)\. Another new secret takes its place/s,
      'Make a new secret',
    ],
  ])('%s: says so, and offers the one thing that comes next', (_, secret, said, button) => {
    render(WebhookSecret, {
      projectId: '5d0c41f7-28a9-4e36-8b1d-7a90e3f6c2e1',
      secret: { ...NOTHING, ...secret },
      onchanged: () => Promise.resolve(),
    });
    const sentence = screen.getByText((_text, element) =>
      element?.tagName === 'P' ? said.test((element.textContent ?? '').replaceAll(/\s+/g, ' ').trim()) : false,
    );
    expect(sentence).toBeTruthy();
    expect(screen.getAllByRole('button').map((element) => element.textContent?.trim())).toEqual([button]);
  });
});

describe('what came of a test event', () => {
  const result = (overrides: Partial<WebhookTestResult> = {}): WebhookTestResult => ({
    ok: true,
    http_status: 200,
    error: null,
    duration_ms: 12,
    response_text: null,
    webhook_id: 'evt_test_1',
    url: 'https://receiver.example/hooks',
    ...overrides,
  });

  it('is status, time and URL; the answer is text, whatever it is', () => {
    const hostile = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
    const { container } = render(WebhookResult, { result: result({ response_text: hostile }), saved: true });
    expect(container.querySelector('pre')?.textContent).toBe(hostile);
    expect(container.querySelector('img, script')).toBeNull();
    expect(container.textContent).toMatch(/Answered 200 after 12 ms/);
    expect(container.textContent).not.toContain('not saved yet');
  });

  it('without an answer says what to do, and that the URL is not saved', () => {
    const failed = result({ ok: false, http_status: null, error: 'tls_error' });
    const { container } = render(WebhookResult, { result: failed, saved: false });
    expect(container.textContent).toMatch(/No answer after 12 ms/);
    expect(container.textContent).toContain('certificate');
    expect(container.textContent).toContain('not saved yet');
    expect(container.querySelector('pre')).toBeNull();
  });
});
