// Parsing of the Prefer: wait header.
import { describe, expect, it } from 'vitest';
import { preferredWait } from './prefer-wait.ts';

describe('Prefer: wait (RFC 7240)', () => {
  it.each<[string | undefined, number | null]>([
    ['wait=10', 10],
    ['wait=0', 0],
    ['wait = 5', 5],
    ['WAIT=5', 5],
    ['wait="7"', 7],
    ['respond-async, wait=10', 10],
    ['wait=10;foo=bar, return=minimal', 10],
    ['wait=10, wait=20', 10],
    ['wait=600', 60],
    ['wait=99999999999', 60],
    ['wait=-1', null],
    ['wait=1.5', null],
    ['wait=soon', null],
    ['await=5', null],
    ['', null],
    [undefined, null],
  ])('reads “Prefer: %s” as %s seconds', (header, seconds) => expect(preferredWait(header)).toBe(seconds));
});
