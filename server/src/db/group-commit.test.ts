/** Group commit: grouping, individual outcomes, and failures. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GroupCommit, type GroupCommitOptions, type Outcome } from './group-commit.ts';

interface Gate {
  entries: string[];
  open: () => void;
  fail: (error: Error) => void;
}

/** A commit that waits until the test releases it, and records its entries. */
function gated(overrides: Partial<GroupCommitOptions<string, string>> = {}) {
  const gates: Gate[] = [];
  let arrived: () => void = () => undefined;
  const group = new GroupCommit<string, string>({
    commit: (entries) =>
      new Promise((resolve, reject) => {
        const outcomes = entries.map((entry) => ({ result: `${entry}!` }));
        gates.push({ entries, open: () => resolve(outcomes), fail: reject });
        arrived();
      }),
    meetsAll: () => false,
    weigh: (entry) => entry.length,
    maxWeight: 10,
    maxEntries: 3,
    concurrency: 1,
    laterMs: 0,
    ...overrides,
  });
  const nth = async (n: number): Promise<Gate> => {
    while (gates[n] === undefined) await new Promise<void>((resolve) => (arrived = resolve));
    return gates[n];
  };
  return { group, nth, count: () => gates.length };
}

describe('group commit', () => {
  it('commits concurrent entries together, and those that arrive meanwhile next', async () => {
    const { group, nth } = gated();
    const first = [group.add('a'), group.add('b')];
    expect((await nth(0)).entries).toEqual(['a', 'b']);
    const second = [group.add('c'), group.add('d')];
    (await nth(0)).open();
    expect(await Promise.all(first)).toEqual(['a!', 'b!']);
    (await nth(1)).open();
    expect((await nth(1)).entries).toEqual(['c', 'd']);
    expect(await Promise.all(second)).toEqual(['c!', 'd!']);
  });

  it('I2: resolves no entry before the commit', async () => {
    const { group, nth } = gated();
    let answered = false;
    const entry = group.add('a').then(() => (answered = true));
    const gate = await nth(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    gate.open();
    await entry;
    expect(answered).toBe(true);
  });

  it('limits groups by size and weight, and commits a heavy entry alone', async () => {
    const { group, nth } = gated();
    const all = ['a', 'b', 'c', 'd', 'x'.repeat(50), 'e', 'f'.repeat(9), 'g'].map((entry) => group.add(entry));
    const expected = [['a', 'b', 'c'], ['d'], ['x'.repeat(50)], ['e', 'f'.repeat(9)], ['g']];
    for (const [index, entries] of expected.entries()) {
      const gate = await nth(index);
      expect(gate.entries).toEqual(entries);
      gate.open();
    }
    await Promise.all(all);
  });

  it('runs up to its concurrency of groups at once', async () => {
    const { group, nth, count } = gated({ concurrency: 2, maxEntries: 1 });
    const all = ['a', 'b', 'c'].map((entry) => group.add(entry));
    await nth(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(count()).toBe(2);
    (await nth(0)).open();
    (await nth(2)).open();
    (await nth(1)).open();
    expect(await Promise.all(all)).toEqual(['a!', 'b!', 'c!']);
  });

  it('does not fail other entries because of a failing one', async () => {
    const tries: string[][] = [];
    const { group } = gated({
      commit: (entries) => {
        tries.push(entries);
        if (entries.includes('bad')) return Promise.reject(new Error('bad entry'));
        return Promise.resolve(entries.map((entry) => ({ result: entry })));
      },
    });
    const settled = await Promise.allSettled(['a', 'bad', 'b'].map((entry) => group.add(entry)));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(tries).toEqual([['a', 'bad', 'b'], ['a'], ['bad', 'b'], ['bad'], ['b']]);
  });

  it('does not retry one by one when every entry would fail alike', async () => {
    const { group, nth, count } = gated({ meetsAll: (error) => String(error).includes('gone') });
    const all = Promise.allSettled([group.add('a'), group.add('b')]);
    (await nth(0)).fail(new Error('gone'));
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(count()).toBe(1);
  });

  it('by property: every entry gets its own outcome, regardless of the outcomes of its group', async () => {
    const fate = fc.constantFrom('result', 'refusal', 'later', 'breaks');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fate, { maxLength: 12 }),
        fc.integer({ min: 1, max: 3 }),
        async (fates, concurrency) => {
          const seen = new Set<number>();
          const group = new GroupCommit<number, number>({
            ...{ meetsAll: () => false, weigh: () => 1, maxWeight: 4, maxEntries: 5, laterMs: 0, concurrency },
            commit: (entries) => {
              if (entries.some((index) => fates[index] === 'breaks')) return Promise.reject(new Error('breaks'));
              return Promise.resolve(entries.map((index) => outcomeOf(index, fates[index] ?? '', seen)));
            },
          });
          const settled = await Promise.allSettled(fates.map((_, index) => group.add(index)));
          const outcomes = settled.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)));
          const due = fates.map((one, index) =>
            one === 'breaks' ? 'Error: breaks' : one === 'refusal' ? `Error: no ${index}` : index,
          );
          expect(outcomes).toEqual(due);
        },
      ),
    );
  });
});

/** "Later" once, then the result. */
function outcomeOf(index: number, fate: string, seen: Set<number>): Outcome<number> {
  if (fate === 'refusal') return { refusal: new Error(`no ${index}`) };
  if (fate !== 'later' || seen.has(index)) return { result: index };
  seen.add(index);
  return 'later';
}
