// Cursors: what an encoder made is read back, and a text that it cannot have made is refused.
import { describe, expect, it } from 'vitest';
import { decodeCursor, decodeRank, decodeSeq, encodeCursor, encodeRank, encodeSeq } from './cursor.ts';

const ID = '0197f1a0-0000-7000-8000-000000000001';
const coded = (text: string) => Buffer.from(text).toString('base64url');

const KINDS = [
  ['a time', { at: new Date('2026-11-20T14:02:31.123Z'), id: ID }, encodeCursor, decodeCursor],
  ['a rank', { rank: 12, id: ID }, encodeRank, decodeRank],
  ['a position', 12, encodeSeq, decodeSeq],
] as [string, unknown, (value: unknown) => string, (text: string) => unknown][];

describe.each(KINDS)('a cursor of %s', (_, value, encode, decode) => {
  const cursor = encode(value);

  it('is read back', () => expect(decode(cursor)).toEqual(value));

  it.each([
    ['with other characters', `${cursor}*!`],
    ['with other characters inside', `${cursor.slice(0, 4)} ${cursor.slice(4)}`],
    ['with padding', `${cursor}==`],
    ['with bits that no byte uses', `${cursor}A`],
  ])('is refused %s', (_name, text) => {
    expect(() => decode(text)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
  });
});

it.each([
  ['a position with a leading zero', () => decodeSeq(coded('seq:012'))],
  ['a rank with a leading zero', () => decodeRank(coded(`rank:012:${ID}`))],
  ['a time with spaces', () => decodeCursor(coded(`[1, "${ID}"]`))],
  ['a time with more values', () => decodeCursor(coded(`[1,"${ID}",2]`))],
])('refuses %s', (_, decode) => {
  expect(decode).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
});

it('reads the cursors of earlier versions', () => {
  expect(decodeSeq('c2VxOjEy')).toBe(12);
});
