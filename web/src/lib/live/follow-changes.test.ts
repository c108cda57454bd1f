// A followed value shows the last change, also where the load that would have shown it failed (QU4).
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NetworkFailure } from '../api/client.ts';
import { Resource } from '../api/resource.svelte.ts';
import { live } from './connection.svelte.ts';
import { followChanges } from './follow-changes.ts';

let answers: (number | Error)[];
let asked: number;
let change: () => void = () => undefined;
let resync: () => unknown = () => undefined;
let stop: () => void;
let value: Resource<number>;

beforeEach(() => {
  vi.useFakeTimers();
  [answers, asked] = [[0], 0];
  vi.spyOn(live, 'onResync').mockImplementation((listener) => {
    resync = () => listener(null);
    return () => undefined;
  });
  value = new Resource(() => {
    asked += 1;
    const answer = answers.shift() ?? expect.fail('one request too many');
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  });
  stop = followChanges(value, (reload) => {
    change = reload;
    return [() => (change = () => undefined)];
  });
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
});
const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('followChanges', () => {
  it.each([
    ['a change', () => change()],
    ['a gap', () => resync()],
  ])('loads at once after %s, and again until that is answered', async (_, happen) => {
    await wait(0);
    answers = [new NetworkFailure('unreachable'), new NetworkFailure('timeout'), 1];
    void happen();
    await wait(0);
    expect([asked, value.data]).toEqual([2, 0]);
    await wait(60_000);
    expect([asked, value.data, value.error]).toEqual([4, 1, null]);
  });

  it('loads nothing once it is stopped', async () => {
    await wait(0);
    answers = [new NetworkFailure('unreachable')];
    change();
    await wait(0);
    stop();
    change();
    await wait(60_000);
    expect(asked).toBe(2);
  });
});
