/** Ids are unique, sorted and collision-free. */
import { version } from 'uuid';
import { describe, expect, it } from 'vitest';
import { createIds } from './clock.ts';

describe('ids', () => {
  it('are UUIDs of version 7 that start with the time', () => {
    const id = createIds(() => Date.UTC(2026, 2, 1)).uuid();
    expect(version(id)).toBe(7);
    expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(Date.UTC(2026, 2, 1));
  });

  it.each([
    ['within one millisecond', () => 1_800_000_000_000],
    ['over many milliseconds', (n: number) => 1_800_000_000_000 + Math.floor(n / 7)],
    ['when the clock is set back', (n: number) => 1_800_000_000_000 - n],
  ])('are unique and sort by creation, %s', (_, timeOf) => {
    let n = 0;
    const ids = createIds(() => timeOf((n += 1)));
    const made = Array.from({ length: 5000 }, () => ids.uuid());
    expect(new Set(made).size).toBe(made.length);
    expect(made.toSorted()).toEqual(made);
  });

  it('of two processes do not collide', () => {
    const [one, other] = [createIds(() => 1), createIds(() => 1)];
    const made = Array.from({ length: 2000 }, () => [one.uuid(), other.uuid()]).flat();
    expect(new Set(made).size).toBe(made.length);
  });
});
