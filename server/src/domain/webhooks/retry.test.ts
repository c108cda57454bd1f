// The retry rules WH1 to WH4 and WH7, by table and by property.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextStep, SCHEDULE_SECONDS, type AttemptError, type AttemptResult } from './retry.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const MIDDLE = 0.5;
const HOUR = 3_600;

function step(result: Partial<AttemptResult>) {
  return nextStep({
    attempt: 1,
    httpStatus: 500,
    error: 'http_5xx',
    retryAfter: null,
    now: NOW,
    jitter: MIDDLE,
    ...result,
  });
}

/** Seconds until the next attempt, or the kind of the next step. */
function wait(result: Partial<AttemptResult>): number | string {
  const next = step(result);
  return next.kind === 'retry' ? next.waitMs / 1_000 : next.kind;
}

describe('WH1: the schedule', () => {
  it.each([200, 201, 202, 204, 206, 299])('%i succeeds, on the last attempt too', (httpStatus) => {
    expect(step({ httpStatus, error: null })).toEqual({ kind: 'succeeded' });
    expect(step({ httpStatus, error: null, attempt: 10 })).toEqual({ kind: 'succeeded' });
  });

  it('waits 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h in the middle of the spread', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempt) => wait({ attempt }));
    expect(waits).toEqual([5, 300, 1_800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]);
    expect(SCHEDULE_SECONDS[0]).toBe(0);
  });

  it('is dead after the 10th attempt', () => {
    expect(wait({ attempt: 10 })).toBe('dead');
    expect(wait({ attempt: 11 })).toBe('dead');
  });

  it('spreads each wait by 20 % either way', () => {
    expect(wait({ attempt: 2, jitter: 0 })).toBe(240);
    expect(wait({ attempt: 2, jitter: 0.999_999 })).toBeCloseTo(360, 2);
  });

  it.each<[number | null, AttemptError]>([
    [null, 'dns_error'],
    [null, 'connect_timeout'],
    [null, 'connection_refused'],
    [null, 'connection_reset'],
    [null, 'tls_error'],
    [null, 'timeout'],
    [null, 'response_too_large'],
    [null, 'internal'],
    [302, 'redirect_refused'],
    [304, 'redirect_refused'],
    [400, 'http_4xx'],
    [404, 'http_4xx'],
    [500, 'http_5xx'],
    [200, 'timeout'],
    [200, 'connection_reset'],
  ])('%s %s takes the next step', (httpStatus, error) => {
    expect(wait({ attempt: 3, httpStatus, error })).toBe(1_800);
  });

  it('is always in the future, within the spread, and ends', () => {
    const jitter = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const failure = fc.record({
      attempt: fc.integer({ min: 1, max: 12 }),
      jitter,
      httpStatus: fc.constantFrom(null, 301, 404, 500),
    });
    fc.assert(
      fc.property(failure, (result) => {
        const seconds = wait({ ...result, error: 'timeout' });
        const base = SCHEDULE_SECONDS[result.attempt];
        if (base === undefined) {
          expect(seconds).toBe('dead');
        } else {
          expect(seconds).toBeGreaterThanOrEqual(base * 0.8);
          expect(seconds).toBeLessThanOrEqual(base * 1.2);
        }
      }),
    );
  });
});

describe('WH2: Retry-After', () => {
  it.each([
    [429, '120', 120],
    [503, '120', 120],
    [429, ' 120 ', 120],
    [429, 'Sun, 01 Mar 2026 12:02:00 GMT', 120],
    [429, 'Sunday, 01-Mar-26 12:02:00 GMT', 120],
    [429, 'Sun Mar  1 12:02:00 2026', 120],
    [503, '999999999', 10 * HOUR],
    [503, '9'.repeat(400), 10 * HOUR],
    [503, 'Mon, 01 Mar 2027 12:00:00 GMT', 10 * HOUR],
  ])('%i with %j waits %i s', (httpStatus, retryAfter, seconds) => {
    expect(wait({ httpStatus, retryAfter })).toBe(seconds);
  });

  it.each([
    '0',
    '1',
    '-120',
    '1.5e3',
    '0x500',
    'soon',
    '',
    'Sun, 01 Mar 2026 11:00:00 GMT',
    'Sun, 99 Foo',
    '2027-03-01T12:00:00Z',
  ])('never earlier than the schedule: %j', (retryAfter) => {
    expect(wait({ httpStatus: 429, retryAfter })).toBe(5);
  });

  it('does not shorten a schedule step beyond 10 h', () => {
    expect(wait({ attempt: 9, httpStatus: 429, retryAfter: '60' })).toBe(24 * HOUR);
    expect(wait({ attempt: 9, httpStatus: 429, retryAfter: '999999' })).toBe(24 * HOUR);
  });

  it.each([400, 404, 500, 502, 302])('is ignored on %i', (httpStatus) => {
    expect(wait({ httpStatus, retryAfter: '3600' })).toBe(5);
  });

  it('gives no attempt beyond the 10th', () => {
    expect(wait({ attempt: 10, httpStatus: 429, retryAfter: '60' })).toBe('dead');
  });

  it('never gives a time before the schedule or after 10 h, for any header', () => {
    const header = fc.oneof(
      fc.string(),
      fc.nat().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), header, (attempt, retryAfter) => {
        const seconds = wait({ attempt, httpStatus: 429, retryAfter });
        expect(seconds).toBeGreaterThanOrEqual(SCHEDULE_SECONDS[attempt] ?? Number.NaN);
        expect(seconds).toBeLessThanOrEqual(10 * HOUR);
      }),
    );
  });
});

describe('WH3: 410', () => {
  it.each([1, 5, 10])('pauses the endpoint on attempt %i', (attempt) => {
    expect(step({ attempt, httpStatus: 410, error: 'http_4xx' })).toEqual({ kind: 'pause', reason: 'gone' });
  });
});

describe('WH4: a refused address or URL', () => {
  it.each<AttemptError>(['blocked_address', 'invalid_url'])('%s: one more attempt after 5 min, then dead', (error) => {
    expect(wait({ attempt: 1, httpStatus: null, error })).toBe(300);
    expect(wait({ attempt: 2, httpStatus: null, error })).toBe('dead');
    expect(wait({ attempt: 2, httpStatus: null, error, previousError: error })).toBe('dead');
    expect(wait({ attempt: 10, httpStatus: null, error, previousError: 'timeout' })).toBe('dead');
  });

  it('counts from the first refusal where the previous attempt is known', () => {
    expect(wait({ attempt: 4, httpStatus: null, error: 'blocked_address', previousError: 'http_5xx' })).toBe(300);
    expect(wait({ attempt: 5, httpStatus: null, error: 'blocked_address', previousError: 'blocked_address' })).toBe(
      'dead',
    );
  });
});

describe('WH7: a failure of our own proxy', () => {
  it('is retried after 30 s, 20 % either way, at any step of the schedule, and does not count', () => {
    for (const attempt of [1, 5, 9, 10, 11]) {
      const lost = { attempt, httpStatus: null, error: 'internal' as const, proxyFault: 'responded with 407' };
      expect(step(lost)).toEqual({ kind: 'retry', waitMs: 30_000, uncounted: true });
      expect(wait({ ...lost, jitter: 0 })).toBe(24);
      expect(wait({ ...lost, jitter: 0.999_999 })).toBeCloseTo(36, 2);
    }
  });

  it('does not apply to another failure on our side: that takes the next step', () => {
    expect(step({ attempt: 3, httpStatus: null, error: 'internal' })).toEqual({
      kind: 'retry',
      waitMs: 1_800_000,
    });
  });
});
