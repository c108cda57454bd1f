// Long tasks share the event loop: one piece of one task per turn (MB9).
import { describe, expect, it } from 'vitest';
import { RoundRobin } from '../limits/round-robin.ts';
import { createEventLoopYielder } from './yield-to-event-loop.ts';

function byHand() {
  const coming: (() => void)[] = [];
  let now = 0;
  const queue = new RoundRobin(1, (turn) => void coming.push(turn));
  const { waitForTurn, createYielder } = createEventLoopYielder(queue, () => now);
  /** One turn of the event loop, with everything that runs in it. */
  const turn = async () => {
    coming.shift()?.();
    for (let n = 0; n < 10; n += 1) await Promise.resolve();
  };
  return { waitForTurn, createYielder, turn, pass: (ms: number) => (now += ms), waiting: () => queue.waiting };
}

describe('a long task', () => {
  it('MB9: starts one by one, each in a turn of the event loop of its own', async () => {
    const { waitForTurn, turn } = byHand();
    const begun: string[] = [];
    for (const name of ['a', 'b', 'c']) void waitForTurn().then(() => begun.push(name));
    await turn();
    expect(begun).toEqual(['a']);
    await turn();
    await turn();
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('MB9: yields after 10 ms and continues in its next turn: only one of all tasks runs in a turn', async () => {
    const { createYielder, turn, pass, waiting } = byHand();
    const done: string[] = [];
    const work = async (name: string) => {
      const giveWay = createYielder();
      for (let piece = 0; piece < 3; piece += 1) {
        pass(10);
        await giveWay();
        done.push(name);
      }
    };
    const all = Promise.all([work('a'), work('b')]);
    const after: number[] = [];
    while (waiting() > 0) {
      await turn();
      after.push(done.length);
    }
    await all;
    expect(done).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
    expect(after).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('MB9: that is short does not wait', async () => {
    const { createYielder, pass, waiting } = byHand();
    const giveWay = createYielder();
    pass(9);
    await giveWay();
    expect(waiting()).toBe(0);
  });
});
