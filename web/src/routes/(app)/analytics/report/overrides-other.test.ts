// AN27: groups joined for a day have a name on the page.
import { expect, it } from 'vitest';
import { NONE, OTHER, ratesOf } from './overrides.ts';

it('AN27: names the joined group', () => {
  const share = { key: '', decided: 40, overridden: 10, rate: 0.25, interval: { low: 0.1, high: 0.4 } };
  const rates = ratesOf({ by_flag: [share, { ...share, key: 'pii' }], by_model: [], by_source: [] }, 'by_flag');
  expect(rates.map(({ key }) => key).sort()).toEqual([OTHER, 'pii']);
});

it('AN29: a model called “unknown” and items without a model are two groups', () => {
  const share = { decided: 40, overridden: 10, interval: { low: 0.1, high: 0.4 } };
  const by_model = [null, 'unknown', 'no model', '', OTHER].map((key) => ({ ...share, key }));
  const rates = ratesOf({ by_flag: [], by_model, by_source: [] }, 'by_model');
  const named = rates.map(({ key, kind }) => `${kind}: ${key}`).sort();
  expect(named).toEqual(
    [`named: ${OTHER}`, 'named: no model', 'named: unknown', `none: ${NONE.by_model}`, `other: ${OTHER}`].sort(),
  );
});
