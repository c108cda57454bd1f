// Tests the advice for a failed test event: every cause has its own text, and a status takes precedence.
import { describe, expect, it } from 'vitest';
import { adviceFor } from './webhook-messages.ts';

const result = (overrides: Partial<Parameters<typeof adviceFor>[0]>) =>
  adviceFor({
    ok: false,
    http_status: null,
    error: null,
    duration_ms: 1,
    timings: { dns_ms: 0, connect_ms: 1, tls_ms: null, first_byte_ms: 2 },
    response_text: null,
    webhook_id: 'evt_test_1',
    url: 'https://receiver.example/',
    ...overrides,
  });

describe('advice for a test event', () => {
  it('is empty after a success', () => {
    expect(result({ ok: true, http_status: 204 })).toBeNull();
  });

  const NO_ANSWER = [
    'dns_error',
    'blocked_address',
    'invalid_url',
    'connection_refused',
    'connect_timeout',
    'connection_reset',
    'tls_error',
    'timeout',
    'response_too_large',
  ];
  it('differs for each cause without an answer', () => {
    const said = NO_ANSWER.map((error) => result({ error }));
    expect(new Set(said).size).toBe(NO_ANSWER.length);
    for (const sentence of said) expect(sentence).not.toBe(result({ error: 'internal' }));
  });

  it.each([
    [401, 'http_4xx', /signature/],
    [404, 'http_4xx', /path/],
    [405, 'http_4xx', /POST/],
    [410, 'http_4xx', /Gone/],
    [418, 'http_4xx', /rejected/],
    [302, 'redirect_refused', /Redirects/],
    [500, 'http_5xx', /log/],
    [503, 'http_5xx', /log/],
  ] as const)('advises on the test result %i: %s', (http_status, error, words) => {
    expect(result({ http_status, error })).toMatch(words);
  });

  it('refers to nothing that is missing', () => {
    for (const http_status of [400, 401, 403]) {
      expect(result({ http_status, error: 'http_4xx' })).toMatch(/raw body/);
      expect(result({ http_status, error: 'http_4xx' })).not.toMatch(/see \d/);
    }
  });

  it('has a text for unknown causes', () => {
    expect(result({ error: 'something_new' })).toMatch(/Internal error/);
  });
});
