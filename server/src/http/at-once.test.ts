// Places for dear requests: of a person, of the process, in line, and given back.
import { describe, expect, it } from 'vitest';
import { createPlaces, type Leave } from './at-once.ts';

const FEW = { perPerson: 2, perProcess: 3, waitingPerPerson: 1, waiting: 2, why: '' };

/** Who has come in so far, in order. */
function door(limit = FEW) {
  const places = createPlaces(limit);
  const inside: string[] = [];
  const leaves: Leave[] = [];
  const refused: string[] = [];
  const knock = (person: string) =>
    void places.enter(person).then(
      (leave) => {
        inside.push(person);
        leaves.push(leave);
      },
      (error: { code: string }) => refused.push(`${person} ${error.code}`),
    );
  const settle = () => new Promise((done) => setImmediate(done));
  return { knock, inside, leaves, refused, settle };
}

describe('RL6: places for what is dear', () => {
  it('are so many of a person, one more stands in line, and the next is refused', async () => {
    const { knock, inside, leaves, refused, settle } = door();
    for (let n = 0; n < 4; n += 1) knock('anna');
    await settle();
    expect([inside, refused]).toEqual([['anna', 'anna'], ['anna rate_limited']]);
    leaves[0]?.();
    leaves[0]?.();
    await settle();
    expect(inside).toEqual(['anna', 'anna', 'anna']);
  });

  it('are so many of the process, and a crowd in line holds up nobody who has a place left', async () => {
    const { knock, inside, leaves, refused, settle } = door({ ...FEW, perProcess: 2, waitingPerPerson: 5 });
    for (let n = 0; n < 3; n += 1) knock('anna');
    knock('ben');
    knock('carl');
    await settle();
    expect([inside, refused]).toEqual([['anna', 'anna'], ['carl unavailable']]);
    leaves[0]?.();
    await settle();
    expect(inside).toEqual(['anna', 'anna', 'ben']);
    leaves[1]?.();
    await settle();
    expect(inside.at(-1)).toBe('anna');
  });

  it('are waited for by whoever has nobody in line, however many wait for others', async () => {
    const { knock, inside, leaves, refused, settle } = door({ ...FEW, perProcess: 1, waitingPerPerson: 5, waiting: 3 });
    for (const person of ['anna', 'ben', 'ben', 'carl', 'dora', 'ben']) knock(person);
    await settle();
    expect([inside, refused]).toEqual([['anna'], ['ben unavailable', 'ben unavailable']]);
    for (let n = 0; n < 3; n += 1) {
      leaves[n]?.();
      await settle();
    }
    expect(inside).toEqual(['anna', 'ben', 'carl', 'dora']);
  });

  it('let somebody past whose person has none left', async () => {
    const { knock, inside, leaves, settle } = door({ ...FEW, perPerson: 1, perProcess: 2, waitingPerPerson: 5 });
    for (const person of ['anna', 'anna', 'ben', 'ben', 'carl']) knock(person);
    await settle();
    expect(inside).toEqual(['anna', 'ben']);
    leaves[1]?.();
    await settle();
    expect(inside.at(-1)).toBe('ben');
  });
});
