// @vitest-environment happy-dom
// Tests that a followed value shows the last change, also where the load that would have shown it failed (QU4).
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiProblem, NetworkFailure } from '#lib/api/client.ts';
import { LiveResource } from './live-resource.ts';

const SPACING = 1000;
let answers: (number | Error)[];
let asked: number;
let own: LiveResource<number>;
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  answers = [];
  asked = 0;
  own = new LiveResource({
    request: () => {
      asked += 1;
      const answer = answers.shift() ?? expect.fail('one request too many');
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    changes: () => () => undefined,
    ...{ spacing: SPACING, idle: 120_000 },
  });
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

const busy = new ApiProblem({ status: 503, code: 'unavailable' }, null);

describe('LiveResource', () => {
  it.each([
    ['nothing answered', new NetworkFailure('timeout')],
    ['the service was too busy', busy],
  ])('shows a change after a load that failed because %s', async (_, failure) => {
    answers = [0, failure, failure, 1];
    stop = own.follow();
    await vi.advanceTimersByTimeAsync(0);
    own.schedule();
    await vi.advanceTimersByTimeAsync(SPACING);
    expect([own.resource.data, own.resource.error]).toEqual([0, failure]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect([own.resource.data, own.resource.error, asked]).toEqual([1, null, 4]);
  });

  it('does not repeat a refusal, nor anything once it is not followed', async () => {
    answers = [new ApiProblem({ status: 403, code: 'forbidden' }, null)];
    stop = own.follow();
    await vi.advanceTimersByTimeAsync(60_000);
    stop();
    answers = [busy];
    stop = own.follow();
    await vi.advanceTimersByTimeAsync(0);
    stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toBe(2);
  });
});
