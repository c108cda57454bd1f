// Groups are sorted by certainty, and unknown values are not claimed.
import { wilson } from '@countersign/shared/statistics/statistics';
import { describe, expect, it } from 'vitest';
import { ratesOf, worst } from './overrides.ts';

const share = (key: string, overridden: number, decided: number) => ({
  ...{ key, overridden, decided },
  interval: wilson(overridden, decided),
});
const none = { by_flag: [], by_model: [], by_source: [] };

describe('ratesOf', () => {
  it('sorts by the lower bound: nine of nine does not lead four hundred', () => {
    const rates = ratesOf(
      { ...none, by_flag: [share('unparsed', 3, 3), share('no flag', 1245, 2111), share('long_input', 332, 432)] },
      'by_flag',
    );
    expect(rates.map(({ key }) => key)).toEqual(['long_input', 'no flag', 'unparsed']);
    expect(rates[0]).toMatchObject({ k: 332, n: 432 });
    expect(rates[0]?.low).toBeCloseTo(0.7266, 3);
  });

  it('omits groups without decisions: their rate is unknown, not zero', () => {
    expect(ratesOf({ ...none, by_model: [share('a', 0, 0)] }, 'by_model')).toEqual([]);
  });
});

describe('worst', () => {
  it('names the most certain group over flags, models and sources', () => {
    const overrides = {
      by_flag: [share('no flag', 50, 100)],
      by_model: [share('small', 40, 50), share('tiny', 20, 20)],
      by_source: [share('import', 50, 100)],
    };
    expect(worst(overrides)).toMatchObject({ split: 'by_model', key: 'small' });
  });

  it('claims nothing from fewer than 30, or without an override', () => {
    expect(worst({ ...none, by_flag: [share('a', 29, 29)] })).toBeNull();
    expect(worst({ ...none, by_flag: [share('a', 0, 500)] })).toBeNull();
    expect(worst(none)).toBeNull();
  });
});
