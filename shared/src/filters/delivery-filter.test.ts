// Validation and matching of the delivery log filter.
import { describe, expect, it } from 'vitest';
import { deliveryFilter, statusRange } from './delivery-filter.ts';

const ITEM = '0198C2F0-7A10-7C3E-9F6B-2D4E6A8C0B11';

describe('the delivery log filter', () => {
  it.each([
    [{ code: '100' }],
    [{ code: '599' }],
    [{ code: '3xx' }],
    [{ code: 'none', status: 'failed' }],
    [{ event: 'evt_0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11' }],
    [{ item: ITEM.toLowerCase() }],
  ])('accepts the delivery filter %o', (asked) => {
    expect(deliveryFilter.parse(asked)).toEqual(asked);
  });

  it.each([
    [{ code: '99' }],
    [{ code: '600' }],
    [{ code: '1xx' }],
    [{ code: '2XX' }],
    [{ code: '200 ' }],
    [{ code: '' }],
    [{ event: 'evt_' }],
    [{ event: `evt_${'a'.repeat(101)}` }],
    [{ event: "evt_'" }],
    [{ event: 'evt_\0' }],
    [{ item: '1' }],
    [{ item: '' }],
    [{ status: 'gone' }],
    [{ status: ['dead', 'paused'] }],
  ])('refuses %o and names the field', (asked) => {
    const { error } = deliveryFilter.safeParse(asked);
    expect(error?.issues.map(({ path }) => path)).toEqual([Object.keys(asked)]);
  });

  it('normalizes an item ID to its stored spelling', () => {
    expect(deliveryFilter.parse({ item: ITEM })).toEqual({ item: ITEM.toLowerCase() });
  });

  it.each([
    ['404', [404, 404]],
    ['5xx', [500, 599]],
    ['none', null],
  ])('expands %s to %o', (code, range) => {
    expect(statusRange(code)).toEqual(range);
  });
});
