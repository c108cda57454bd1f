// What people read when a call failed.
import { describe, expect, it } from 'vitest';
import { ApiProblem } from './api.ts';
import { explain } from './explain.ts';

const limited = (retryAfter: number | null, detail = 'Wait for the next one.') =>
  new ApiProblem(
    { status: 429, code: 'rate_limited', title: 'Too many requests', detail, request_id: 'r-1' },
    retryAfter,
  );

describe('RL5: a request too many', () => {
  it.each([
    [7, 'Wait for the next one. Nothing is lost: try again in 7 seconds.'],
    [1, 'Wait for the next one. Nothing is lost: try again in a second.'],
    [null, 'Wait for the next one. Nothing is lost: try again in a moment.'],
  ])('is a short pause that ends in %s s', (retryAfter, text) => {
    expect(explain(limited(retryAfter))).toEqual({ title: 'A short pause', text, requestId: 'r-1' });
  });

  it('has words of its own where the server has none', () => {
    expect(explain(limited(2, '')).text).toBe(
      'More was asked for than is let through at once. Nothing is lost: try again in 2 seconds.',
    );
  });
});
