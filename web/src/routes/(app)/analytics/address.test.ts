// One member of the query changes, the others stay.
import { describe, expect, it } from 'vitest';
import { withQuery } from './address.ts';

describe('withQuery', () => {
  it('sets one member and keeps the others', () => {
    expect(withQuery('', 'project', 'a-1')).toBe('?project=a-1');
    expect(withQuery('?project=a-1&range=day', 'range', 'week')).toBe('?project=a-1&range=week');
    expect(withQuery('?range=week', 'project', 'b&c')).toBe('?range=week&project=b%26c');
  });
});
