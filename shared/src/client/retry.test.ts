// When a call is made again, how long is waited for it, and when it is given up.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError, NetworkError } from './errors.ts';
import { failed, fakeClock } from './fake-service.fixture.ts';
import { Retrier, type Retry, type RetryOptions } from './retry.ts';

function refusal(status: number, code = `http_${status}`, retryAfter: number | null = null): ApiError {
  return new ApiError({ status, text: JSON.stringify({ code }), header: () => null, retryAfter });
}

/** Runs a call that fails in these ways, one after the other, and then succeeds. */
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

describe('which failures are tried again', () => {
  it.each([
    [408, 'http_408'],
    [409, 'idempotency_in_progress'],
    [429, 'rate_limited'],
    [500, 'internal'],
    [502, 'http_502'],
    [503, 'unavailable'],
    [504, 'http_504'],
  ])('%i %s is', async (status, code) => {
    const { once, count } = attempts([refusal(status, code)]);
    expect(await retrier().run.run(once)).toBe('done');
    expect(count()).toBe(2);
  });

  it('no answer at all is', async () => {
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
  ])('%i %s is not', async (status, code) => {
    const error = refusal(status, code, 1);
    const { once, count } = attempts([error]);
    const { run, slept } = retrier();
    expect(await failed(run.run(once))).toBe(error);
    expect({ count: count(), slept, tries: error.tries }).toEqual({ count: 1, slept: [], tries: 1 });
  });

  it('a fault of this program is not', async () => {
    const { once, count } = attempts([new TypeError('a fault')]);
    expect(await failed(retrier().run.run(once))).toBeInstanceOf(TypeError);
    expect(count()).toBe(1);
  });
});

describe('how long is waited', () => {
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  it('from nothing to 250 ms, twice that after each failure, never more than 15 s', async () => {
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

  it('never less than the service asks, whatever chance says and whatever failed', async () => {
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

  it('no timer is set beyond what timers can take', async () => {
    const { run, slept } = retrier({ seconds: Infinity }, () => 0);
    await run.run(attempts([refusal(429, 'rate_limited', 3_000_000)]).once);
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(3_000_000_000);
    expect(Math.max(...slept)).toBeLessThan(2 ** 31);
  });
});

describe('when it is given up', () => {
  it('after 8 failures, unless told otherwise; the error says how many', async () => {
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

  it('not by the number of 429, which is a pace and no failure, but 120 s after the start', async () => {
    const { once, count } = attempts(forEver(() => refusal(429, 'rate_limited', 10)));
    const { run, slept } = retrier({}, () => 0);
    expect(await failed(run.run(once))).toMatchObject({ code: 'rate_limited', tries: 12 });
    expect(count()).toBe(12);
    expect(slept).toEqual(Array.from({ length: 11 }, () => 10_000));
  });

  it('at once when the service asks for more time than there is', async () => {
    const { once, count } = attempts([refusal(503, 'unavailable', 121)]);
    const { run, slept } = retrier();
    expect(await failed(run.run(once))).toMatchObject({ code: 'unavailable', retryAfter: 121 });
    expect({ count: count(), slept }).toEqual({ count: 1, slept: [] });
  });

  it('at once when no time was given', async () => {
    for (const error of [refusal(429, 'rate_limited', 0), refusal(503), new NetworkError('ECONNREFUSED', null)]) {
      const { once, count } = attempts([error]);
      expect(await failed(retrier({ seconds: 0 }, () => 0).run.run(once))).toBe(error);
      expect(count()).toBe(1);
    }
  });

  it('when the one who hears of further tries says so', async () => {
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

describe('a pause that the service asks for', () => {
  it.each([
    ['429', refusal(429, 'rate_limited', 30), 30_000],
    ['429 that does not say how long', refusal(429, 'rate_limited'), 250],
    ['503 that says how long', refusal(503, 'unavailable', 30), 30_000],
    ['503 that does not', refusal(503, 'unavailable'), 0],
    ['idempotency_in_progress', refusal(409, 'idempotency_in_progress', 30), 0],
  ])('%s: another call of this client waits as long as it says', async (_, error, expected) => {
    let now = 0;
    let began: number | undefined;
    let waits = 0;
    const sleep = async (ms: number): Promise<void> => {
      waits += 1;
      // While the first call waits, a second one is made.
      if (waits === 1) await run.run(async () => (began = now));
      now += ms;
    };
    const run = new Retrier({ now: () => now, random: () => 1, sleep }, {});
    await run.run(attempts([error]).once);
    expect(began).toBe(expected);
  });

  it('ends the call that it would outlast, with what that call had failed with', async () => {
    let now = 0;
    let wake: (() => void) | undefined;
    const { once, count } = attempts([refusal(503)]);
    // While the call waits, 100 s pass and another one is told to come back in 60 s; that one waits for ever.
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
  it('ends a call before it begins', async () => {
    const { once, count } = attempts([]);
    expect(await failed(retrier().run.run(once, AbortSignal.abort('why')))).toBe('why');
    expect(count()).toBe(0);
  });

  it('ends a wait, with its own reason', async () => {
    const stop = new AbortController();
    const sleep = async (): Promise<void> => stop.abort('why');
    const { once, count } = attempts(forEver(() => refusal(503)));
    const run = new Retrier({ now: () => 0, random: () => 1, sleep }, {});
    expect(await failed(run.run(once, stop.signal))).toBe('why');
    expect(count()).toBe(1);
  });
});
