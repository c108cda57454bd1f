// The URL of the learnings page: it is read back as it was written, and invalid values are ignored.
import { describe, expect, it } from 'vitest';
import { filterOf, isNarrowed, readUrlState, queryOf, sameFilter, type UrlState } from './url-state.ts';

const CLUSTER = '01a205df-3922-76fc-918b-43a865a61840';
const at = (query: string) => readUrlState(new URL(`https://x.test/learnings?${query}`));
const EMPTY: UrlState = { cluster: null, range: 'all', filter: {}, runs: false, run: null };

describe('readUrlState', () => {
  it('reads back what queryOf wrote', () => {
    const filter = { action: 'edit', flag: 'a&b', model: 'm 1', source: 's', text: 'wrong sum' } as const;
    const urlState: UrlState = { ...EMPTY, cluster: CLUSTER, range: 'week', filter: { ...filter, excluded: 'only' } };
    expect(at(queryOf('p', urlState))).toEqual(urlState);
    for (const more of [{ runs: true }, { runs: true, run: CLUSTER }])
      expect(at(queryOf('p', { ...urlState, ...more }))).toEqual({ ...urlState, ...more });
    expect(at(queryOf('p', EMPTY))).toEqual(EMPTY);
    expect(queryOf('p', EMPTY)).toBe('project=p');
  });

  it.each([
    'cluster=1',
    'range=year',
    'action=approve',
    'excluded=all',
    'run=1',
    'show=x',
    'q=%20',
    `q=${'x'.repeat(101)}`,
    'q=%00',
    'flag=',
  ])('ignores the URL parameter %s', (query) => {
    expect(at(query)).toEqual(EMPTY);
  });
});

it('filterOf counts a range back from now', () => {
  const now = Date.parse('2026-03-10T12:00:00Z');
  expect(filterOf(EMPTY, now)).toEqual({});
  expect(filterOf({ ...EMPTY, range: 'week' }, now)).toEqual({ since: '2026-03-03T12:00:00.000Z' });
});

it('sameFilter compares the filters, not their order or the cluster', () => {
  const one = at(`q=x&flag=y&cluster=${CLUSTER}`);
  expect(sameFilter(one, at('flag=y&q=x'))).toBe(true);
  expect(sameFilter(one, at('flag=y'))).toBe(false);
  expect(sameFilter(one, at('flag=y&q=x&range=day'))).toBe(false);
  expect([isNarrowed(EMPTY), isNarrowed(one)]).toEqual([false, true]);
});
