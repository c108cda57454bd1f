// How people are named in the event log and on screens.
import { describe, expect, it } from 'vitest';
import { displayName, memberRef, shortAddress } from './actor.ts';

const ADDRESS = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';

describe('names', () => {
  it('an address is shown by its two ends, a short text in full', () => {
    expect(shortAddress(ADDRESS)).toBe('7xKX…gAsU');
    expect(shortAddress('123456789')).toBe('123456789');
    expect(shortAddress('1234567890')).toBe('1234…7890');
  });

  it('the pool name takes precedence over the address', () => {
    expect(displayName({ name: 'Ada', address: ADDRESS })).toBe('Ada');
    expect(displayName({ name: null, address: ADDRESS })).toBe('7xKX…gAsU');
  });

  it('a member has the same name in the event log as on screens', () => {
    expect(memberRef({ userId: 'u', name: null, address: ADDRESS })).toEqual({
      kind: 'member',
      id: 'u',
      name: '7xKX…gAsU',
    });
  });
});
