// WH5: the circuit breaker of a webhook endpoint, by table and by property.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterFailure, healthSignalOf, TRIPS_AT, type Health } from './health.ts';

const WELL: Health = { failures: 0, openings: 0 };
const step = (health: Health, given: Partial<{ probe: boolean; resting: boolean; jitter: number }> = {}) =>
  afterFailure(health, { probe: false, resting: false, jitter: 0.5, ...given });

describe('WH5: what an attempt says about its receiver', () => {
  it.each([
    [{ httpStatus: 200, error: null }, 'alive'],
    [{ httpStatus: 200, error: 'response_too_large' as const }, 'alive'],
    [{ httpStatus: 302, error: 'redirect_refused' as const }, 'alive'],
    [{ httpStatus: 404, error: 'http_4xx' as const }, 'alive'],
    [{ httpStatus: 410, error: 'http_4xx' as const }, 'alive'],
    [{ httpStatus: 429, error: 'http_4xx' as const }, 'trouble'],
    [{ httpStatus: 500, error: 'http_5xx' as const }, 'trouble'],
    [{ httpStatus: 503, error: 'http_5xx' as const }, 'trouble'],
    [{ httpStatus: null, error: 'connection_refused' as const }, 'trouble'],
    [{ httpStatus: null, error: 'timeout' as const }, 'trouble'],
    [{ httpStatus: null, error: 'dns_error' as const }, 'trouble'],
    [{ httpStatus: null, error: 'internal' as const }, 'none'],
  ] as const)('%j: %s', (outcome, sign) => {
    expect(healthSignalOf(outcome)).toBe(sign);
  });
});

describe('WH5: the endpoint after failures', () => {
  it('gets no attempts for five seconds from the tenth failure in a row, and not before', () => {
    let health: Health = WELL;
    for (let n = 1; n < TRIPS_AT; n += 1) {
      const next = step(health);
      expect(next.restSeconds).toBeNull();
      health = next;
    }
    expect(step(health)).toEqual({ failures: 10, openings: 1, restSeconds: 5 });
  });

  it('rests twice as long each time the probe fails, and never longer than five minutes', () => {
    let health: Health = { failures: 10, openings: 1 };
    const rests: (number | null)[] = [];
    for (let n = 0; n < 9; n += 1) {
      const next = step(health, { probe: true, resting: true });
      rests.push(next.restSeconds);
      health = next;
    }
    expect(rests).toEqual([10, 20, 40, 80, 160, 300, 300, 300, 300]);
  });

  it('does not rest longer because attempts that were already under way fail too', () => {
    expect(step({ failures: 12, openings: 1 }, { resting: true })).toEqual({
      failures: 13,
      openings: 1,
      restSeconds: null,
    });
  });

  it('rests for its time ±20 %, always more than zero and at most six minutes', () => {
    const health = fc.record({ failures: fc.nat(), openings: fc.nat() });
    fc.assert(
      fc.property(health, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (before, jitter) => {
        const rest = step(before, { probe: true, jitter }).restSeconds ?? 0;
        const middle = step(before, { probe: true }).restSeconds ?? 0;
        expect(rest).toBeGreaterThanOrEqual(middle * 0.8 - 1e-9);
        expect(rest).toBeLessThanOrEqual(middle * 1.2 + 1e-9);
        expect(middle).toBeLessThanOrEqual(300);
        expect(rest).toBeGreaterThan(0);
      }),
    );
  });
});
