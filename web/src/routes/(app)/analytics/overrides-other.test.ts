// AN27: what a day could not tell apart has a name on the page.
import { expect, it } from 'vitest';
import { OTHER, ratesOf } from './overrides.ts';

it('AN27: what is counted together is called so in words', () => {
  const share = { key: '', decided: 40, overridden: 10, rate: 0.25, interval: { low: 0.1, high: 0.4 } };
  const rates = ratesOf({ by_flag: [share, { ...share, key: 'pii' }], by_model: [], by_source: [] }, 'by_flag');
  expect(rates.map(({ key }) => key).sort()).toEqual([OTHER, 'pii']);
});
