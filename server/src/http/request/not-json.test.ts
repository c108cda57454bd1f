// The refusal of a body that is not JSON or not UTF-8.
import { describe, expect, it } from 'vitest';
import { parseBody } from './i-json.ts';

describe('a body that is not JSON', () => {
  it.each([
    ['{"a":1,\n "b" 2}', 'Send one JSON value. At line 2, column 6 a colon was expected.'],
    ['{"a":"s3cret" "b"}', 'Send one JSON value. At line 1, column 15 a comma or } was expected.'],
    [Uint8Array.from([0x22, 0x61, 0xc3, 0x28, 0x22]), 'Send the body as UTF-8. Byte 4 is invalid.'],
    [Uint8Array.from([0x22, 0xe2, 0x82]), 'Send the body as UTF-8. Byte 4 is invalid.'],
  ])('IJ1: is refused with the position and what was expected: %j', (body, detail) => {
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    expect(() => parseBody(bytes)).toThrow(`invalid_json: ${detail}`);
  });
});
