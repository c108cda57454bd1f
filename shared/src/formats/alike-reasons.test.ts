// Tests which clusters of reasons are suggested to be merged (CT5), on reasons labelled by hand and on clusters.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ALIKE, likeness, suggestMerges } from './alike-reasons.ts';

const LABELLED = JSON.parse(
  readFileSync(new URL('../../../server/test/fixtures/labelled-reasons.json', import.meta.url), 'utf8'),
) as Record<string, string[]>;

it('CT5: precision and recall on labelled reasons reach the documented values', () => {
  const all = Object.entries(LABELLED).flatMap(([meaning, reasons]) => reasons.map((reason) => ({ meaning, reason })));
  const pairs = all.flatMap((a, at) => all.slice(at + 1).map((b) => [a, b] as const));
  const same = pairs.filter(([a, b]) => a.meaning === b.meaning);
  const found = pairs.filter(([a, b]) => likeness(a.reason, b.reason) >= ALIKE);
  const right = found.filter(([a, b]) => a.meaning === b.meaning).length;
  expect(right / found.length).toBeGreaterThanOrEqual(0.95);
  expect(right / same.length).toBeGreaterThanOrEqual(0.95);
});

it('CT5: likeness is symmetric, and regards neither order nor spelling', () => {
  const reasons = Object.values(LABELLED).flat().slice(0, 40);
  for (const a of reasons) for (const b of reasons) expect(likeness(a, b)).toBeCloseTo(likeness(b, a), 9);
  expect(likeness('Wrong sum', 'The sum is WRONG!')).toBe(1);
  expect(likeness('Wrong sum', 'Wrong unit')).toBeLessThan(ALIKE);
});

const cluster = (name: string, size: number, ...reasons: string[]) => ({
  id: name,
  name,
  size,
  reasons: [name, ...reasons].map((reason) => ({ reason })),
});

it.each([
  [
    'joins free reasons with the listed one, even a smaller one',
    [cluster('sum is wrong', 90), cluster('Wrong sum', 20), cluster('Wrong sums', 5), cluster('Too long', 50)],
    ['Wrong sum', 'Too long'],
    [{ target: 'Wrong sum', others: ['sum is wrong', 'Wrong sums'] }],
  ],
  [
    'takes the largest as the target where none is listed',
    [cluster('forgot one person', 7), cluster('Forgot one of the people', 9)],
    [],
    [{ target: 'Forgot one of the people', others: ['forgot one person'] }],
  ],
  [
    'never joins two listed reasons',
    [cluster('Wrong sum', 20), cluster('Wrong sums', 10)],
    ['Wrong sum', 'Wrong sums'],
    [],
  ],
  [
    'compares the reasons behind a name that a supervisor chose',
    [cluster('Arithmetic', 20, 'wrong sums'), cluster('Wrong sum', 10)],
    [],
    [{ target: 'Arithmetic', others: ['Wrong sum'] }],
  ],
  ['suggests nothing for reasons that differ', [cluster('Wrong sum', 2), cluster('Too long', 2)], [], []],
])('CT5: %s', (_, clusters, listed, suggested) => {
  expect(suggestMerges(clusters, listed)).toEqual(suggested);
});
