// @vitest-environment happy-dom
// The countdown in the head of an item: what a screen reader hears of it (DL5).
import { cleanup, render } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Deadline, ItemDetail } from '@countersign/shared/schemas/parts/item';
import DeadlineCountdown from './DeadlineCountdown.svelte';

const said = vi.hoisted(() => [] as string[]);
vi.mock('../../queue-context.ts', () => ({
  getQueueContext: () => ({ announcer: { say: (message: string) => said.push(message) } }),
}));

const detail = (id: string) => ({ id, abilities: { extend_deadline: false } }) as unknown as ItemDetail;
const inSeconds = (left: number): Deadline => ({
  ...{
    at: new Date(Date.now() + left * 1000).toISOString(),
    on_deadline: 'expire',
    span_seconds: 100,
    extended: false,
  },
});
const pass = async (seconds: number) => {
  for (let second = 0; second < seconds; second += 1) {
    vi.advanceTimersByTime(1000);
    await tick();
  }
};

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0) });
  said.length = 0;
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

describe('DL5: the holder of an item hears that its deadline is near', () => {
  it('once, however long it counts down, and again after an extension', async () => {
    const props = { detail: detail('one'), deadline: inSeconds(25), stage: 'mine' as const };
    const { rerender } = render(DeadlineCountdown, props);
    await pass(3);
    expect(said).toEqual([]);
    await pass(12);
    expect(said).toHaveLength(1);
    await rerender({ deadline: inSeconds(60) });
    await pass(2);
    expect(said).toHaveLength(1);
    await pass(45);
    expect(said).toHaveLength(2);
  });

  it('of each item, and nobody else does', async () => {
    const props = { detail: detail('one'), deadline: inSeconds(15), stage: 'mine' as const };
    const { rerender } = render(DeadlineCountdown, props);
    await pass(1);
    await rerender({ detail: detail('two'), deadline: inSeconds(15) });
    await pass(1);
    expect(said).toHaveLength(2);
    await rerender({ detail: detail('three'), deadline: inSeconds(15), stage: 'free' });
    await pass(2);
    expect(said).toHaveLength(2);
  });
});
