// The texts people read after a failed call.
import { describe, expect, it } from 'vitest';
import { ApiProblem } from './client.ts';
import { explain } from './explain-error.ts';

const limited = (retryAfter: number | null) =>
  new ApiProblem(
    { status: 429, code: 'rate_limited', title: 'Too many requests', detail: 'Wait 7 s.', request_id: 'r-1' },
    retryAfter,
  );

describe('RL5: a request over the rate limit', () => {
  it.each([
    [7, 'Nothing is lost. Try again in 7 s.'],
    [1800, 'Nothing is lost. Try again in 30 min.'],
    [null, 'Nothing is lost. Try again in a moment.'],
  ])('says once when to try again: after %s s', (retryAfter, text) => {
    expect(explain(limited(retryAfter))).toEqual({ title: 'Too many requests', text, requestId: 'r-1' });
  });
});

describe('a refusal of another kind', () => {
  const busy = (detail: string, retryAfter: number | null) =>
    explain(new ApiProblem({ status: 503, code: 'unavailable', detail }, retryAfter)).text;

  it('says when to try again in the words of the server, once', () => {
    expect(busy('The database is unavailable. Retry in a moment.', 1)).toBe(
      'The database is unavailable. Retry in a moment.',
    );
  });

  it.each([
    [7, 'Try again in 7 s.'],
    [1800, 'Try again in 30 min.'],
    [null, 'Try again in a moment.'],
  ])('without words of the server says it as people say a length of time: %s s', (retryAfter, text) => {
    expect(busy('', retryAfter)).toBe(text);
  });
});
