// The order of service, and the number served per turn of the event loop (MB8, MB9).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RoundRobin } from './round-robin.ts';

/** The test advances the turns of the event loop. */
function byHand(perTurn: number) {
  const coming: (() => void)[] = [];
  const queue = new RoundRobin(perTurn, (turn) => void coming.push(turn));
  /** Advances one turn; false when none was requested. */
  const turn = () => {
    const next = coming.shift();
    next?.();
    return next !== undefined;
  };
  return { queue, turn, coming };
}

describe('round robin', () => {
  it('MB8: serves a limited number per turn of the event loop, alternating between owners', () => {
    const { queue, turn } = byHand(2);
    const served: string[] = [];
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1']) queue.ask(name.charAt(0), () => served.push(name));
    expect(served).toEqual([]);
    turn();
    expect(served).toEqual(['a1', 'b1']);
    turn();
    expect(served).toEqual(['a1', 'b1', 'c1', 'a2']);
    turn();
    expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
    expect(turn()).toBe(false);
  });

  it('MB8: puts a returning owner behind all others, also within the same turn', () => {
    const { queue, turn } = byHand(3);
    const served: string[] = [];
    const again = () => queue.ask('a', () => served.push('again'));
    queue.ask('a', () => {
      served.push('a');
      again();
    });
    queue.ask('b', () => served.push('b'));
    turn();
    // A request made during a turn is served in a later one; otherwise one owner would take the whole turn.
    expect(served).toEqual(['a', 'b']);
    turn();
    expect(served).toEqual(['a', 'b', 'again']);
  });

  it('MB8: does not serve a cancelled request, and removes its owner', () => {
    const { queue, turn } = byHand(1);
    const served: string[] = [];
    const leave = queue.ask('a', () => served.push('a'));
    queue.ask('b', () => served.push('b'));
    leave();
    leave();
    expect(queue.waiting).toBe(1);
    turn();
    expect(served).toEqual(['b']);
    expect(turn()).toBe(false);
    expect(queue.waiting).toBe(0);
  });

  it('MB8: requests one turn at a time', () => {
    const { queue, coming, turn } = byHand(1);
    for (const owner of ['a', 'b']) queue.ask(owner, () => undefined);
    expect(coming).toHaveLength(1);
    turn();
    expect(coming).toHaveLength(1);
  });

  it('MB8: continues when one of the served requests fails', () => {
    const { queue, turn } = byHand(2);
    const served: string[] = [];
    queue.ask('a', () => {
      throw new Error('gone');
    });
    queue.ask('b', () => served.push('b'));
    expect(turn).toThrow('gone');
    turn();
    expect(served).toEqual(['b']);
  });

  /** Work of a few owners: how many batches each needs, and the turn before which it is cancelled, if at all. */
  const works = fc.array(
    fc.record({
      owner: fc.constantFrom('a', 'b', 'c', 'd'),
      batches: fc.integer({ min: 1, max: 8 }),
      comesAt: fc.integer({ min: 0, max: 6 }),
      leavesAt: fc.option(fc.integer({ min: 0, max: 12 }), { nil: Infinity }),
    }),
    { minLength: 1, maxLength: 20 },
  );
  /** One waiting request. */
  interface Asked {
    owner: string;
    leave: () => void;
  }
  /** More turns than all batches need one by one. */
  const TURNS = 200;

  it('MB8: serves every request that is not cancelled, no owner twice while another waits, and retains nothing', () => {
    fc.assert(
      fc.property(works, fc.integer({ min: 1, max: 4 }), (all, perTurn) => {
        const { queue, turn } = byHand(perTurn);
        const crowd = all.map((work) => ({ ...work, asked: null as Asked | null }));
        const served: { owner: string; waiting: Set<Asked> }[] = [];
        const waiting = () => new Set(crowd.flatMap(({ asked }) => (asked === null ? [] : [asked])));
        for (let now = 0; now < TURNS; now += 1) {
          for (const one of crowd) {
            if (one.leavesAt === now) {
              one.asked?.leave();
              Object.assign(one, { asked: null, batches: 0 });
            } else if (one.asked === null && one.batches > 0 && one.comesAt <= now) {
              const leave = queue.ask(one.owner, () => {
                Object.assign(one, { asked: null, batches: one.batches - 1 });
                served.push({ owner: one.owner, waiting: waiting() });
              });
              one.asked = { owner: one.owner, leave };
            }
          }
          const [before, inLine] = [served.length, queue.waiting];
          turn();
          expect(served.length - before).toBe(Math.min(perTurn, inLine));
        }
        expect(crowd.map(({ batches }) => batches)).toEqual(crowd.map(() => 0));
        expect([queue.waiting, turn()]).toEqual([0, false]);
        served.forEach(({ owner, waiting: others }, at) => {
          const next = served.findIndex((later, index) => index > at && later.owner === owner);
          // Between two turns of an owner, every other owner who waits throughout is served.
          const between = next === -1 ? [] : served.slice(at + 1, next);
          for (const other of next === -1 ? [] : others) {
            if (other.owner === owner || served[next]?.waiting.has(other) !== true) continue;
            expect(between.map((one) => one.owner)).toContain(other.owner);
          }
        });
      }),
    );
  });
});
