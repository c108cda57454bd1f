// The time at which a failed request is repeated.
import { describe, expect, it } from 'vitest';
import { ApiProblem, NetworkFailure } from '../api/client.ts';
import { RetryTimer } from './retry-timer.ts';

const problem = (status: number, retryAfter: number | null = null) =>
  new ApiProblem({ status, code: 'unavailable' }, retryAfter);

/** After how many seconds the request is repeated; null: not within two minutes. */
function after(why: unknown): number | null {
  const timer = new RetryTimer();
  for (let second = 0; second < 120; second++) if (timer.due(why, second * 1000)) return second;
  return null;
}

describe('retry', () => {
  it.each([['gap'], [new NetworkFailure('timeout')], [problem(500)], [problem(503)], [problem(429)]])(
    'follows 2 to 15 s after %s',
    (why) => {
      expect(after(why)).toBeGreaterThanOrEqual(2);
      expect(after(why)).toBeLessThanOrEqual(15);
    },
  );

  it.each([[null], [problem(401)], [problem(403)], [problem(404)]])('never follows after %s', (why) => {
    expect(after(why)).toBeNull();
  });

  it('waits as long as the server requested', () => {
    expect(after(problem(429, 30))).toBeGreaterThanOrEqual(30);
    expect(after(problem(429, 30))).toBeLessThanOrEqual(32);
  });

  it('backs off with each failure, and resets with the first good answer', () => {
    const timer = new RetryTimer();
    expect([timer.due('gap', 0), timer.due(null, 14_000), timer.due('gap', 15_000)]).toEqual([false, false, false]);
    expect(timer.due(problem(503), 16_999)).toBe(false);
    expect(timer.due('gap', 18_000)).toBe(false);
  });
});
