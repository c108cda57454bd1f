// When a call is retried, how long it waits, and when it gives up.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError, NetworkError } from './errors.ts';
import { failed, fakeClock } from './fake-service.fixture.ts';
import { Retrier, type Retry, type RetryOptions } from './retry.ts';

function refusal(status: number, code = `http_${status}`, retryAfter: number | null = null): ApiError {
  return new ApiError({ status, text: JSON.stringify({ code }), header: () => null, retryAfter });
}

/** Runs a call that fails with these errors in order and then succeeds. */
function attempts(errors: Iterable<Error>): { once: () => Promise<string>; count: () => number } {
  const left = errors[Symbol.iterator]();
  let count = 0;
  const once = async (): Promise<string> => {
    count += 1;
    const next = left.next();
    if (next.done !== true) throw next.value;
    return 'done';
  };
  return { once, count: () => count };
}

function* forEver<T>(value: () => T): Generator<T> {
  for (;;) yield value();
}

function retrier(options: RetryOptions = {}, random?: () => number) {
  const { clock, slept } = fakeClock(random);
  return { run: new Retrier(clock, options), clock, slept };
}

it.each([{ tries: NaN }, { seconds: NaN }])('refuses %j, which would retry without end', (options) => {
  expect(() => retrier(options)).toThrow(TypeError);
});

describe('which failures are retried', () => {
  it.each([
    [408, 'http_408'],
    [409, 'idempotency_in_progress'],
    [429, 'rate_limited'],
    [500, 'internal'],
    [502, 'http_502'],
    [503, 'unavailable'],
    [504, 'http_504'],
  ])('retries a failure with status %i and code %s', async (status, code) => {
    const { once, count } = attempts([refusal(status, code)]);
    expect(await retrier().run.run(once)).toBe('done');
    expect(count()).toBe(2);
  });

  it('retries a missing response', async () => {
    const { once, count } = attempts([new NetworkError('ECONNRESET', null), new NetworkError('ECONNRESET', null)]);
    expect(await retrier().run.run(once)).toBe('done');
    expect(count()).toBe(3);
  });

  it.each([
    [0, 'http_0'],
    [308, 'http_308'],
    [400, 'invalid_json'],
    [401, 'api_key_invalid'],
    [403, 'project_mismatch'],
    [404, 'not_found'],
    [405, 'method_not_allowed'],
    [409, 'already_decided'],
    [413, 'payload_too_large'],
    [415, 'unsupported_media_type'],
    [422, 'validation_failed'],
    [422, 'idempotency_key_reused'],
  ])('does not retry %i %s', async (status, code) => {
    const error = refusal(status, code, 1);
    const { once, count } = attempts([error]);
    const { run, slept } = retrier();
    expect(await failed(run.run(once))).toBe(error);
    expect({ count: count(), slept, tries: error.tries }).toEqual({ count: 1, slept: [], tries: 1 });
  });

  it('does not retry an error of the program itself', async () => {
    const { once, count } = attempts([new TypeError('a fault')]);
    expect(await failed(retrier().run.run(once))).toBeInstanceOf(TypeError);
    expect(count()).toBe(1);
  });
});

describe('the delay before a retry', () => {
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  it('ranges from 0 to 250 ms, doubles after each failure and never exceeds 15 s', async () => {
    const waits = fc.array(chance, { minLength: 12, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(waits, async (chances) => {
        const told: number[] = [];
        const options = { tries: 13, seconds: Infinity, onRetry: ({ delayMs }: Retry) => told.push(delayMs) };
        let next = 0;
        const { run } = retrier(options, () => chances[next++] ?? 0);
        await run.run(attempts(Array.from({ length: 12 }, () => refusal(500))).once);
        const ceilings = chances.map((_, index) => Math.min(15_000, 250 * 2 ** index));
        expect(told).toEqual(chances.map((value, index) => Math.ceil(value * (ceilings[index] ?? 0))));
      }),
      { numRuns: 50 },
    );
  });

  it('is never shorter than the service asks, for every random value and failure', async () => {
    const failure = fc.record({
      error: fc.constantFrom([409, 'idempotency_in_progress'], [429, 'rate_limited'], [503, 'x']),
      retryAfter: fc.option(fc.integer({ min: 0, max: 5_000_000 })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(failure, { minLength: 1, maxLength: 6 }), chance, async (failures, value) => {
        const { run, clock } = retrier({ tries: 99, seconds: Infinity }, () => value);
        let free = 0;
        const left = failures.map(({ error: [status, code], retryAfter }) => ({
          error: refusal(Number(status), String(code), retryAfter),
          ms: (retryAfter ?? 0) * 1000,
        }));
        await run.run(async () => {
          expect(clock.now()).toBeGreaterThanOrEqual(free);
          const next = left.shift();
          if (next === undefined) return;
          free = clock.now() + next.ms;
          throw next.error;
        });
      }),
      { numRuns: 100 },
    );
  });

  it('never exceeds the longest timer', async () => {
    const { run, slept } = retrier({ seconds: Infinity }, () => 0);
    await run.run(attempts([refusal(429, 'rate_limited', 3_000_000)]).once);
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(3_000_000_000);
    expect(Math.max(...slept)).toBeLessThan(2 ** 31);
  });
});

describe('when a call gives up', () => {
  it('gives up after 8 failures by default; the error carries the count', async () => {
    for (const [options, expected] of [
      [{}, 8],
      [{ tries: 3 }, 3],
      [{ tries: 1 }, 1],
    ] as const) {
      const { once, count } = attempts(forEver(() => refusal(503)));
      expect(await failed(retrier(options).run.run(once))).toMatchObject({ status: 503, tries: expected });
      expect(count()).toBe(expected);
    }
  });

  it('does not count 429, which is rate limiting and no failure, but gives up 120 s after the start', async () => {
    const { once, count } = attempts(forEver(() => refusal(429, 'rate_limited', 10)));
    const { run, slept } = retrier({}, () => 0);
    expect(await failed(run.run(once))).toMatchObject({ code: 'rate_limited', tries: 12 });
    expect(count()).toBe(12);
    expect(slept).toEqual(Array.from({ length: 11 }, () => 10_000));
  });

  it('gives up immediately when the service asks for more time than is left', async () => {
    const { once, count } = attempts([refusal(503, 'unavailable', 121)]);
    const { run, slept } = retrier();
    expect(await failed(run.run(once))).toMatchObject({ code: 'unavailable', retryAfter: 121 });
    expect({ count: count(), slept }).toEqual({ count: 1, slept: [] });
  });

  it('gives up immediately without a time budget', async () => {
    for (const error of [refusal(429, 'rate_limited', 0), refusal(503), new NetworkError('ECONNREFUSED', null)]) {
      const { once, count } = attempts([error]);
      expect(await failed(retrier({ seconds: 0 }, () => 0).run.run(once))).toBe(error);
      expect(count()).toBe(1);
    }
  });

  it('gives up when the retry callback throws', async () => {
    const enough = new Error('enough');
    const heard: Retry[] = [];
    const onRetry = (retry: Retry): void => {
      heard.push(retry);
      if (heard.length === 2) throw enough;
    };
    const { once, count } = attempts(forEver(() => refusal(500, 'internal')));
    const { run, slept } = retrier({ onRetry }, () => 0.5);
    expect(await failed(run.run(once))).toBe(enough);
    expect(count()).toBe(2);
    expect(slept).toEqual([125]);
    expect(heard).toMatchObject([
      { tries: 1, delayMs: 125, error: { code: 'internal' } },
      { tries: 2, delayMs: 250 },
    ]);
  });
});

describe('a pause that the service requests', () => {
  it.each([
    ['429', refusal(429, 'rate_limited', 30), 30_000],
    ['429 without Retry-After', refusal(429, 'rate_limited'), 250],
    ['503 with Retry-After', refusal(503, 'unavailable', 30), 30_000],
    ['503 without Retry-After', refusal(503, 'unavailable'), 0],
    ['idempotency_in_progress', refusal(409, 'idempotency_in_progress', 30), 0],
  ])('%s: another call of this client waits for the same time', async (_, error, expected) => {
    let now = 0;
    let began: number | undefined;
    let waits = 0;
    const sleep = async (ms: number): Promise<void> => {
      waits += 1;
      // The second call is made while the first one waits.
      if (waits === 1) await run.run(async () => (began = now));
      now += ms;
    };
    const run = new Retrier({ now: () => now, random: () => 1, sleep }, {});
    await run.run(attempts([error]).once);
    expect(began).toBe(expected);
  });

  it('fails a call whose deadline it exceeds with the last error of that call', async () => {
    let now = 0;
    let wake: (() => void) | undefined;
    const { once, count } = attempts([refusal(503)]);
    // While the call waits, 100 s pass and another call is told to wait 60 s; that one never finishes.
    const sleep = (): Promise<void> => {
      if (wake !== undefined) wake();
      else
        return new Promise((resolve) => {
          [now, wake] = [100_000, resolve];
          void run.run(attempts([refusal(429, 'rate_limited', 60)]).once);
        });
      return new Promise(() => undefined);
    };
    const run = new Retrier({ now: () => now, random: () => 1, sleep }, {});
    expect(await failed(run.run(once))).toMatchObject({ status: 503, tries: 1 });
    expect(count()).toBe(1);
  });
});

describe('the signal', () => {
  it('cancels a call before it starts', async () => {
    const { once, count } = attempts([]);
    expect(await failed(retrier().run.run(once, AbortSignal.abort('why')))).toBe('why');
    expect(count()).toBe(0);
  });

  it('cancels a wait with the reason of the signal', async () => {
    const stop = new AbortController();
    const sleep = async (): Promise<void> => stop.abort('why');
    const { once, count } = attempts(forEver(() => refusal(503)));
    const run = new Retrier({ now: () => 0, random: () => 1, sleep }, {});
    expect(await failed(run.run(once, stop.signal))).toBe('why');
    expect(count()).toBe(1);
  });
});
